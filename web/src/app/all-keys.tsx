/** The list of all keys that count now. */
import { Sheet } from "../parts/sheet";
import { Switch } from "../parts/switch";
import { changeTaste, taste } from "../store/taste";
import { knownKeys } from "../kit/keys";

export function AllKeys(props: { onClose(): void }) {
  const groups = new Map<string, { keys: string; label: string }[]>();
  for (const known of knownKeys()) groups.set(known.group, [...(groups.get(known.group) ?? []), known]);
  return (
    <Sheet title="All keys" onClose={props.onClose}>
      {[...groups].map(([group, keys]) => (
        <section key={group} aria-labelledby={`keys-${group}`}>
          <h3 class="sec-title" id={`keys-${group}`}>{group}</h3>
          <dl class="keys-list">{keys.map((known) => <div key={known.keys}><dt>{known.label}</dt><dd><KeyNames keys={known.keys} /></dd></div>)}</dl>
        </section>
      ))}
      <div class="panel">
        <Switch
          label="Single keys" hint="J, K, N and the others, outside of inputs" isOn={taste.value.singleKeys}
          onChange={(singleKeys) => changeTaste({ singleKeys })}
        />
      </div>
    </Sheet>
  );
}

/** A shortcut's name as keys: `mod+k` is Ctrl K, or ⌘ K on a Mac. */
export function KeyNames(props: { keys: string }) {
  return <>{keyWords(props.keys).map((word, at) => <span key={at}>{at === 0 ? "" : " "}<kbd>{word}</kbd></span>)}</>;
}

export function keyWords(keys: string): string[] {
  return keys.split(/[ +]/).map((key) => {
    if (key === "mod") return /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl";
    if (key === "Escape") return "Esc";
    return key.length === 1 ? key.toUpperCase() : key;
  });
}

/** How this device shows things: settings of taste. They count at once and for this device alone. */
import { Segmented } from "../../parts/segmented";
import { Switch } from "../../parts/switch";
import { changeTaste, taste, type Taste } from "../../store/taste";
import { Page, Section } from "./page";

export function Reading() {
  const now = taste.value;
  return (
    <Page title="Reading and keys">
      <Section title="Appearance">
        <Choice name="theme" label="Theme" options={[["system", "Like the system"], ["light", "Light"], ["dark", "Dark"]]} />
      </Section>
      <Section title="Tool activity in chats" hint="Failures, prompts and file changes show in each of them.">
        <Choice name="toolActivity" label="Tool activity" options={[["off", "Off"], ["compact", "One line"], ["full", "Everything"]]} />
      </Section>
      <Section title="Reasoning in chats" hint="Where the agent writes it down.">
        <Choice name="reasoning" label="Reasoning" options={[["folded", "Folded"], ["live", "Open while live"], ["off", "Off"]]} />
      </Section>
      <Section title="More">
        <div class="panel">
          <Switch label="Token counts" hint="Under each answer, as the agent’s own file says" isOn={now.tokens} onChange={(tokens) => changeTaste({ tokens })} />
          <Switch label="Enter sends" hint={now.enter === "send" ? "Shift Enter begins a new line" : "Ctrl or Cmd Enter sends"} isOn={now.enter === "send"} onChange={(isOn) => changeTaste({ enter: isOn ? "send" : "line" })} />
          <Switch label="Single-key shortcuts" hint="J, K, N and others, outside of text fields. Press ? for all" isOn={now.singleKeys} onChange={(singleKeys) => changeTaste({ singleKeys })} />
        </div>
      </Section>
    </Page>
  );
}

type Chosen = "theme" | "toolActivity" | "reasoning";

function Choice<N extends Chosen>(props: { name: N; label: string; options: readonly (readonly [Taste[N], string])[] }) {
  return (
    <Segmented
      label={props.label} value={taste.value[props.name]} options={props.options.map(([value, label]) => ({ value, label }))}
      onChange={(value) => changeTaste({ [props.name]: value })}
    />
  );
}

/** A block of code as an agent wrote it, with a button that copies it whole. */
import { useEffect, useRef, useState } from "preact/hooks";

import { copyText } from "../kit/copy";
import { Icon } from "./icon";

export interface CodeProps {
  text: string;
  /** What the agent called its language; shown, never trusted. */
  lang?: string;
  /** The name of the region, for who cannot see it. */
  label?: string;
}

const SAID_MS = 2000;

export function Code(props: CodeProps) {
  const lang = props.lang ?? "";
  return (
    <div class="code-block">
      <div class="code-bar"><bdi>{lang}</bdi><CopyButton text={props.text} /></div>
      <pre class="code-text" tabIndex={0} role="group" aria-label={props.label ?? (lang === "" ? "Code" : `Code, ${lang}`)} dir="ltr"><code>{props.text}</code></pre>
    </div>
  );
}

/** Copies, and says for a moment that it did. */
export function CopyButton(props: { text: string; label?: string }) {
  const [said, setSaid] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    setSaid((await copyText(props.text)) ? "Copied" : "Not copied: this browser does not allow it here");
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setSaid(""), SAID_MS);
  };
  return (
    <button class="btn btn-plain copy" type="button" onClick={() => void copy()}>
      <Icon name="copy" small />
      <span aria-live="polite">{said === "" ? (props.label ?? "Copy") : said}</span>
    </button>
  );
}

/** The frame of one page of the settings. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

import { addressOf } from "../../store/routes";
import type { Refusal } from "../../api/http";
import { line } from "../../kit/text";
import { Icon } from "../../parts/icon";
import { Title } from "../../parts/title";

export function Page(props: { title: string; children: ComponentChildren }) {
  return (
    <section class="pane pane-detail" aria-label={props.title}>
      <header class="chat-head">
        <div class="chat-bar">
          <a class="icon-btn only-phone" href={addressOf({ at: "settings" })} aria-label="Back to Settings"><Icon name="back" /></a>
          <div class="chat-id"><Title class="chat-name">{props.title}</Title></div>
        </div>
      </header>
      <div class="pane-scroll" tabIndex={-1} role="group" aria-label={props.title}>
        <div class="page settings-page">{props.children}</div>
      </div>
    </section>
  );
}

export function Section(props: { title: string; hint?: ComponentChildren; children: ComponentChildren }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 class="sec-title" id={id}>{props.title}</h2>
      {props.children}
      {props.hint === undefined ? null : <p class="sec-hint">{props.hint}</p>}
    </section>
  );
}

/** What a request said no to, beside what was asked. */
export function Trouble(props: { refusal: Refusal | null }) {
  if (props.refusal === null || props.refusal.code === "aborted") return null;
  return <p class="callout callout-fault" role="alert"><Icon name="warn" /><span>{line(props.refusal.text)}</span></p>;
}

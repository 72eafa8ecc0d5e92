/** What a pane says when it has nothing to show: what, why, and one act. */
import type { ComponentChildren } from "preact";

export interface EmptyProps {
  icon: string;
  /** A heading: `<h2>`, or `<Title>` where it is the pane's own. */
  title: ComponentChildren;
  children: ComponentChildren;
  isBusy?: boolean;
}

export function Empty(props: EmptyProps) {
  return (
    <div class="empty" aria-busy={props.isBusy}>
      <svg class="icon glyph" viewBox="0 0 24 24" aria-hidden="true"><use href={`#i-${props.icon}`} /></svg>
      {props.title}
      {props.children}
    </div>
  );
}

/** A notice across the top of the page or of a pane. */
import type { ComponentChildren } from "preact";

import { Icon } from "./icon";

export interface StripProps {
  icon: string;
  kind?: "fault" | "lamp" | "good";
  children: ComponentChildren;
  /** A button or link at its end. */
  act?: ComponentChildren;
}

export function Strip(props: StripProps) {
  return (
    <div class={props.kind === undefined ? "strip" : `strip strip-${props.kind}`}>
      <Icon name={props.icon} />
      <span class="grow">{props.children}</span>
      {props.act}
    </div>
  );
}

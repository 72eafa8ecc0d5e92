/** A word that marks a row or card. */
import type { ComponentChildren } from "preact";

export type TagKind = "plain" | "strong" | "lamp" | "lamp-soft" | "fault" | "good" | "accent";

export function Tag(props: { kind?: TagKind; children: ComponentChildren }) {
  const kind = props.kind ?? "plain";
  return <span class={kind === "plain" ? "tag" : `tag tag-${kind}`}>{props.children}</span>;
}

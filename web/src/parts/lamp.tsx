/** The shape that says a state before any colour does; the word stands near by (design, "Shape before colour"). */
export type LampName =
  | "fault" | "blocked" | "question" | "working" | "helpers" | "done" | "unknown" | "starting" | "idle" | "gone";

export function Lamp(props: { name: LampName; small?: boolean }) {
  return (
    <svg class={`lamp lamp-${props.name}${props.small ? " lamp-s" : ""}`} viewBox="0 0 20 20" aria-hidden="true">
      <use href={`#s-${props.name}`} />
    </svg>
  );
}

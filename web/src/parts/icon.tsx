/** An icon of the sprite in index.html. It is decoration: the control it stands in carries the name. */
export function Icon(props: { name: string; small?: boolean }) {
  return (
    <svg class={props.small ? "icon icon-s" : "icon"} viewBox="0 0 24 24" aria-hidden="true">
      <use href={`#i-${props.name}`} />
    </svg>
  );
}

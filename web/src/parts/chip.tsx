/** A filter that is on or off. */
export interface ChipProps {
  label: string;
  count?: number | undefined;
  isOn: boolean;
  onPress(): void;
}

export function Chip(props: ChipProps) {
  return (
    <button class="chip" type="button" aria-pressed={props.isOn} onClick={props.onPress}>
      <bdi>{props.label}</bdi>
      {props.count === undefined ? null : <span class="num">{props.count}</span>}
    </button>
  );
}

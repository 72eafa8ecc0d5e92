/** One of a few, all in sight. */
export interface SegmentedProps<T extends string> {
  /** What is chosen: the name of the group. */
  label: string;
  options: readonly { value: T; label: string; count?: number }[];
  value: T;
  onChange(value: T): void;
}

export function Segmented<T extends string>(props: SegmentedProps<T>) {
  return (
    <div class="seg" role="group" aria-label={props.label}>
      {props.options.map((option) => (
        <button key={option.value} type="button" aria-pressed={option.value === props.value} onClick={() => props.onChange(option.value)}>
          {option.label}
          {option.count === undefined ? null : <span class="num">{option.count}</span>}
        </button>
      ))}
    </div>
  );
}

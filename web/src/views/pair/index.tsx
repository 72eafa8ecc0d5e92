/** Pairing: for a browser that is not a device of the hub yet, or not any more. */
export interface PairViewProps {
  /** From the link's fragment; opening it uses nothing up. */
  code?: string | undefined;
  /** This browser is a device now, and its key is kept. */
  onPaired(): void;
}

export function PairView(_props: PairViewProps) {
  return <main class="gate" id="main"><h1>Pair this device</h1></main>;
}

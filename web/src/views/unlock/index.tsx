/** The locked screen: a number, nothing else (design unlock.html). */
export interface UnlockViewProps {
  /** The passkey was shown and the hub has opened. */
  onUnlocked(): void;
}

export function UnlockView(_props: UnlockViewProps) {
  return <main class="gate" id="main"><h1>Locked</h1></main>;
}

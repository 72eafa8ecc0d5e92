/** Whose sheet is open. Its code is loaded when one is. */
import { signal } from "@preact/signals";

import "../../parts/sheet"; // a sheet that opens under a finger has to know of that finger

export const shown = signal<string | null>(null);

/** Opens the sheet of this agent, from anywhere. */
export function showAgent(agentId: string): void {
  shown.value = agentId;
}

/** Which operation the person wants to ask for. The shell shows its sheet; its code is loaded then. */
import { signal } from "@preact/signals";

import type { OperationArgs } from "../../api/types";
import type { AgentAct } from "../../store/operations";

export type Wish =
  | { kind: AgentAct; agentId: string; why?: string; profileId?: string }
  | { kind: "start"; why?: string; args?: OperationArgs };

export const wish = signal<Wish | null>(null);

export function wishFor(what: Wish): void {
  wish.value = what;
}

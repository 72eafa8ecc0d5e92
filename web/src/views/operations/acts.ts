/** The operations of an agent as rows of a menu. */
import type { Agent } from "../../api/types";
import type { MenuItem } from "../../parts/menu";
import { actLabel, actsFor, kindWords } from "../../store/operations";
import { wishFor } from "./wish";

export function operationItems(agent: Agent): MenuItem[] {
  return actsFor(agent).map((kind) => ({
    label: `${actLabel(kind, agent)}…`, icon: kindWords(kind).icon, isBad: kind === "stop" || kind === "close", run: () => wishFor({ kind, agentId: agent.id }),
  }));
}

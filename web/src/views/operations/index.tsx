/** The sheets of operations: the shell mounts this once something is wanted. */
import "./operations.css";

import { useRoom } from "../../live/room";
import { AgentOperation } from "./sheet";
import { StartSheet } from "./start";
import { wish } from "./wish";

export function OperationSheets() {
  const room = useRoom();
  const wanted = wish.value;
  if (wanted === null) return null;
  const onClose = (): void => { wish.value = null; };
  if (wanted.kind === "start") return <StartSheet wish={wanted} onClose={onClose} />;
  const agent = room.state.value.agents.get(wanted.agentId);
  return agent === undefined ? null : <AgentOperation key={`${wanted.kind} ${agent.id}`} agent={agent} wish={wanted} onClose={onClose} />;
}

/** The sheets of operations: the shell mounts this once something is wanted. */
import "./operations.css";

import { useEffect } from "preact/hooks";

import { useRoom } from "../../live/room";
import { showToast } from "../../parts/toast";
import { AgentOperation } from "./sheet";
import { StartSheet } from "./start";
import { wish } from "./wish";

export function OperationSheets() {
  const room = useRoom();
  const wanted = wish.value;
  if (wanted === null) return null;
  const onClose = (): void => { if (wish.peek() === wanted) wish.value = null; }; // an answer may come behind another wish
  if (wanted.kind === "start") return <StartSheet wish={wanted} onClose={onClose} />;
  const agent = room.state.value.agents.get(wanted.agentId);
  if (agent === undefined) return <Left onClose={onClose} />;
  return <AgentOperation key={`${wanted.kind} ${agent.id}`} agent={agent} wish={wanted} onClose={onClose} />;
}

/** It was closed elsewhere while the person thought about it, or has left the list. */
function Left(props: { onClose(): void }) {
  useEffect(() => {
    showToast({ text: "This agent is not in the list any more. Its receipts are in the Chief tab." });
    props.onClose();
  }, []);
  return null;
}

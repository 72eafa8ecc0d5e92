/** The terminal views, loaded on demand: an agent's pane as a mirror, and shells of the host. */

/** The live mirror of an agent's pane, with keys where this device may type. */
export function AgentTerminal(props: { agentId: string }) {
  return <div class="term" data-agent={props.agentId} />;
}

/** Shells on the host: list, tabs, start, detach, end. */
export function HostShells() {
  return <div class="term" />;
}

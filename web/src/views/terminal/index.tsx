/** The terminal views, loaded on demand: an agent's pane as a mirror, and shells of the host. */
export { AgentTerminal } from "./agent-terminal";
export { HostShells } from "./host-shells";

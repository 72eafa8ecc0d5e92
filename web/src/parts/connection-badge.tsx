/** How a device is connected: secure, plain with its reason, or unknown. Never by colour alone. */
import type { Connection } from "../store/connection";
import { Icon } from "./icon";
import { Tag } from "./tag";

export function ConnectionBadge(props: { connection: Pick<Connection, "kind" | "label"> }) {
  const { kind, label } = props.connection;
  return (
    <Tag kind={kind === "secure" ? "good" : kind === "plain" ? "fault" : "plain"}>
      <Icon name={kind === "secure" ? "lock" : kind === "plain" ? "warn" : "info"} small />
      <span class="vh">Connection: </span>{label}
    </Tag>
  );
}

/** Writing to an agent, and what of it has not arrived yet: what the chat view mounts. */
export { Attachments } from "./attachments";
export { Composer, quoteInto, type ComposerProps } from "./composer";
export { DeliveryLine, OutboxMessage, OutboxMessages, type DeliveryLineProps } from "./message";

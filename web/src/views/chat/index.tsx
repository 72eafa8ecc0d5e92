/** One conversation: `agentId` with its present chat, or an older chat (`chatId` alone is read-only). */
export interface ChatViewProps {
  agentId?: string;
  chatId: string;
  /** Open around this item instead of at the first unread one. */
  itemId?: string;
}

export function ChatView(props: ChatViewProps) {
  return <section class="pane pane-detail" aria-label="Chat" data-chat={props.chatId} />;
}

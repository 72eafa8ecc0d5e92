"""What the node does to agents: messages, answers, keys, interrupts."""

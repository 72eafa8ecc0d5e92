"""One fleet out of all nodes, with chats, messages and the API that clients use."""

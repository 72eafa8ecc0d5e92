"""The node's own book: which agents it knows, what was asked of it, and what became of that."""

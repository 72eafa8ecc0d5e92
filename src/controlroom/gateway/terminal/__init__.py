"""The terminal channel: the person's own shells in tmux, and agents' panes as a mirror."""

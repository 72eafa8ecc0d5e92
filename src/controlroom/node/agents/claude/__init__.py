"""Claude Code in terminal panes: found by its processes, read from its registry, transcript and screen."""

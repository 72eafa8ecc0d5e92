"""One machine's truth and hands: panes, transcripts, agents, acts."""

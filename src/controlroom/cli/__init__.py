"""The controlroom command: one file for each noun."""

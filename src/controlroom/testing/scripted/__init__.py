"""Scripted agents: programs in panes that look and behave like real ones, for the demo and for tests."""

"""The hub's API as Python calls, for the command line, agents' helpers and tests."""

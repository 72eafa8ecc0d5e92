"""Real agents, their configuration folders, and a real control room, for the tests of this folder."""

"""A control room with scripted agents, and browsers that visit it."""

"""The hub's API: one table of routes, who may use each, the live socket, and the doors they are served on."""

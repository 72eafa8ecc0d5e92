"""The device door's own protocol: Hermes-Relay over WebSocket and HTTP, with terminal and media."""

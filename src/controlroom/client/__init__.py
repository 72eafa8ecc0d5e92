"""The hub's API as Python calls: for the command line, for agents' own commands and for tests."""

from controlroom.client.errors import CannotReach, ClientError, Refused
from controlroom.client.hub import HubClient
from controlroom.client.live import Live, Lost
from controlroom.client.names import find_agent

__all__ = ["CannotReach", "ClientError", "HubClient", "Live", "Lost", "Refused", "find_agent"]

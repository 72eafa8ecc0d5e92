"""Names for the strings and numbers that travel through the house."""

from __future__ import annotations

from typing import NewType

AgentId = NewType("AgentId", str)  # "agt_…": machine, kind and session lineage; survives restarts
ChatId = NewType("ChatId", str)  # "cht_…": one conversation of an agent
MessageId = NewType("MessageId", str)  # "msg_…": made by the client that wrote the message
MachineId = NewType("MachineId", str)  # "mac_…": one node
UnixMs = NewType("UnixMs", int)  # milliseconds since 1970, UTC

__all__ = ["AgentId", "ChatId", "MachineId", "MessageId", "UnixMs"]

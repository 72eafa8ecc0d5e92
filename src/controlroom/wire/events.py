"""Data of the durable events that are not simply the new state of a noun of ``wire.model``.

==================== ============================================================
``agent.changed``    Agent
``agent.gone``       AgentGone: it left the fleet
``chat.items``       ChatItems: a hint, the items are fetched
``chat.hidden``      ChatHidden: something of a chat is hidden, or shown again
``message.changed``  Message; a long text is shortened, ``clipped`` says so
``machine.changed``  Machine
``receipt.added``    Receipt
``question.changed`` Question; long texts are shortened, ``clipped`` says so
``operation.changed`` Operation
``pause.changed``    PauseState
``notification.changed`` Notification, without its lines
``device.changed``   Device: paired, renamed, or its rights are others now
``device.gone``      DeviceGone: revoked, replaced or ended
``account.changed``  Account
``account.gone``     AccountGone: no profile is signed in to it any more
==================== ============================================================
"""

from __future__ import annotations

from controlroom.wire.model import Struct


class AgentGone(Struct, frozen=True, kw_only=True):
    """An agent is not in the fleet any more. Its chat can still be read."""

    id: str
    chat_id: str


class ChatItems(Struct, frozen=True, kw_only=True):
    """A chat has new or changed items behind the cursor ``after`` (None: read the chat anew)."""

    chat_id: str
    agent_id: str
    after: str | None
    count: int
    last: str  # the newest words, at most 300 characters


class ChatHidden(Struct, frozen=True, kw_only=True):
    """Something of a chat is hidden on all devices, or shown again (``is_hidden`` false).

    ``item_id`` names one item; without it it is the whole chat: ``before_ms`` is the time up to which all of
    it is hidden now (None: nothing is)."""

    chat_id: str
    agent_id: str
    is_hidden: bool
    item_id: str | None = None
    before_ms: int | None = None


class AccountGone(Struct, frozen=True, kw_only=True):
    """An account that no profile of any machine is signed in to any more."""

    id: str


class DeviceGone(Struct, frozen=True, kw_only=True):
    """A device is not paired any more."""

    id: str

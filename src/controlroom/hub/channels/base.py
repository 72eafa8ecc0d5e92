"""The port: what a channel gets, and what it answers.

A channel brings one notice to one target, once, and says what came of it. It keeps no queue of its own, tries
nothing twice and knows no settings of the person: whether, when and how often is decided by the hub's
notification service, which keeps the record. A channel cuts what does not fit, and never puts more into a
notice than it was given. Errors never leave ``send`` and ``clear``; their answer says what the caller does:

==============  ==================================================================================
``Delivered``   the other side took it; whether anybody saw it is not known
``Gone``        this target has ended for good (404, 410, unregistered): forget it
``Again``       busy, away, too many: try again, not before ``after_ms`` when the other side named a time
``Refused``     this will not work again by itself: the text tells a person why; a health item
==============  ==================================================================================

Texts of answers are sentences for people. They hold no address, no key and nothing of the notice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from controlroom.core.notify.model import Urgency

SEND_S = 20.0  # for one attempt, everything included; push services answer within a second


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """A button: the option of a question that it chooses. Only where the question allows it."""

    id: str  # the option's
    label: str


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """What a device shows, in the words it shows. Everything in it may be read on a locked screen.

    ``tag``: a newer notice with the same tag replaces the older one, on the device and on the way to it.
    ``open``: the place in the app that a tap opens, such as ``inbox/qst_3f``; never an address.
    ``gone``: tags that need nobody any more; a device takes them away when it hears this notice.
    """

    id: str  # of its record; the same for all targets and tries
    kind: str
    tag: str
    title: str
    body: str
    open: str
    at_ms: int
    badge: int
    urgency: Urgency = "normal"
    ttl_s: int = 3600  # worth nothing later than this
    actions: tuple[Action, ...] = ()
    question_id: str | None = None
    agent_id: str | None = None
    chat_id: str | None = None
    gone: tuple[str, ...] = ()


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """One subscription: where a channel reaches one device, or the person when ``device_id`` is None.

    ``address`` is the channel's own: an endpoint, a token, an address with a secret in it. It is never
    logged, never in a record and never shown. ``keys``: what the channel needs beside it.
    """

    id: str  # "sub_…"; the one name of it that others use
    channel: str
    device_id: str | None
    address: str
    keys: dict[str, str] = {}
    name: str = ""  # for people: the device's, or what the person calls it

    def __repr__(self) -> str:
        return f"Target({self.id}, {self.channel})"


class Delivered(msgspec.Struct, frozen=True):
    """``cut``: the text did not fit and lost its end."""

    cut: bool = False


class Gone(msgspec.Struct, frozen=True):
    text: str


class Again(msgspec.Struct, frozen=True):
    """``after_ms``: wall clock; None: the other side said nothing."""

    text: str
    after_ms: int | None = None


class Refused(msgspec.Struct, frozen=True):
    """``whole_channel``: every target of it fails like this (a refused key, a missing program), so that
    one health item is enough."""

    text: str
    whole_channel: bool = False


Answer = Delivered | Gone | Again | Refused


class Channel(Protocol):
    """One way. Calls for different targets may run at the same time."""

    @property
    def name(self) -> str:
        """``webpush``, ``apns``, ``fcm``, ``proactive`` or ``apprise``: ``Target.channel``."""

    @property
    def clears(self) -> bool:
        """Whether ``clear`` reaches a device without showing anything there. Web Push cannot: a browser shows
        a notice of its own when a push showed none. Its devices hear of it in ``Notice.gone``, and at once
        over their live sockets while the app is open."""

    async def send(self, target: Target, notice: Notice) -> Answer:
        """Hand one notice over, within SEND_S. The same ``notice.id`` may come again after an ``Again``."""

    async def clear(self, target: Target, tags: Sequence[str], badge: int) -> Answer:
        """Take notices away from a device, and set its badge. Only called when ``clears``."""

    async def aclose(self) -> None:
        """Let go of connections. Nothing is sent afterwards."""


class Targets(Protocol):
    """The book of subscriptions (``hub/channels/subscriptions.py``), stored with their devices."""

    def all(self) -> Sequence[Target]:
        """Living ones of living devices, oldest first."""

    async def forget(self, target_id: str) -> None:
        """It has ended. Raises DatabaseTrouble."""

    def on_change(self, call: Callable[[], None]) -> None:
        """``call()`` when a target was added, moved or has ended."""

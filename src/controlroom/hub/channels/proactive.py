"""To the relay's own app on a phone: a queue on disk for each device, which its open socket empties.

The relay protocol has no acknowledgement: a message counts as handed over when the device's socket took it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from controlroom.hub.channels.base import Again, Answer, Delivered, Notice, Target
from controlroom.hub.channels.payload import cut, trimmed
from controlroom.hub.channels.subscriptions import Subscriptions
from controlroom.hub.store import phone_rows
from controlroom.hub.store.phone_rows import PhoneRow
from controlroom.hub.store.store import Store
from controlroom.kit.clock import Clock
from controlroom.kit.sql import DatabaseTrouble
from controlroom.wire.device import Device
from controlroom.wire.push import PhoneMessage

NAME: Final = "proactive"
MOST: Final = 50  # for one device (relay contract section 11.2)
LONGEST_S: Final = 24 * 3600  # the contract's
LONGEST_TEXT: Final = 1000  # characters; the app shows a line or two


class PhoneMail:
    """Implements ``gateway.ports.PhoneMail``, and the channel ``proactive`` over it."""

    name: Final = NAME
    clears: Final = True  # what has not been fetched yet

    def __init__(self, store: Store, book: Subscriptions, clock: Clock) -> None:
        self._store = store
        self._book = book
        self._clock = clock
        self._at_mail: list[Callable[[str], None]] = []

    # ---- the channel -----------------------------------------------------------------------------------

    async def send(self, target: Target, notice: Notice) -> Answer:
        device_id = target.address
        message, is_cut = _message(notice)
        ends_ms = self._clock.now_ms() + min(notice.ttl_s, LONGEST_S) * 1000
        try:
            await self._store.change(
                lambda change: phone_rows.put(change, device_id, notice.tag, message, ends_ms, most=MOST)
            )
        except DatabaseTrouble:
            return Again("The queue for this phone cannot be stored now.")
        for call in self._at_mail:
            call(device_id)
        return Delivered(cut=is_cut)

    async def clear(self, target: Target, tags: Sequence[str], badge: int) -> Answer:
        try:
            await self._store.change(lambda change: phone_rows.drop_tags(change, target.address, tags))
        except DatabaseTrouble:
            return Again("The queue for this phone cannot be stored now.")
        return Delivered()

    async def aclose(self) -> None:
        """Nothing is held open."""

    # ---- the phone's side ------------------------------------------------------------------------------

    async def subscribed(self, device: Device) -> None:
        """This device wants messages from now on. Raises DatabaseTrouble."""
        await self._book.subscribe(device, NAME, device.id, {})

    async def waiting(self, device_id: str) -> Sequence[PhoneRow]:
        """Oldest first. Raises DatabaseTrouble."""
        now_ms = self._clock.now_ms()
        return await self._store.read(lambda c: phone_rows.waiting(c, device_id, now_ms))

    async def took(self, number: int) -> None:
        """Raises DatabaseTrouble."""
        await self._store.change(lambda change: phone_rows.took(change, number))

    async def cancel(self, device_id: str, message_id: str | None) -> None:
        """One, or all. Raises DatabaseTrouble."""
        await self._store.change(lambda change: phone_rows.drop(change, device_id, message_id))

    def on_mail(self, call: Callable[[str], None]) -> None:
        """``call(device id)`` when something waits for it."""
        self._at_mail.append(call)


def _message(notice: Notice) -> tuple[PhoneMessage, bool]:
    notice = trimmed(notice)
    text = cut(notice.body, LONGEST_TEXT)
    metadata: dict[str, str | int | bool] = {
        "kind": notice.kind,
        "tag": notice.tag,
        "open": notice.open,
        "badge": notice.badge,
        "urgent": notice.urgency == "high",
    }
    if notice.question_id is not None:
        metadata["question_id"] = notice.question_id
    if notice.agent_id is not None:
        metadata["agent_id"] = notice.agent_id
    return (
        PhoneMessage(
            message_id=notice.id,
            chat_id=notice.chat_id,
            text=text or notice.title,
            title=notice.title,
            sent_at=notice.at_ms,
            metadata=metadata,
        ),
        text != notice.body,
    )

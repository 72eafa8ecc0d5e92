"""Keys and pastes in a pane: only when it still holds the agent and shows what the person saw."""

from __future__ import annotations

from typing import Any, cast

import pytest

from controlroom.core.screen import Cursor, Frame
from controlroom.node.acts.hands import Hands
from controlroom.node.agents.base import Sighting
from controlroom.node.mux.base import PaneBusy, PaneGone, PaneRef, PaneUnsure
from controlroom.node.watch import Mirror
from controlroom.node.world import PaneWorld
from controlroom.wire.node import ActResult

PANE = PaneRef("fake", "/run/fake", "%1")
WHO = cast(Sighting, object())


class Room:
    """A world with one pane, and what was typed into it."""

    def __init__(self, *, holds: bool = True, revision: str = "r1", error: Exception | None = None) -> None:
        self.typed: list[object] = []
        self.pokes = 0
        self._holds = holds
        self._revision = revision
        self._error = error
        self.asks = False
        self.hands = Hands(cast(PaneWorld, self), cast(Mirror, self))

    async def still(self, who: Sighting) -> bool:
        return self._holds

    async def frame(self, pane: PaneRef) -> Frame:
        cursor = Cursor(row=0, column=0)
        return Frame(
            revision=self._revision, width=1, height=0, cursor=cursor, rows=(), ansi=(), alternate=False
        )

    async def keys(self, pane: PaneRef, keys: tuple[str, ...]) -> None:
        if self._error is not None:
            raise self._error
        self.typed.append(keys)

    async def paste(self, pane: PaneRef, text: str) -> None:
        if self._error is not None:
            raise self._error
        self.typed.append(text)

    def poke(self, pane: PaneRef) -> None:
        self.pokes += 1

    async def press(
        self, keys: tuple[str, ...] = (), seen: str | None = None, blocked: bool = False, paste: str = ""
    ) -> ActResult:
        return await self.hands.press(
            WHO, PANE, keys, seen, paste=paste, must_have_seen=blocked, asks=lambda frame: self.asks
        )


async def test_a_paste_comes_before_its_keys_and_wakes_the_mirror() -> None:
    room = Room()
    assert (await room.press(("Enter",), paste="two\nlines")).code == "ok"
    assert room.typed == ["two\nlines", ("Enter",)]
    assert room.pokes == 1


async def test_a_paste_needs_no_keys() -> None:
    room = Room()
    assert (await room.press(paste="hello")).code == "ok"
    assert room.typed == ["hello"]


@pytest.mark.parametrize(
    ("room", "wish", "code"),
    [
        (Room(), {}, "bad_request"),  # neither keys nor a paste
        (Room(), {"keys": ("Nope",)}, "bad_request"),
        (Room(), {"keys": ("No",), "paste": "text"}, "bad_request"),
        (Room(), {"paste": "text", "blocked": True}, "bad_request"),  # a dialog that nobody saw
        (Room(), {"paste": "text", "seen": "r0"}, "changed"),
        (Room(holds=False), {"paste": "text"}, "changed"),
        (Room(error=PaneGone()), {"paste": "text"}, "changed"),
        (Room(error=PaneUnsure()), {"paste": "text"}, "failed"),
        (Room(error=PaneBusy()), {"keys": ("Enter",)}, "failed"),
    ],
)
async def test_what_must_not_be_typed_is_not(room: Room, wish: dict[str, Any], code: str) -> None:
    assert (await room.press(**wish)).code == code
    assert (room.typed, room.pokes) == ([], 0)


async def test_a_dialog_takes_a_paste_from_the_screen_that_was_seen() -> None:
    room = Room()
    assert (await room.press(paste="no", seen="r1", blocked=True)).code == "ok"
    assert room.typed == ["no"]


async def test_a_dialog_that_appeared_while_somebody_types_takes_no_key() -> None:
    """The look a second ago saw none; the screen right before the key does."""
    room = Room()
    room.asks = True
    assert (await room.press(("Enter",))).code == "changed"
    assert room.typed == []
    assert (await room.press(("Enter",), seen="r1")).code == "ok"

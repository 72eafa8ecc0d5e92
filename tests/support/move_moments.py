"""The moments of a move, as docs/explain/moves.md names them, and a node that is killed at one.

A moment is ``EFFECT before``, ``EFFECT unsaved`` (it was done, and nobody wrote that down) or ``EFFECT
after``; on the way back it is ``EFFECT back before`` and so on.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from controlroom.core.operations import Effect
from controlroom.node.acts.moves import Moves
from controlroom.node.acts.operations import Operations
from controlroom.node.journal.records import Errand
from controlroom.node.world import PaneWorld

PAGE = Path(__file__).parents[2] / "docs" / "explain" / "moves.md"


def moments(heading: str) -> list[str]:
    """The first column of the table under this heading."""
    section = PAGE.read_text().partition(f"\n### {heading}\n")[2].partition("\n#")[0]
    return re.findall(r"^\| `([a-z ]+)` \|", section, re.MULTILINE)


THERE, BACK = moments("On the way there"), moments("On the way back")


@contextmanager
def killed_at(moment: str) -> Iterator[None]:
    """This process kills itself (SIGKILL) when a node in it comes to this moment of a move, its only one."""
    doing = ""
    do_perform, do_copy, do_open = Operations._perform, Moves.copy, PaneWorld.open_window

    def at(when: str) -> None:
        if f"{doing} {when}" == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    async def perform(self: Operations, id: str, effect: Effect) -> None:
        nonlocal doing
        heading = self._errand(id).saga.heading
        doing = type(effect).__name__.lower() + (" back" if heading == "back" else "")
        at("before")
        await do_perform(self, id, effect)
        at("after")

    async def copy(self: Moves, id: str, errand: Errand) -> Errand:
        copied = await do_copy(self, id, errand)
        at("unsaved")
        return copied

    async def open_window(self: PaneWorld, *about: Any, **more: Any) -> Any:
        opened = await do_open(self, *about, **more)
        at("unsaved")
        return opened

    with (
        patch.object(Operations, "_perform", perform),
        patch.object(Moves, "copy", copy),
        patch.object(PaneWorld, "open_window", open_window),
    ):
        yield

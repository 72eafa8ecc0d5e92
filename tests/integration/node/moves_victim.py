"""A node that moves one agent and kills itself (SIGKILL) at one moment of it.

``python moves_victim.py FOLDER AGENT PROFILE MOMENT``; a moment is ``EFFECT before``, ``EFFECT unsaved`` (it
was done, and nobody wrote that down) or ``EFFECT after``; on the way back it is ``EFFECT back``.
It ends with 0 when the operation was over before its moment came.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any
from unittest.mock import patch

from controlroom.core.operations import Effect
from controlroom.node.acts.moves import Moves
from controlroom.node.acts.operations import Operations
from controlroom.node.journal.records import Errand
from controlroom.node.world import PaneWorld
from controlroom.wire.node import OperateAct
from tests.integration.node.operations_stage import Stage, run_node

_doing = ""


def at(when: str) -> None:
    if f"{_doing} {when}" == sys.argv[4]:
        os.kill(os.getpid(), signal.SIGKILL)


async def perform(self: Operations, id: str, effect: Effect) -> None:
    global _doing
    heading = self._errand(id).saga.heading
    _doing = type(effect).__name__.lower() + (" back" if heading == "back" else "")
    at("before")
    await _PERFORM(self, id, effect)
    at("after")


async def copy(self: Moves, id: str, errand: Errand) -> Errand:
    copied = await _COPY(self, id, errand)
    at("unsaved")
    return copied


async def open_window(self: PaneWorld, *about: Any, **more: Any) -> Any:
    opened = await _OPEN(self, *about, **more)
    at("unsaved")
    return opened


_PERFORM, _COPY, _OPEN = Operations._perform, Moves.copy, PaneWorld.open_window


async def main() -> None:
    folder, agent_id, profile = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    node = await run_node(folder)
    stage = Stage.around(folder, node)
    await stage.done(OperateAct(id="op_1", kind="move", agent_id=agent_id, profile=profile))
    await node.aclose()


if __name__ == "__main__":
    with (
        patch.object(Operations, "_perform", perform),
        patch.object(Moves, "copy", copy),
        patch.object(PaneWorld, "open_window", open_window),
    ):
        try:
            asyncio.run(main())
        except BaseException:
            traceback.print_exc()
            os._exit(1)  # threads of its database may still wait

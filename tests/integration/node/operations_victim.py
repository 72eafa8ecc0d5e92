"""A node that does one operation and kills itself (SIGKILL) at one moment of it.

``python operations_victim.py FOLDER AGENT KIND MOMENT``: moments are before and after each write and each
effect. It ends with 0 when the operation was over before its moment came.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import traceback
from pathlib import Path
from unittest.mock import patch

import msgspec

from controlroom.core.operations import Effect, Kind
from controlroom.node.acts.operations import Operations
from controlroom.node.journal.records import ActRecord, Errand
from controlroom.wire.node import OperateAct
from tests.integration.node.operations_stage import Stage, run_node

moments = 0


def moment() -> None:
    global moments
    moments += 1
    if moments == int(sys.argv[4]):
        os.kill(os.getpid(), signal.SIGKILL)


async def put(self: Operations, record: ActRecord, errand: Errand) -> None:
    moment()
    await _PUT(self, record, errand)
    moment()


async def perform(self: Operations, id: str, effect: Effect) -> None:
    await _PERFORM(self, id, effect)
    moment()


_PUT, _PERFORM = Operations._put, Operations._perform


async def main() -> None:
    folder, agent_id, kind = Path(sys.argv[1]), sys.argv[2], msgspec.convert(sys.argv[3], Kind)
    node = await run_node(folder)
    stage = Stage.around(folder, node)
    act = OperateAct(id="op_1", kind=kind, agent_id=agent_id, name="pears" if kind == "rename" else "")
    await stage.done(act)
    await node.aclose()


if __name__ == "__main__":
    with patch.object(Operations, "_put", put), patch.object(Operations, "_perform", perform):
        try:
            asyncio.run(main())
        except BaseException:
            traceback.print_exc()
            os._exit(1)  # threads of its database may still wait

"""A node that moves one agent and kills itself (SIGKILL) at one moment of it: see tests.support.move_moments.

``python moves_victim.py FOLDER AGENT PROFILE MOMENT``. It ends with 0 when the operation was over before its
moment came.
"""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from pathlib import Path

from controlroom.wire.node import OperateAct
from tests.integration.node.operations_stage import Stage, run_node
from tests.support.move_moments import killed_at


async def main() -> None:
    folder, agent_id, profile = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    node = await run_node(folder)
    stage = Stage.around(folder, node)
    await stage.done(OperateAct(id="op_1", kind="move", agent_id=agent_id, profile=profile))
    await node.aclose()


if __name__ == "__main__":
    with killed_at(sys.argv[4]):
        try:
            asyncio.run(main())
        except BaseException:
            traceback.print_exc()
            os._exit(1)  # threads of its database may still wait

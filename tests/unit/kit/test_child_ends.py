"""A program that is to end with us is ended when we are killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.waiting import until_now

PARENT = """
import asyncio, os
from controlroom.kit.child import Child

async def main():
    words = ["/bin/sh", "-c", "echo $$; exec sleep 600"]
    child = await Child.spawn(words, os.environ, lambda fd, data: os.write(1, data), ends_with_us=True)
    await child.finished()

asyncio.run(main())
"""


def has_ended(pid: int) -> bool:
    """Whether it is gone, or waits for nothing but to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"Z"
    except OSError:
        return True


def test_it_ends_when_we_are_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert not has_ended(pid)
        parent.kill()
    until_now(lambda: has_ended(pid), "the child has ended")

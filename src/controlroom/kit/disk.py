"""Whether the disk of the data folder has room: what people send is kept there until it arrives."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from controlroom.kit.health import HealthBoard

FREE_BYTES = 100_000_000
"""Below this little room the databases, their copies before a migration and the log may not fit any more."""

EVERY_S = 5.0  # one statvfs; a person who makes room sees the item vanish soon
DO = "Make room: messages are kept there until they arrive."


def too_little(path: Path) -> str:
    """What is wrong, for people; "" when there is room. Raises OSError when the folder cannot be read."""
    free = shutil.disk_usage(path).free
    return f"Only {free // 1_000_000} MB are free on the disk of {path}." if free < FREE_BYTES else ""


async def watch_disk(path: Path, health: HealthBoard) -> None:
    """Keep a health item while there is too little room. Never returns.

    A write that fails says so itself, but the next small one may succeed: this item stays as long as the
    trouble does.
    """
    while True:
        try:
            problem = too_little(path)
        except OSError as error:
            problem = f"The data folder {path} cannot be read: {error.strerror}."
        if problem:
            health.raise_("disk", problem, DO)
        else:
            health.clear("disk")
        await asyncio.sleep(EVERY_S)

"""Whether the disk of the data folder has room: what people send is kept there until it arrives."""

from __future__ import annotations

import shutil
from pathlib import Path

FREE_BYTES = 100_000_000
"""Below this little room the databases, their copies before a migration and the log may not fit any more."""

DO = "Make room: messages are kept there until they arrive."


def too_little(path: Path) -> str:
    """What is wrong, for people; "" when there is room. Raises OSError when the folder cannot be read."""
    free = shutil.disk_usage(path).free
    return f"Only {free // 1_000_000} MB are free on the disk of {path}." if free < FREE_BYTES else ""

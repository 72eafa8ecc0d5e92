"""The services that the person set up: a private file in the data folder, a line ``NAME = ADDRESS`` each.

Addresses hold logins, so they stand in no setting, no log and no answer. The file is
read again when it changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controlroom.core.text import clean_line
from controlroom.hub.channels.base import Target

FILE: Final = "notify-services"
CHANNEL: Final = "apprise"
MOST: Final = 20
LONGEST_FILE: Final = 65_536  # bytes


class Services:
    """``targets`` of one data folder. A file that others may read is made private."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._seen: tuple[int, int] | None = None
        self._targets: tuple[Target, ...] = ()

    def targets(self) -> Sequence[Target]:
        """None without a file, and while it cannot be read."""
        try:
            now = self._path.stat()
            if now.st_mode & 0o077:
                self._path.chmod(0o600)
            if self._seen != (now.st_mtime_ns, now.st_size):
                self._targets = read_services(
                    self._path.read_bytes()[:LONGEST_FILE].decode("utf-8", "replace")
                )
                self._seen = (now.st_mtime_ns, now.st_size)
        except OSError:
            self._seen, self._targets = None, ()
        return self._targets


def read_services(text: str) -> tuple[Target, ...]:
    """The targets of such a file. Lines that say nothing are left out; ids stay while a line stays."""
    targets: dict[str, Target] = {}
    for line in text.splitlines():
        name, _, address = (part.strip() for part in line.partition("="))
        if name.startswith("#") or not name or "://" not in address:
            continue
        id_ = f"sub_{hashlib.sha256(f'{name}={address}'.encode()).hexdigest()[:24]}"
        shown = clean_line(name, 60)
        targets[id_] = Target(id=id_, channel=CHANNEL, device_id=None, address=address, name=shown)
    return tuple(targets.values())[:MOST]

"""A whole control room, as ``up`` runs it, beside a person's logins: it reads usage and touches nothing."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from controlroom.client import CannotReach, HubClient
from tests.integration.node.usage_stage import REFRESH, TOKEN, Desk, Service, stamps
from tests.support.inotify import CHANGES, Watched
from tests.support.waiting import until


class Up:
    """``controlroom up`` in a process of its own; ``family`` are it and its children."""

    def __init__(self, folder: Path, named: list[str], url: str) -> None:
        self.home = folder / "room"
        self._environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder / "nobody"),
            "TMUX_TMPDIR": str(folder),
            "LANG": "C.UTF-8",
            "CONTROLROOM_PROFILES_FOLDERS": ",".join(named),
            "CONTROLROOM_USAGE_CLAUDE_URL": url,
            "CONTROLROOM_USAGE_EVERY_S": "30",
        }
        self._process: asyncio.subprocess.Process
        self.output = folder / "output"

    async def __aenter__(self) -> Up:
        with self.output.open("wb") as output:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "controlroom.cli.main"),
                *("up", "--home", str(self.home), "--port", "0"),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=asyncio.subprocess.STDOUT,
                env=self._environ,
            )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)
            await asyncio.wait_for(self._process.wait(), 20)

    def family(self) -> list[int]:
        found, todo = [], [self._process.pid]
        while todo:
            pid = todo.pop()
            found.append(pid)
            with contextlib.suppress(OSError):
                children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
                todo += [int(child) for child in children.split()]
        return found


@pytest.fixture
def folder() -> Iterator[Path]:
    """Short: socket paths end at 100 bytes."""
    with tempfile.TemporaryDirectory(prefix="acr") as path:
        yield Path(path)


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    service = Service()
    await service.start()
    yield service
    await service.aclose()


async def test_a_control_room_beside_logins_writes_copies_and_refreshes_none(
    folder: Path, service: Service
) -> None:
    desk = Desk(folder, service)
    far = 4_000_000_000_000  # this one runs on the real clock
    logins = [
        desk.claude("work", expires_ms=far),
        desk.claude("idle", account="a-2", expires_ms=1),
        desk.codex("robot"),
    ]
    log = logins[0] / "projects" / "p" / "ses.jsonl"
    log.parent.mkdir()
    usage = {"input_tokens": 10, "output_tokens": 5}
    message = {"id": "msg_1", "model": "claude-opus-5-5", "usage": usage}
    row = {"type": "assistant", "timestamp": "2026-11-30T00:00:00Z", "sessionId": "ses", "message": message}
    log.write_text(json.dumps(row, separators=(",", ":")) + "\n")
    before = stamps(*logins)
    watched = Watched(logins)
    async with Up(folder, desk.named, service.url) as up:

        async def knows() -> bool:
            try:
                async with HubClient(up.home / "control.sock") as hub:
                    rows = (await hub.usage("model")).rows
                    return any(one.windows for one in await hub.accounts()) and bool(rows)
            except CannotReach:
                return False

        await until(knows, "the accounts", within_s=60)
        seen = b""
        for pid in up.family():
            seen += Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes()
    events = watched.taken()
    watched.close()
    assert any(name == ".credentials.json" for _, name in events)
    assert [event for event in events if event[0] & CHANGES] == []
    assert stamps(*logins) == before
    assert service.refreshes == 0
    assert len(service.asked) >= 1
    kept = (
        b"".join(path.read_bytes() for path in up.home.rglob("*") if path.is_file()) + up.output.read_bytes()
    )
    for secret in (TOKEN.encode(), REFRESH.encode()):
        assert secret not in seen
        assert secret not in kept

"""What it costs to count what agents used: gigabytes of transcripts at first, then what is new.

``BENCH_USAGE_MB`` sets the size (2048). ``CCUSAGE`` names the program ccusage: it counts the same files, and
its totals are compared with ours.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Row
from controlroom.core.tokens import Sum, Tokens
from controlroom.kit.clock import SystemClock
from controlroom.kit.health import HealthBoard
from controlroom.kit.settings import Profiles, Settings, Usage
from controlroom.kit.sql import Database
from controlroom.node.journal.journal import SCHEMA
from controlroom.node.journal.usage import UsageJournal
from controlroom.node.usage.part import UsagePart
from controlroom.wire.usage import UsageRow, UsageState

SESSIONS_OF_A_GIGABYTE = 500
INCREMENT_MS = 50.0
ROUNDS = 7
COPIED_EVERY = 20  # so many sessions, one lies in the other profile too
_WORDS = "the pump of the north bed starts at night because the pressure is higher then and nobody waters "


def counting() -> list[Row]:
    """The first reading of a large history, and a round after one more answer."""
    size = int(os.environ.get("BENCH_USAGE_MB", "2048")) * 1_000_000
    folder = Path(tempfile.mkdtemp(prefix="acrusage"))
    try:
        written = _corpus(folder, size)
        return asyncio.run(_measure(folder, written))
    finally:
        shutil.rmtree(folder)


def _corpus(folder: Path, size: int) -> int:
    """Sessions of about this many bytes in two profiles; some lie in both. Returns the bytes."""
    sessions = max(4, SESSIONS_OF_A_GIGABYTE * size // 1_000_000_000)
    written = 0
    for profile in ("one", "two"):
        (folder / profile / "projects" / "p").mkdir(parents=True)
    for number in range(sessions):
        path = folder / ("one", "two")[number % 2] / "projects" / "p" / f"session-{number:06}.jsonl"
        with path.open("wb") as file:
            for row in _rows(number, size // sessions):
                file.write(row)
        written += path.stat().st_size
        if number % COPIED_EVERY == 0:
            copy = folder / ("two", "one")[number % 2] / "projects" / "p" / path.name
            shutil.copy2(path, copy)
            written += copy.stat().st_size
    return written


def _rows(number: int, size: int) -> Iterator[bytes]:
    """Prompts, answers of two blocks, and results of tools, as a busy session has them."""
    at = 0
    while size > 0:
        for row in _turn(number, at):
            size -= len(row)
            yield row
        at += 1


def _turn(number: int, at: int) -> Iterator[bytes]:
    when = f"2026-11-{1 + at % 28:02}T{number % 24:02}:{at % 60:02}:00.000Z"
    common = {
        "timestamp": when,
        "sessionId": f"session-{number:06}",
        "version": "2.1.332",
        "cwd": "/home/kim/beds",
    }
    yield _line({"type": "user", **common, "message": {"role": "user", "content": _WORDS * 3}})
    tokens = {
        "input_tokens": 12 + at % 7,
        "cache_read_input_tokens": 20_000 + at,
        "cache_creation_input_tokens": 300 + at % 50,
        "cache_creation": {"ephemeral_5m_input_tokens": 300 + at % 50, "ephemeral_1h_input_tokens": 0},
    }
    for block, output in enumerate((3, 400 + at % 90)):
        message = {
            "id": f"msg_{number:06}_{at:06}",
            "role": "assistant",
            "model": ("claude-opus-4-5-20251101", "claude-haiku-4-5-20251001")[number % 3 == 0],
            "content": [{"type": "text", "text": _WORDS * 8}],
            "usage": {**tokens, "output_tokens": output},
        }
        row = {"type": "assistant", **common, "requestId": f"req_{number:06}_{at:06}", "message": message}
        yield _line({**row, "uuid": f"{number:06}-{at:06}-{block}"})
    result = {"type": "tool_result", "content": _WORDS * (20 + at % 150)}
    yield _line({"type": "user", **common, "message": {"role": "user", "content": [result]}})


def _line(row: dict[str, object]) -> bytes:
    return json.dumps(row, separators=(",", ":")).encode() + b"\n"


async def _measure(folder: Path, written: int) -> list[Row]:
    clock = SystemClock()
    health = HealthBoard(clock)
    database = Database(folder / "node.sqlite", SCHEMA, clock=clock, health=health)
    await database.start()
    told: list[UsageState] = []
    try:
        part = UsagePart(
            machine_id="mac_1",
            settings=Settings(
                usage=Usage(endpoint=False),
                profiles=Profiles(folders=tuple(f"claude:{name}={folder / name}" for name in ("one", "two"))),
            ),
            journal=UsageJournal(database),
            spool=folder / "status-lines",
            living=lambda: (),
            sessions=dict,
            changed=lambda state: _note(told, state),
            home=None,
            environ={},
            clock=clock,
            health=health,
        )
        await part.load()
        before_mb = _peak_mb()
        began = time.perf_counter()
        await part.look()
        first_s = time.perf_counter() - began
        grown_mb = _peak_mb() - before_mb
        took = []
        for round_ in range(ROUNDS):
            _append(folder, round_)
            began = time.perf_counter()
            await part.look()
            took.append((time.perf_counter() - began) * 1000)
        began = time.perf_counter()
        report = await part.report("model")
        report_ms = (time.perf_counter() - began) * 1000
    finally:
        await database.aclose()
    total = sum((_sum(row) for row in report.rows), Sum())
    shown = sum(state.reading is not None for state in told)
    median = sorted(took)[ROUNDS // 2]
    return [
        Row(
            f"counting {written / 1e9:.1f} GB of transcripts at first ({total.answers:,} answers)",
            f"{first_s:.1f} s, {written / 1e6 / first_s:.0f} MB/s, +{grown_mb:.0f} MB, told {shown} times",
            "progress shown",
        ),
        Row("counting one more answer", f"{median:.0f} ms", f"{INCREMENT_MS:.0f} ms", median / INCREMENT_MS),
        Row("adding up what was used, by model", f"{report_ms:.0f} ms", "–"),
        *_compared(folder, total),
    ]


async def _note(told: list[UsageState], state: UsageState) -> None:
    told.append(state)


def _sum(row: UsageRow) -> Sum:
    """What was written to caches is one number there."""
    tokens = Tokens(
        input=row.input_tokens,
        cache_read=row.cache_read_tokens,
        cache_write=row.cache_write_tokens,
        output=row.output_tokens,
    )
    return Sum(tokens, row.answers)


def _append(folder: Path, round_: int) -> None:
    with (folder / "one" / "projects" / "p" / "session-000000.jsonl").open("ab") as file:
        for row in _turn(0, 900_000 + round_):
            file.write(row)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def _compared(folder: Path, ours: Sum) -> list[Row]:
    """The totals and the time of ccusage on the same files, when it is there."""
    program = os.environ.get("CCUSAGE")
    if not program:
        return []
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder / "nobody"),
        "CLAUDE_CONFIG_DIR": f"{folder / 'one'},{folder / 'two'}",
    }
    began = time.perf_counter()
    done = subprocess.run(
        [program, "claude", "daily", "--json", "--offline"],
        env=environ,
        capture_output=True,
        check=True,
        timeout=600,
    )
    took_s = time.perf_counter() - began
    theirs = json.loads(done.stdout)["totals"]
    mine = ours.tokens
    pairs = {
        "input": (mine.input, theirs["inputTokens"]),
        "cached": (mine.cache_read, theirs["cacheReadTokens"]),
        "written": (mine.cache_write, theirs["cacheCreationTokens"]),
        "output": (mine.output, theirs["outputTokens"]),
    }
    differing = {name: other - own for name, (own, other) in pairs.items() if own != other}
    said = "the same totals" if not differing else f"differs by {differing}"
    return [Row("ccusage on the same files, each time anew", f"{took_s:.1f} s, {said}", "the same totals")]

"""What a move of a large session costs beyond the agent's own end and start: its files."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import time
from pathlib import Path

from bench.measure import Row, percentile
from controlroom.node.acts.carrying import carry, forget
from controlroom.node.agents.claude import moving as claude

BYTES = 100_000_000
HELPERS = 60
HELPER_BYTES = 200_000
ROUNDS = 5
TARGET_S = 3.0
_SESSION = "5109abef-1111-4222-8333-444455556666"


def moving() -> list[Row]:
    """A session of 100 MB with helpers, into a profile that does not have it, and back when it has grown."""
    folder = Path(tempfile.mkdtemp(prefix="acrmove"))
    try:
        source, target = _profile(folder / "one"), folder / "two"
        there = []
        for number in range(ROUNDS):
            target.mkdir()
            there.append(_carry(source, target, folder / f"there{number}"))
            if number < ROUNDS - 1:
                shutil.rmtree(target)
        with _transcript(target).open("ab") as file:
            file.write(_row(1))
        back = _carry(target, source, folder / "back")
    finally:
        shutil.rmtree(folder)
    middle = percentile(there, 0.5)
    what = f"copying a session of {BYTES // 1_000_000} MB with {HELPERS} helpers"
    return [
        Row(f"{what}, the middle of {ROUNDS}", f"{middle:.2f} s", f"{TARGET_S:.0f} s", middle / TARGET_S),
        Row("… back, when it has grown", f"{back:.2f} s", f"{TARGET_S:.0f} s", back / TARGET_S),
    ]


def _profile(folder: Path) -> Path:
    transcript = _transcript(folder)
    helpers = transcript.with_suffix("") / "subagents"
    helpers.mkdir(parents=True)
    _fill(transcript, BYTES)
    for number in range(HELPERS):
        _fill(helpers / f"agent-{number:08x}.jsonl", HELPER_BYTES)
        (helpers / f"agent-{number:08x}.meta.json").write_text('{"finished":true}')
    return folder


def _transcript(folder: Path) -> Path:
    return folder / "projects" / "-home-kim-beds" / f"{_SESSION}.jsonl"


def _fill(path: Path, size: int) -> None:
    rows = [_row(length) for length in range(1, 200)]
    with path.open("wb") as file:
        while file.tell() < size:
            file.writelines(rows)


def _row(length: int) -> bytes:
    message = {"role": "user", "content": "the pump of the north bed starts at night " * length}
    return json.dumps({"type": "user", "message": message}, separators=(",", ":")).encode() + b"\n"


def _carry(source: Path, target: Path, memory: Path) -> float:
    async def all_of_it() -> float:
        began = time.perf_counter()
        await carry(claude, _SESSION, str(source), str(target), memory)
        lasted = time.perf_counter() - began
        await forget(memory)
        return lasted

    return asyncio.run(all_of_it())

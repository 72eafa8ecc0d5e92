"""Recorded conversations of the original relay (``tests/fixtures/relay``): rows in order, by scenario."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[1] / "fixtures" / "relay"
CREATED = re.compile(r'"created_at": (1[0-9]{9}\.[0-9]+)')
SETUP = "set-up"  # rows before the first scenario
DAY_S = 86400
FIRST_TTL_S = {"desktop_cli_transcript": DAY_S}  # its pairing was made before the recording began
Row = dict[str, Any]


@dataclass(frozen=True)
class Recording:
    """``rows``: (line number from 1, scenario, row). ``base_s``: the epoch second at which it began."""

    name: str
    rows: tuple[tuple[int, str, Row], ...]
    base_s: float

    @property
    def scenarios(self) -> list[str]:
        return [row["name"] for _, _, row in self.rows if row["kind"] == "scenario"]


def load(name: str) -> Recording:
    """One file."""
    rows: list[tuple[int, str, Row]] = []
    scenario = SETUP
    lines = (FIXTURES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        row = json.loads(line)
        if row["kind"] == "scenario":
            scenario = row["name"]
        rows.append((number, scenario, row))
    return Recording(name, tuple(rows), _base(rows, FIRST_TTL_S.get(name, 30 * DAY_S)))


def _base(rows: list[tuple[int, str, Row]], ttl: float) -> float:
    """When the recording began: from the first session whose lifetime is known."""
    for _, _, row in rows:
        is_pairing = row["kind"] == "http" and row["path"] in {"/pairing/register", "/pairing/mint"}
        if is_pairing and row["status"] == 200 and "request_json" in row:
            ttl = row["request_json"].get("ttl_seconds", 30 * DAY_S)
        message = row.get("message", {})
        if row["kind"] == "ws_recv" and message["type"] == "auth.ok" and message["payload"]["expires_at"]:
            began: float = message["payload"]["expires_at"] - ttl - row.get("t_ms", 0) / 1000
            return began
    found = CREATED.search(json.dumps([row for _, _, row in rows]))
    return float(found[1]) if found else 0.0


def all_scenarios() -> dict[str, list[str]]:
    """The names of every scenario that was ever recorded, by file; also of files that are not kept here."""
    read: dict[str, list[str]] = json.loads((FIXTURES / "scenarios.json").read_text(encoding="utf-8"))
    return read

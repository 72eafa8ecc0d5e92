"""The commands of usage: for people, for scripts, and in front of a status line."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from controlroom.core.usage import Reading
from controlroom.node.usage.status_lines import kept_readings
from controlroom.wire.usage import Account, AccountWindow, Profile, UsageReport, UsageRow
from tests.integration.cli.conftest import Cli
from tests.integration.cli.stub_hub import StubHub
from tests.unit.cli.agents import NOW, agent, fleet

FIXTURE = Path(__file__).parents[2] / "fixtures" / "usage" / "statusline-input-subscription.json"


@pytest.fixture(autouse=True)
def _known(hub: StubHub) -> None:
    hub.fleet = fleet(agent("orchard", id="agt_1"))
    window = AccountWindow(
        name="week",
        length_minutes=10_080,
        used_pct=13.0,
        resets_at_ms=None,
        taken_at_ms=NOW,
        source="endpoint",
        state="fresh",
    )
    hub.accounts = (
        Account(
            id="acc_1",
            kind="claude",
            name="kim@example.com",
            login="ok",
            profiles=("prf_1",),
            windows=(window,),
        ),
    )
    hub.profiles = (
        Profile(id="prf_1", name="work", machine_id="mac_1", kind="claude", folder="/w", account="acc_1"),
    )
    used = UsageRow(
        key="agt_1",
        input_tokens=1,
        cache_read_tokens=2,
        cache_write_tokens=3,
        output_tokens=4,
        answers=5,
        cost_usd=None,
    )
    hub.used = {"agent": UsageReport(rows=(used,), unpriced=("local-llama",))}


def test_usage_for_people_and_for_scripts(cli: Cli) -> None:
    ran = cli("usage")
    assert ran.status == 0
    assert ran.out.startswith("kim@example.com  Claude  signed in\n  week  █░░░░░░░░░  13 % used")
    (account,) = json.loads(cli("usage", "--json").out)
    assert account["windows"][0]["resets_at_ms"] is None


def test_what_agents_used_by_their_names(cli: Cli) -> None:
    assert "orchard" in cli("usage", "--by", "agent").out
    report = json.loads(cli("usage", "--by", "agent", "--json").out)
    assert report["rows"][0]["cost_usd"] is None
    assert report["unpriced"] == ["local-llama"]
    assert cli("usage", "--by", "colour").status == 2


def test_profiles_for_people_and_for_scripts(cli: Cli) -> None:
    assert cli("profiles").out.startswith("work")
    assert [one["id"] for one in json.loads(cli("profiles", "--json").out)] == ["prf_1"]


def give(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def kept(home: Path, folder: str, now_ms: int) -> list[Reading]:
    return kept_readings(home / "status-lines", {folder: ("acc_1", 0)}, now_ms)


def test_a_status_line_keeps_what_it_is_told_and_runs_the_persons_own(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data: dict[str, Any] = json.loads(FIXTURE.read_text())
    give(monkeypatch, json.dumps(data).encode())
    assert cli("statusline", "--", f"cat > {home}/own").status == 0
    assert json.loads((home / "own").read_text()) == data
    readings = kept(home, data["transcript_path"].partition("/projects/")[0], NOW)
    assert {reading.used_pct for reading in readings} == {33.0, 51.0}
    assert {reading.source for reading in readings} == {"status_line"}


def test_the_persons_own_command_decides_how_it_ends(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, b"not json")
    assert cli("statusline", "--", "exit 7").status == 7
    give(monkeypatch, b"{}")
    assert cli("statusline").status == 0
    give(monkeypatch, b"{}")
    assert cli("statusline", "--", "/nowhere/x", "y").status == 1


def test_without_a_control_room_nothing_is_kept(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from controlroom.cli.main import run

    give(monkeypatch, FIXTURE.read_bytes())
    assert run(["--home", str(home / "none"), "statusline"]) == 0
    assert not (home / "none").exists()

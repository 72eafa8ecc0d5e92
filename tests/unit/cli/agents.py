"""Agents and fleets with invented names for the tests of the command line."""

from __future__ import annotations

from typing import Any

from controlroom.wire.model import (
    Agent,
    DialogOption,
    Evidence,
    FaultInfo,
    Finished,
    Fleet,
    LastWords,
    Machine,
    WaitingFor,
    Was,
)

NOW = 1_796_036_400_000
S, MIN, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000


def agent(name: str, activity: Any = "idle", ago_ms: int = MIN, **more: Any) -> Agent:
    given: dict[str, Any] = {
        "id": f"agt_{name.encode().hex()[:12]}",
        "chat_id": f"cht_{name.encode().hex()[:12]}",
        "kind": "claude",
        "machine_id": "mac_1",
        "evidence": Evidence(rule="idle", source="registry", detail="status idle", at_ms=NOW - ago_ms),
        "helpers": 0,
        "unread": 0,
        "folder": "/home/dev/work/orchard",
    }
    return Agent(name=name, activity=activity, since_ms=NOW - ago_ms, **(given | more))


def evidence(detail: str) -> Evidence:
    return Evidence(rule="unknown", source="registry", detail=detail, at_ms=NOW)


def waiting(text: str, ago_ms: int = MIN, **more: Any) -> WaitingFor:
    given: dict[str, Any] = {
        "id": "dlg_1",
        "kind": "permission",
        "options": (
            DialogOption(key="1", label="Yes", risky=False),
            DialogOption(key="2", label="Yes, and don't ask again for: touch, rm", risky=True),
            DialogOption(key="3", label="No", risky=False),
        ),
    }
    return WaitingFor(text=text, since_ms=NOW - ago_ms, **(given | more))


def last(text: str, author: str = "assistant", ago_ms: int = MIN) -> LastWords:
    return LastWords(author=author, text=text, at_ms=NOW - ago_ms)


def machine(name: str = "build-box", **more: Any) -> Machine:
    given: dict[str, Any] = {
        "id": "mac_1",
        "primary": True,
        "online": True,
        "last_seen_ms": NOW,
        "version": "0.1.0",
        "capabilities": (),
    }
    return Machine(name=name, **(given | more))


def fleet(*agents: Agent, machines: tuple[Machine, ...] = ()) -> Fleet:
    return Fleet(seq=7, machines=machines or (machine(),), agents=agents)


PERMISSION = (
    "Bash command\nRun the inventory report\n╌╌╌╌╌╌╌╌\n"
    ' │ python3 -c "import orchard; print(orchard.total([3, 4]))"\n │ > report.txt && cat report.txt\n'
    "╌╌╌╌╌╌╌╌\nDo you want to proceed?"
)


def all_states() -> Fleet:
    """One agent in each state, in an order that no sorting would give."""
    return fleet(
        agent("gone-pear", "gone", 5 * HOUR, evidence=evidence("It quit by itself.")),
        agent("sorter", "idle", 9 * MIN, last=last("please count again", "user"), unread=2),
        agent("old-plum", "idle", 3 * DAY, last=last("All crates are counted.")),
        agent("family", "working", 4 * MIN, header="Reading the 漢字 tables, 3 of 12 ✅"),
        agent("crates", "working", 20 * S, last=last("I will look at the code first.")),
        agent("pickers", "helpers", 90 * S, helpers=4, header="Counting fruit"),
        agent("orchard", "blocked", 30 * MIN, waiting_for=waiting(PERMISSION, 12 * MIN)),
        agent("labels", "question", 72 * MIN, evidence=evidence("Ship the label printer now?")),
        agent(
            "report",
            "idle",
            9 * MIN,
            finished=Finished(
                at_ms=NOW - 9 * MIN, busy_ms=41 * MIN, text="Result: the inventory report says 7."
            ),
        ),
        agent(
            "lost",
            "unknown",
            5 * MIN,
            evidence=evidence("The registry file is missing."),
            was=Was(activity="working", at_ms=NOW - 6 * MIN),
        ),
        agent(
            "printer",
            "idle",
            HOUR,
            kind="codex",
            fault=FaultInfo(
                code="signed_out", text="Signed out. Run codex login in its pane.", since_ms=NOW - 5 * HOUR
            ),
        ),
        agent("fresh", "starting", 3 * S, evidence=evidence("Its registry file is not there yet.")),
    )

"""Each row of facts, and the rule that must decide."""

from __future__ import annotations

import msgspec
import pytest

from controlroom.core.activity import DRAWN_MS, STALE_MS, STARTING_MS, Verdict, derive
from controlroom.core.facts import (
    AgentFacts,
    Composer,
    Dialog,
    Fact,
    Fault,
    Reply,
    Reported,
    ScreenLook,
    ScreenReading,
    TurnState,
)

BORN, NOW = 1_000_000, 2_000_000
QUESTION = "Done so far.\n\nQuestion for Founder: Go on?\n- Yes: I go on\n- No: I stop\nBlocking: yes"


def facts(
    *,
    says: Reported | None = None,
    says_source: str = "registry",
    turn: TurnState | None = None,
    turn_at: int = 1_500_000,
    began: int | None = None,
    helpers: int | None = None,
    helpers_source: str = "transcript",
    reply: str | None = None,
    reply_at: int = 1_500_000,
    look: ScreenLook | None = None,
    look_at: int = 1_900_000,
    dialog: Dialog | None = None,
    alive: bool = True,
    age_ms: int = 500,
    moved: int = 1_500_000,
) -> AgentFacts:
    screen = None
    if look is not None:
        composer = Composer("") if look in ("ready", "working", "limit_wait") else None
        screen = Fact(ScreenReading(look=look, dialog=dialog, composer=composer), "screen", "a row", look_at)
    return AgentFacts(
        read_at_ms=NOW - age_ms,
        started_at_ms=BORN,
        alive=Fact(alive, "process", "its process", 1_950_000),
        reported=() if says is None else (Fact(says, says_source, f"status {says}", 1_800_000),),
        turn=None if turn is None else Fact(turn, "transcript", "a turn row", turn_at),
        helpers=None if helpers is None else Fact(helpers, helpers_source, "helper files", 1_700_000),
        reply=None if reply is None else Reply(reply, "i1", reply_at),
        screen=screen,
        busy_since_ms=began,
        moved_at_ms=moved,
    )


ASKS = Dialog(kind="permission", text="Do you want to proceed?")

TABLE: list[tuple[str, AgentFacts, str, str]] = [
    # what it is about, the facts, the activity, the source that decided
    ("registry idle", facts(says="idle", turn="ended"), "idle", "registry"),
    ("registry busy", facts(says="busy", turn="open"), "working", "registry"),
    ("registry busy before the file has moved", facts(says="busy", turn="ended"), "working", "registry"),
    ("registry busy with an unreadable file", facts(says="busy", helpers=2), "working", "registry"),
    ("registry shell", facts(says="shell", turn="ended"), "idle", "registry"),
    (
        "registry waiting, dialog readable",
        facts(says="waiting", look="dialog", dialog=ASKS),
        "blocked",
        "registry",
    ),
    ("registry waiting, dialog not readable", facts(says="waiting", look="other"), "blocked", "registry"),
    ("registry waiting, no screen", facts(says="waiting"), "blocked", "registry"),
    (
        "a dialog that the registry does not call one",
        facts(says="busy", look="dialog", dialog=ASKS),
        "blocked",
        "screen",
    ),
    ("a dialog and no registry", facts(turn="open", look="dialog", dialog=ASKS), "blocked", "screen"),
    ("a start-up prompt", facts(look="startup", dialog=ASKS), "blocked", "screen"),
    ("the title wants a person", facts(says="waiting", says_source="title", turn="open"), "blocked", "title"),
    (
        "blocked comes before question",
        facts(says="waiting", turn="ended", reply=QUESTION),
        "blocked",
        "registry",
    ),
    ("idle and it asks", facts(says="idle", turn="ended", reply=QUESTION), "question", "transcript"),
    ("no registry and it asks", facts(turn="ended", reply=QUESTION, look="ready"), "question", "transcript"),
    (
        "it asks while helpers run",
        facts(says="busy", turn="ended", helpers=1, reply=QUESTION),
        "question",
        "transcript",
    ),
    (
        "the reply goes on after the question",
        facts(says="idle", turn="ended", reply=QUESTION + "\n\nBye."),
        "idle",
        "registry",
    ),
    (
        "a new turn runs after the question",
        facts(says="busy", turn="open", reply=QUESTION),
        "working",
        "registry",
    ),
    (
        "the turn after the question was interrupted",
        facts(says="idle", turn="interrupted", reply=QUESTION),
        "idle",
        "registry",
    ),
    (
        "the turn after the question ended without a reply",
        facts(says="idle", turn="ended", reply=QUESTION, reply_at=1_400_000, began=1_450_000),
        "idle",
        "registry",
    ),
    (
        "registry busy, turn ended, helpers run",
        facts(says="busy", turn="ended", helpers=2),
        "helpers",
        "transcript",
    ),
    ("no registry, turn ended, helpers run", facts(turn="ended", helpers=2), "helpers", "transcript"),
    ("helpers without knowing the main turn", facts(helpers=2, look="ready"), "unknown", ""),
    (
        "socket idle, socket counts helpers",
        facts(says="idle", says_source="socket", turn="ended", helpers=1, helpers_source="socket"),
        "helpers",
        "socket",
    ),
    ("an open turn and nothing else", facts(turn="open"), "working", "transcript"),
    ("the title works", facts(says="busy", says_source="title", turn="ended"), "working", "title"),
    (
        "the screen works and there is no turn row",
        facts(turn="none", turn_at=BORN, look="working"),
        "working",
        "screen",
    ),
    (
        "a working screen from before the turn ended",
        facts(turn="ended", look="working", look_at=1_400_000),
        "idle",
        "transcript",
    ),
    ("turn ended", facts(turn="ended", look="ready"), "idle", "transcript"),
    ("turn failed", facts(turn="failed", look="ready"), "idle", "transcript"),
    ("nothing said yet, composer there", facts(turn="none", look="ready"), "idle", "screen"),
    ("a composer and no word about the turn", facts(look="ready"), "unknown", ""),
    ("nothing at all", facts(), "unknown", ""),
    ("dead", facts(alive=False, says="busy", turn="open"), "gone", "process"),
    ("not read lately", facts(says="idle", age_ms=STALE_MS + 1), "unknown", ""),
    ("read from the future, the clock went back", facts(says="idle", age_ms=-60_000), "idle", "registry"),
]


@pytest.mark.parametrize(
    ("given", "activity", "source"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_the_first_rule_that_matches_decides_and_names_its_source(
    given: AgentFacts, activity: str, source: str
) -> None:
    verdict = derive(given, NOW)
    assert (verdict.activity, verdict.evidence.source) == (activity, source)
    assert verdict.evidence.rule == activity
    assert verdict.evidence.detail


def test_a_young_process_is_starting_and_an_old_silent_one_unknown() -> None:
    assert derive(facts(), BORN + 1_000).activity == "starting"
    silent = facts(age_ms=NOW - (BORN + STARTING_MS))
    assert derive(silent, BORN + STARTING_MS).activity == "unknown"


def test_a_young_process_whose_files_cannot_be_read_is_unknown() -> None:
    """It may have been at its prompt before its folder was shut: its silence says nothing of a start."""
    shut = msgspec.structs.replace(facts(), fault=Fault("unreadable", "Give the right to read it.", BORN))
    assert derive(shut, BORN + 1_000).activity == "unknown"


def test_a_suspended_agent_is_unknown_whatever_it_said_before() -> None:
    stopped = Fault("suspended", "Type fg in its pane.", 1_500_000)
    busy = Fact[Reported]("busy", "registry", "status busy", 1_400_000)
    verdict = derive(msgspec.structs.replace(facts(), reported=(busy,), fault=stopped), NOW)
    assert (verdict.activity, verdict.since_ms, verdict.is_busy) == ("unknown", 1_500_000, False)


# --- the lessons, each under its name ----------------------------------------------------------------


def decided(**given: object) -> Verdict:
    return derive(facts(**given), NOW)  # type: ignore[arg-type]  # names and types of ``facts``


def test_lesson_idle_while_working() -> None:
    """Field lessons 13: a visible composer is not the end of a turn."""
    assert decided(turn="open", look="ready").activity == "working"
    assert decided(turn="open", look="ready", says="busy", says_source="title").activity == "working"


def test_lesson_finished_too_early() -> None:
    """Field lessons 14: the main turn ended, helpers run: waiting on helpers in between."""
    verdict = decided(says="busy", turn="ended", helpers=3)
    assert (verdict.activity, verdict.is_busy) == ("helpers", True)


def test_lesson_working_for_ever_because_of_a_background_shell() -> None:
    """Field lessons 15: `· 1 shell still running` under an empty composer."""
    verdict = decided(says="shell", turn="ended", look="ready")
    assert (verdict.activity, verdict.is_busy) == ("idle", False)


def test_lesson_working_for_ever_because_of_a_dead_process() -> None:
    """Field lessons 15: a turn open in the file of a dead process is not working, nor in its successor."""
    assert decided(alive=False, turn="open").activity == "gone"
    resumed = facts(turn="open", turn_at=BORN - 5_000, moved=BORN - 4_000, look="ready")
    assert derive(resumed, NOW).activity == "idle"


def test_a_turn_that_goes_on_in_another_process_is_working() -> None:
    """A daemon runs the turn on while its window is opened again (codex.md section 0): rows keep coming."""
    attached = facts(turn="open", turn_at=BORN - 5_000, moved=BORN + 4_000, look="ready")
    assert derive(attached, NOW).activity == "working"


def test_lesson_false_blocked() -> None:
    """Spec 11, field lessons 16: the usage-limit wait screen ends in "Esc to cancel" and asks nothing."""
    assert decided(says="idle", turn="failed", look="limit_wait").activity == "idle"
    assert decided(turn="failed", look="limit_wait", dialog=ASKS).activity == "idle"


def test_lesson_missed_blocked() -> None:
    """Field lessons 17: a prompt that cannot be read is still a prompt when the agent says that it waits."""
    verdict = decided(says="waiting", turn="open", look="other")
    assert (verdict.activity, verdict.evidence.detail, verdict.is_busy) == ("blocked", "status waiting", True)


def test_a_dialog_is_announced_when_it_can_be_shown() -> None:
    """The registry says "waiting" some 0.1 s before the dialog is drawn: an answer could not name it."""
    undrawn = facts(says="waiting", turn="open", look="working", look_at=1_700_000)
    assert derive(undrawn, 1_800_000 + DRAWN_MS - 1).activity == "working"
    assert derive(undrawn, 1_800_000 + DRAWN_MS).activity == "blocked"
    next_one = facts(says="waiting", turn="open", look="working", look_at=1_900_000)
    assert derive(next_one, 1_900_000 + DRAWN_MS - 1).activity == "working"
    drawn = facts(says="waiting", turn="open", look="dialog", dialog=ASKS)
    assert derive(drawn, 1_800_000).activity == "blocked"


def test_lesson_replayed_status() -> None:
    """Field lessons 19: a verdict is as old as its evidence, however often it is derived."""
    given = facts(says="busy", turn="open")
    assert derive(given, NOW).since_ms == derive(given, NOW + 5_000).since_ms == 1_800_000


def test_lesson_timestamps_are_state() -> None:
    """Spec 11: helper files that a copy touched are no helpers when the agent itself says idle."""
    assert decided(says="idle", turn="ended", helpers=270).activity == "idle"


def test_a_dialog_between_turns_is_not_busy() -> None:
    assert not decided(says="waiting", turn="ended", look="dialog", dialog=ASKS).is_busy


def test_a_long_detail_is_limited() -> None:
    given = facts(says="idle", turn="ended", reply=QUESTION.replace("Go on?", "x" * 5_000))
    assert len(derive(given, NOW).evidence.detail) <= 200


@pytest.mark.parametrize(
    ("given", "said", "activity"),
    [
        ({"look": "other"}, "waiting", "blocked"),
        ({"look": "other"}, "busy", "working"),
        ({}, "busy", "working"),
        ({"turn": "ended", "look": "other"}, "busy", "working"),  # it began after that turn had ended
        ({"turn": "ended", "look": "ready"}, "busy", "idle"),
        ({"turn": "ended", "look": "ready"}, "waiting", "idle"),
        ({"turn": "ended", "look": "limit_wait"}, "waiting", "idle"),
        ({"turn": "open", "look": "working"}, "waiting", "working"),
        ({"says": "idle", "look": "other"}, "waiting", "idle"),
        ({"says": "idle", "look": "other"}, "busy", "idle"),
    ],
)
def test_a_witness_counts_only_where_nothing_better_is_known(
    given: dict[str, object], said: Reported, activity: str
) -> None:
    witness = Fact(said, "herdr", f"herdr calls it {said}", 1_990_000)
    seen = msgspec.structs.replace(facts(**given), witness=witness)  # type: ignore[arg-type]  # see ``decided``
    assert derive(seen, NOW).activity == activity


def test_a_witness_that_flickers_is_not_believed_at_once() -> None:
    seen = msgspec.structs.replace(facts(look="other"), witness=Fact("waiting", "herdr", "", NOW - 2_999))
    assert derive(seen, NOW).activity == "unknown"
    assert derive(seen, NOW + 1).activity == "blocked"

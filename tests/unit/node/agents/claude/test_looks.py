"""Which call a dialog asks about, and its whole text when the screen has no room for it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from controlroom.node.agents.claude.looks import about, whole
from controlroom.node.agents.claude.panels import Panel, read_panel
from controlroom.node.agents.claude.turns import Call
from tests.unit.node.agents.claude.samples import frame

TOUCH = Call("t1", "Bash", "Bash: touch /tmp/abc", "touch /tmp/abc")
TOUCH_AGAIN = Call("t2", "Bash", "Bash: touch /tmp/abc", "touch /tmp/abc")
SLEEP = Call("t3", "Bash", "Bash: sleep 60", "sleep 60")
READ = Call("t4", "Read", "Read /etc/hosts", "")
EDIT = Call("t5", "Edit", "Edit orchard.py", "+ x")
HELPER = Call("t6", "Agent", "Agent: Count pears", "count")
ASK = Call("t7", "AskUserQuestion", "Question: Ship?", "Ship?")
PLAN = Call("t8", "ExitPlanMode", "Plan", "# A plan\n\n" + "\n".join(f"{n}. Step" for n in range(30)))
LONG = "cat > /tmp/x.sh <<'END'\n" + "\n".join(
    f"echo step {n} of a long script that does things # comment {n}" for n in range(60)
)
SCRIPT = Call("t9", "Bash", "Bash: cat > /tmp/x.sh <<'END'", f"{LONG}\nEND\nbash /tmp/x.sh")


def panel(name: str) -> Panel:
    found = read_panel(frame(f"80x24-{name}"))
    assert found is not None
    return found


def nobody() -> Sequence[Call]:
    raise AssertionError("helpers' files are read only when they may matter")


@pytest.mark.parametrize(
    ("name", "calls", "expected"),
    [
        ("permission-amend-no", (TOUCH, TOUCH_AGAIN), "t1"),  # alike: the older one asks first
        ("permission-amend-no", (READ, TOUCH), "t1"),
        ("permission-amend-no", (HELPER, SLEEP, TOUCH), "t1"),
        ("permission-edit", (SLEEP, EDIT), "t5"),
        ("permission-bash-long", (SLEEP, SCRIPT), "t9"),
        ("ask-user-question-single", (SLEEP, ASK), "t7"),
        ("plan-long", (PLAN,), "t8"),
        ("auto-mode-no-server-check", (HELPER, SLEEP), "t3"),
    ],
)
def test_the_call_that_fits(name: str, calls: tuple[Call, ...], expected: str) -> None:
    found = about(panel(name), calls, nobody)
    assert found is not None and found.id == expected


def test_a_dialog_of_a_helper_asks_about_the_helpers_call() -> None:
    found = about(panel("permission-helper"), (TOUCH_AGAIN,), lambda: (SLEEP, TOUCH))
    assert found is not None and found.id == "t1"


def test_without_any_call_it_asks_about_none() -> None:
    assert about(panel("ask-user-question-single"), (SLEEP,), nobody) is None
    assert about(panel("permission-bash"), (), lambda: ()) is None
    assert about(panel("usage-limit-weekly"), (), nobody) is None


def test_a_scrolled_command_is_told_whole() -> None:
    dialog = whole(panel("permission-bash-long"), SCRIPT)
    assert dialog.text == f"{SCRIPT.title}\n\n{SCRIPT.given}\n\nDo you want to proceed?"
    assert len(dialog.options) == 4


def test_a_scrolled_plan_is_told_whole_and_stays_the_same_while_words_are_typed() -> None:
    assert "29. Step" in whole(panel("plan-long"), PLAN).text


def test_what_the_screen_shows_whole_stays_as_it_is() -> None:
    shown = panel("permission-bash")
    assert whole(shown, TOUCH) is shown.dialog
    assert whole(panel("permission-bash-long"), None) is not None

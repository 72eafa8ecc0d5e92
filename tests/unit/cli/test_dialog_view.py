"""A prompt is shown whole, and an answer names exactly one thing in it."""

from __future__ import annotations

from typing import Any

import pytest

from controlroom.cli import text
from controlroom.cli.dialog_view import choose, how_to_answer, render_dialog
from controlroom.cli.errors import CliError
from controlroom.wire.model import DialogOption
from tests.unit.cli.agents import NOW, PERMISSION, agent, waiting

LONG = "Yes, and don't ask again for: " + ", ".join(f"tool-{n}" for n in range(30))
PROMPT = waiting(
    PERMISSION,
    options=(
        DialogOption(key="1", label="Yes, once", risky=False),
        DialogOption(key="2", label=LONG, risky=True),
        DialogOption(key="3", label="No", risky=False),
    ),
)


def draw(**more: Any) -> list[str]:
    return render_dialog(agent("orchard", "blocked", waiting_for=PROMPT), PROMPT, NOW, 60, False, **more)


def test_nothing_is_shortened() -> None:
    """Field lessons 25 and 27: the whole command, whole labels with their commas."""
    drawn = draw()
    assert all(text.cells(entry) <= 60 for entry in drawn)
    flat = " ".join(" ".join(drawn).split())
    assert "> report.txt && cat report.txt" in flat
    assert LONG in flat
    assert "…" not in flat


def test_what_is_risky_says_so_in_words() -> None:
    assert " ".join(draw()).count("(lasting or risky)") == 1


def test_it_says_what_to_type() -> None:
    def hint(*words: str) -> str:
        return " ".join(words)

    assert how_to_answer(agent("a"), PROMPT, hint) == ["Answer:   answer a 1"]
    free = waiting("x", options=None, free_text=True)
    assert how_to_answer(agent("a"), free, hint) == ["In words: answer a --text …"]
    assert how_to_answer(agent("a"), waiting("x", options=None), hint)[0].endswith("Look: watch a")


@pytest.mark.parametrize(("said", "key"), [("1", "1"), ("No", "3"), ("yes, ONCE", "1"), (LONG, "2")])
def test_an_option_is_named_by_key_or_whole_label(said: str, key: str) -> None:
    assert [option.key for option in choose(PROMPT, said)] == [key]


@pytest.mark.parametrize("said", ["4", "Yes", "", "1,3", "yes, on"])
def test_nothing_is_guessed(said: str) -> None:
    with pytest.raises(CliError, match="is not one of its options"):
        choose(PROMPT, said)


def test_several_options_where_the_prompt_takes_them() -> None:
    several = waiting(
        "Which tools?",
        multi=True,
        options=(
            DialogOption(key="1", label="Ladder", risky=False),
            DialogOption(key="2", label="Crates, large", risky=False),
        ),
    )
    assert [option.key for option in choose(several, "2,1")] == ["2", "1"]
    assert [option.key for option in choose(several, "Crates, large")] == ["2"]


def test_a_prompt_without_options_sends_to_the_screen() -> None:
    with pytest.raises(CliError, match="controlroom watch"):
        choose(waiting("x", options=None), "1")

"""The dialogs of a scripted agent answer as the real ones do."""

from __future__ import annotations

import pytest

from controlroom.testing.scripted.dialogs import ESCAPED, ask_permission, ask_person, press
from controlroom.testing.scripted.keys import Key, Paste
from controlroom.testing.scripted.look import Dialog
from controlroom.testing.scripted.steps import Ask, Choice, Use

RUN = Use(name="Bash", input={"command": "rm -r old", "description": "Tidy up"}, ask=True)
FRUIT = Ask(header="Fruit", question="Which first?", options=(Choice(label="Pears"), Choice(label="Plums")))


def play(dialog: Dialog, *events: str) -> list[str | None]:
    return [press(dialog, Key(name=e) if len(e) > 1 else Key(text=e)) for e in events]


@pytest.mark.parametrize(
    ("events", "answers"),
    [
        (("1",), ["1"]),
        (("3",), ["3"]),
        (("Enter",), ["1"]),
        (("Down", "Down", "Enter"), [None, None, "3"]),
        (("Up", "Enter"), [None, "3"]),
        (("Escape",), [ESCAPED]),
        (("x", "9", "Tab"), [None, None, None]),
    ],
)
def test_keys_in_a_permission_dialog(events: tuple[str, ...], answers: list[str | None]) -> None:
    """A digit answers at once; Enter takes what is selected; other text is ignored."""
    assert play(ask_permission(RUN, "/work"), *events) == answers


def test_text_is_ignored_while_a_dialog_is_open() -> None:
    assert press(ask_permission(RUN, "/work"), Paste("1")) is None


def test_free_text_is_typed_and_entered() -> None:
    dialog = ask_person(FRUIT)
    assert play(dialog, "3", "1", "x", "BSpace", "Enter") == [None, None, None, None, "1"]


def test_edits_are_shown_as_a_difference() -> None:
    given = {"file_path": "src/a.py", "old_string": "x = 1\n", "new_string": "x = 2\ny = 3\n"}
    dialog = ask_permission(Use(name="Edit", input=given), "/work")
    assert dialog.body == "- x = 1\n+ x = 2\n+ y = 3"
    assert dialog.question == "Do you want to make this edit to a.py?"

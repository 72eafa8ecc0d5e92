"""The identity of a dialog: what makes it another one, and what does not."""

from __future__ import annotations

import msgspec
import pytest

from controlroom.core.dialogs import dialog_id
from controlroom.core.facts import Dialog, Option

ASKED = Dialog(
    kind="permission",
    text="Run it?\n$ make",
    options=(Option("1", "Yes", selected=True), Option("2", "No")),
)


def test_the_same_dialog_has_the_same_id() -> None:
    assert dialog_id("5@77", "call_1", ASKED) == dialog_id("5@77", "call_1", ASKED)
    assert dialog_id("5@77", "call_1", ASKED).startswith("dlg_")


def test_moving_the_cursor_is_not_a_new_dialog() -> None:
    moved = msgspec.structs.replace(ASKED, options=(Option("1", "Yes"), Option("2", "No", selected=True)))
    assert dialog_id("5@77", "call_1", moved) == dialog_id("5@77", "call_1", ASKED)


def test_the_same_text_at_another_position_or_in_another_process_is_a_new_dialog() -> None:
    """The second prompt in a row may read exactly like the first."""
    ids = {dialog_id(*where, ASKED) for where in (("5@77", "call_1"), ("5@77", "call_2"), ("6@78", "call_1"))}
    assert len(ids) == 3


@pytest.mark.parametrize(
    "other",
    [
        msgspec.structs.replace(ASKED, kind="plan"),
        msgspec.structs.replace(ASKED, text="Run it?\n$ make clean"),
        msgspec.structs.replace(ASKED, multi=True),
        msgspec.structs.replace(ASKED, free_text=True),
        msgspec.structs.replace(ASKED, options=ASKED.options[:1]),
        msgspec.structs.replace(ASKED, options=(Option("1", "Yes, always"), Option("2", "No"))),
        msgspec.structs.replace(ASKED, options=(Option("2", "Yes"), Option("1", "No"))),
    ],
)
def test_whatever_is_asked_differently_is_another_dialog(other: Dialog) -> None:
    assert dialog_id("5@77", "call_1", other) != dialog_id("5@77", "call_1", ASKED)


def test_texts_that_only_flow_together_differently_are_different() -> None:
    assert dialog_id("a", "bc", ASKED) != dialog_id("ab", "c", ASKED)

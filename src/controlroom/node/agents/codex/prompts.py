"""Which keys answer Codex's dialogs, as tried on the real program (0.171.0).

A digit acts at once in approvals, questions, the rate-limit and the plan dialog; in the trust screen it does
nothing, in the hooks review "2" only moves the cursor. Elsewhere therefore the cursor is moved, the dialog
read again, and Enter pressed only when the wanted option is the chosen one. Notes to a question are a field
of their own behind Tab. Pure.
"""

from __future__ import annotations

from controlroom.core.facts import Dialog, Option
from controlroom.node.agents.codex.dialogs import SIGN_IN, FoundDialog
from controlroom.node.agents.typing import AnswerStep, CannotAnswer, Press, TypeText, Want

_DIGITS_ACT = frozenset({"permission", "picker", "limit", "plan"})
_MAX_MOVES = 3  # reads between moves; the list may scroll or swallow a key
_OTHER_ANSWER = "None of the above"
_SOMEBODY_WRITES = "Somebody is writing a note in it."


def next_step(found: FoundDialog, want: Want, done: int) -> AnswerStep:
    """What to press or type next, after ``done`` steps, in the dialog as it stands now."""
    dialog = found.dialog
    if SIGN_IN.search(found.heading):
        return CannotAnswer("Nobody is signed in to Codex here. Sign in at the machine itself.")
    if want.text and want.text.strip():
        return _with_text(found, want.option, want.text, done)
    if found.has_notes:
        return CannotAnswer(_SOMEBODY_WRITES)
    option = _option(dialog, want.option)
    if option is None:
        return CannotAnswer(_choose(dialog))
    if not option.key.isdigit():
        return Press((option.key,), answers=True)
    if dialog.kind in _DIGITS_ACT and len(option.key) == 1:
        return Press((option.key,), answers=True)
    return _move_and_enter(dialog, option, done)


def _move_and_enter(dialog: Dialog, option: Option, done: int) -> AnswerStep:
    if option.selected:
        return Press(("Enter",), answers=True)
    if done >= _MAX_MOVES:
        return CannotAnswer("The cursor does not move to that option.")
    moves = _moves(dialog, option)
    return Press(moves) if moves else CannotAnswer("No option is marked on the screen.")


def _with_text(found: FoundDialog, wanted: str | None, text: str, done: int) -> AnswerStep:
    """An answer with notes, in three steps: choose the option and open the notes, type, submit."""
    dialog = found.dialog
    if not dialog.free_text:
        return CannotAnswer("This dialog takes no text. Choose an option, then send the text as a message.")
    option = _option(dialog, wanted) if wanted else _for_text_alone(dialog)
    if option is None:
        return CannotAnswer(_choose(dialog))
    if done == 0:
        return CannotAnswer(_SOMEBODY_WRITES) if found.has_notes else Press((*_moves(dialog, option), "Tab"))
    if not option.selected or not found.has_notes:
        return CannotAnswer("The field for notes did not open at that option.")
    return TypeText(text) if done == 1 else Press(("Enter",), answers=True)


def _moves(dialog: Dialog, option: Option) -> tuple[str, ...]:
    at = next((at for at, other in enumerate(dialog.options) if other.selected), None)
    if at is None:
        return ()
    steps = dialog.options.index(option) - at
    return ("Down",) * steps if steps > 0 else ("Up",) * -steps


def _option(dialog: Dialog, wanted: str | None) -> Option | None:
    """By key, else by its whole label."""
    if wanted is None:
        return None
    by_key = [option for option in dialog.options if option.key == wanted]
    by_label = [option for option in dialog.options if option.label == wanted]
    return next(iter(by_key or by_label), None)


def _for_text_alone(dialog: Dialog) -> Option | None:
    """Codex adds "None of the above" to each question; without it the marked option carries the notes."""
    for option in reversed(dialog.options):
        if option.label == _OTHER_ANSWER:
            return option
    return next((option for option in dialog.options if option.selected), None)


def _choose(dialog: Dialog) -> str:
    keys = ", ".join(option.key for option in dialog.options)
    return f"Choose one of its options: {keys}." if keys else "It has no options that can be pressed here."

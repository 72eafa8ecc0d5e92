"""How each dialog of Claude Code is answered: the next key, given the dialog as it stands now. Pure.

Seen with 2.1.332: in numbered dialogs a digit selects *and* confirms at once (in a multiple choice it ticks).
Start-up prompts have no numbers and ignore digits: Down or Up, look again, then Enter. A line of free text is
entered by its digit, then takes a paste and Enter. In a permission dialog Tab opens such a line on the option
where the cursor stands ("Yes, and tell Claude what to do next", "No, and tell Claude …").
"""

from __future__ import annotations

from controlroom.core.facts import Option
from controlroom.node.agents.claude.composer import PASTE_MARK
from controlroom.node.agents.claude.panels import PLAN_FEEDBACK, SUBMIT, TYPE_SOMETHING, Panel
from controlroom.node.agents.typing import AnswerStep, CannotAnswer, Press, TypeText, Want

MAX_STEPS = 40  # the longest honest way (ten ticks, a text, moves) is about 25
CHAT = "Chat about this"
_AMENDED = ("Yes", "No")
_TYPED_THERE = "Somebody is typing into this dialog at the pane."
_ALONE = f"{CHAT!r} cannot be combined with other options."


def next_step(panel: Panel, want: Want, done: int) -> AnswerStep:
    """What to do next, after ``done`` steps. ``want.option`` is a key or a whole label; for a multiple choice
    keys joined by commas."""
    if done > MAX_STEPS:
        return CannotAnswer("The dialog did not react as it should; look at the screen.")
    text = (want.text or "").strip()
    dialog = panel.dialog
    if dialog.multi:
        return _multiple(panel, want.option, text)
    chosen = _find(panel, want.option)
    if want.option and chosen is None:
        return CannotAnswer(f"There is no option {want.option!r} in this dialog.")
    if not text:
        return CannotAnswer("Choose an option.") if chosen is None else _choose(panel, chosen)
    if dialog.kind == "permission":
        return _amend(panel, chosen, text)
    free = _find(panel, TYPE_SOMETHING if dialog.kind == "picker" else PLAN_FEEDBACK)
    if free is None or not dialog.free_text:
        return CannotAnswer("This dialog takes no text; choose an option.")
    if chosen is not None and chosen != free:
        if dialog.kind != "picker":
            return CannotAnswer("This option takes no text.")
        text = f"{chosen.label}: {text}"
    return _fill(panel, free, text)


def _find(panel: Panel, wanted: str | None) -> Option | None:
    """By key first, then by the whole label."""
    if not wanted:
        return None
    options = panel.dialog.options
    by_key = next((option for option in options if option.key == wanted), None)
    return by_key or next((option for option in options if option.label == wanted), None)


def _choose(panel: Panel, option: Option) -> AnswerStep:
    if panel.typing:
        return CannotAnswer(_TYPED_THERE)
    if panel.by_hint:
        return Press((option.key,), answers=True)
    if panel.numbered and len(option.key) == 1:
        if panel.dialog.kind in ("picker", "plan") and option.label in (TYPE_SOMETHING, PLAN_FEEDBACK):
            return CannotAnswer("This option needs a text.")
        return Press((option.key,), answers=True)
    return Press(("Enter",), answers=True) if panel.pointer == option.key else _towards(panel, option)


def _towards(panel: Panel, option: Option) -> Press:
    """One step of the cursor towards an option on which it does not stand."""
    keys = [each.key for each in panel.dialog.options]
    if panel.pointer not in keys:
        return Press(("Up",))
    return Press(("Down" if keys.index(panel.pointer) < keys.index(option.key) else "Up",))


def _fill(panel: Panel, free: Option, text: str) -> AnswerStep:
    """Put the text into the line and confirm it."""
    if panel.pointer == free.key:
        return _type(panel, text) or Press(("Enter",), answers=True)
    if panel.numbered and len(free.key) == 1:
        return Press((free.key,))
    return _towards(panel, free)


def _type(panel: Panel, text: str) -> AnswerStep | None:
    """Type the text; None when it stands in the line."""
    if _same(panel.typed, text):
        return None
    if panel.typed.strip():
        return CannotAnswer("Another text stands in this dialog's line.")
    return TypeText(text)


def _same(shown: str, text: str) -> bool:
    """White space does not count: rows wrap. A long paste is shown as a mark."""
    return "".join(shown.split()) == "".join(text.split()) or PASTE_MARK.fullmatch(shown.strip()) is not None


def _amend(panel: Panel, chosen: Option | None, text: str) -> AnswerStep:
    """An answer with words: Tab on "Yes" or "No" opens a line. Words alone mean No."""
    option = chosen or panel.dialog.options[-1]
    if not panel.dialog.free_text or option.label not in _AMENDED:
        return CannotAnswer("Words can be added to Yes and to No only.")
    if panel.pointer != option.key:
        if panel.typing:
            return CannotAnswer(_TYPED_THERE)
        return _towards(panel, option)
    if not panel.typing:
        return Press(("Tab",)) if panel.amendable else CannotAnswer("This dialog takes no text.")
    return _type(panel, text) or Press(("Enter",), answers=True)


def _multiple(panel: Panel, option: str | None, text: str) -> AnswerStep:
    """Tick what is wanted, untick the rest, type the text, then go on to the next page."""
    wanted = set()
    for key in filter(None, (part.strip() for part in (option or "").split(","))):
        found = _find(panel, key)
        if found is None or found.label == TYPE_SOMETHING:
            return CannotAnswer(f"There is no option {key!r} in this dialog.")
        if found.label == CHAT:
            return _choose(panel, found) if option == key and not text else CannotAnswer(_ALONE)
        wanted.add(found.key)
    if not wanted and not text:
        return CannotAnswer("Choose at least one option.")
    free = _find(panel, TYPE_SOMETHING)
    if text and free is None:
        return CannotAnswer("This dialog takes no text; choose options.")
    for each in panel.dialog.options:
        if each.label != CHAT and each != free and (each.key in panel.ticked) != (each.key in wanted):
            return _tick(panel, each)
    if free is not None:
        if not text and free.key in panel.ticked:
            return _tick(panel, free)
        if text and not _same(panel.typed, text):
            return (_type(panel, text) if panel.pointer == free.key else None) or _towards(panel, free)
        if text and free.key not in panel.ticked:
            return CannotAnswer("The typed text was not taken as an answer.")
    return _go_on(panel)


def _go_on(panel: Panel) -> AnswerStep:
    """To the next page: by Enter on Submit, to which Tab leads from the line of text."""
    if panel.pointer == SUBMIT:
        return Press(("Enter",), answers=True)
    return Press(("Tab",), answers=not panel.typing)


def _tick(panel: Panel, option: Option) -> AnswerStep:
    if panel.typing:
        return Press(("Up",))  # a digit would go into the line of text
    if len(option.key) == 1:
        return Press((option.key,))
    return Press(("Space",)) if panel.pointer == option.key else _towards(panel, option)

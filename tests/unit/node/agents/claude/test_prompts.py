"""Answering: each dialog played to its end by keys, as the real program reacts to them."""

from __future__ import annotations

import msgspec
import pytest

from controlroom.core.facts import Dialog, DialogKind, Option
from controlroom.node.agents.claude.panels import SUBMIT, TYPE_SOMETHING, Panel
from controlroom.node.agents.claude.prompts import CHAT, MAX_STEPS, next_step
from controlroom.node.agents.typing import AnswerStep, CannotAnswer, Press, TypeText, Want


class Program:
    """A dialog that reacts like the real one; ``answer`` is what it took."""

    def __init__(
        self, kind: DialogKind, labels: list[str], *, numbered: bool = True, multi: bool = False
    ) -> None:
        self.kind, self.labels, self.numbered, self.multi = kind, labels, numbered, multi
        self.pointer, self.ticked, self.typed = 0, set[int](), ""
        self.amending = False
        self.answer: str | None = None

    @property
    def free(self) -> int:
        """The line of text: in pickers and plans an option, in permissions one that Tab opened."""
        names = (TYPE_SOMETHING, "Tell Claude what to change")
        return next((at for at, label in enumerate(self.labels) if label in names), -1)

    @property
    def typing(self) -> bool:
        return self.amending or (self.pointer == self.free >= 0)

    @property
    def places(self) -> int:
        return len(self.labels) + self.multi  # with Submit, between the text and "Chat about this"

    def panel(self) -> Panel:
        options = tuple(
            Option(str(n + 1), label, selected=n == self.pointer) for n, label in enumerate(self.labels)
        )
        takes_words = self.kind == "permission" or self.free >= 0
        pointer = SUBMIT if self.pointer >= len(self.labels) else str(self.pointer + 1)
        return Panel(
            dialog=Dialog(kind=self.kind, text="?", options=options, multi=self.multi, free_text=takes_words),
            numbered=self.numbered,
            ticked=frozenset(str(n + 1) for n in self.ticked),
            pointer=pointer,
            typing=self.typing,
            typed=self.typed,
            amendable=self.kind == "permission" and self.labels[self.pointer] in ("Yes", "No"),
        )

    def press(self, key: str) -> None:
        if key in ("Up", "Down"):
            self.pointer = (self.pointer + (1 if key == "Down" else -1)) % self.places
        elif key == "Enter":
            self.confirm()
        elif key == "Tab":
            self.tab()
        elif key.isdigit() and self.typing:
            self.typed += key
        elif key.isdigit() and self.numbered:
            self.digit(int(key) - 1)

    def digit(self, at: int) -> None:
        if self.multi and self.labels[at] != CHAT:
            self.ticked ^= {at}
        elif at == self.free:
            self.pointer = at
        else:
            self.answer = self.labels[at]

    def tab(self) -> None:
        if self.kind == "permission":
            self.amending = True
        elif self.multi and self.typing:
            self.pointer = len(self.labels)
        elif self.multi:
            self.finish()

    def confirm(self) -> None:
        if self.pointer >= len(self.labels):
            self.finish()
        elif self.typing:
            self.answer = f"{self.labels[self.pointer]}|{self.typed}"
        else:
            self.answer = self.labels[self.pointer]

    def finish(self) -> None:
        named = [self.labels[at] for at in sorted(self.ticked) if at != self.free]
        self.answer = ",".join([*named, *([self.typed] if self.free in self.ticked else [])])

    def paste(self, text: str) -> None:
        assert self.typing, "pasted where nothing takes it"
        self.typed += text
        if self.multi:
            self.ticked.add(self.free)


def play(program: Program, option: str | None, text: str | None = None) -> str:
    """The answer that the program took, or why none was given."""
    for done in range(MAX_STEPS + 2):
        step = next_step(program.panel(), Want(option, text), done)
        if isinstance(step, CannotAnswer):
            return f"cannot: {step.text}"
        if isinstance(step, TypeText):
            program.paste(step.text)
            continue
        assert len(step.keys) == 1, "one key, then look again"
        program.press(step.keys[0])
        assert (program.answer is not None) == step.answers, step
        if program.answer is not None:
            return program.answer
    raise AssertionError("endless")


def permission() -> Program:
    return Program("permission", ["Yes", "Yes, and always allow access", "No"])


def picker() -> Program:
    return Program("picker", ["Pears", "Plums", TYPE_SOMETHING, CHAT])


def tools() -> Program:
    return Program("picker", ["Ladder", "Crates, poles", "Gloves", TYPE_SOMETHING, CHAT], multi=True)


def trust() -> Program:
    return Program("startup", ["No, exit", "Yes, I trust this folder"], numbered=False)


@pytest.mark.parametrize(
    ("program", "option", "text", "answer"),
    [
        (permission(), "1", None, "Yes"),
        (permission(), "3", None, "No"),
        (permission(), "Yes, and always allow access", None, "Yes, and always allow access"),
        (permission(), "3", "use another path", "No|use another path"),
        (permission(), "1", "and then stop", "Yes|and then stop"),
        (permission(), None, "not now", "No|not now"),
        (picker(), "2", None, "Plums"),
        (picker(), "Pears", None, "Pears"),
        (picker(), None, "my own words\nin two lines", f"{TYPE_SOMETHING}|my own words\nin two lines"),
        (picker(), "1", "but only ripe ones", f"{TYPE_SOMETHING}|Pears: but only ripe ones"),
        (picker(), "4", None, CHAT),
        (tools(), "1,3", None, "Ladder,Gloves"),
        (tools(), "2", "a rope, 20 m", "Crates, poles,a rope, 20 m"),
        (tools(), None, "only words", "only words"),
        (tools(), "5", None, CHAT),
        (trust(), "2", None, "Yes, I trust this folder"),
        (trust(), "No, exit", None, "No, exit"),
        (
            Program("plan", ["Yes", "Tell Claude what to change"]),
            None,
            "fake it",
            "Tell Claude what to change|fake it",
        ),
        (Program("picker", [*(f"o{n}" for n in range(1, 12)), CHAT]), "11", None, "o11"),
    ],
)
def test_an_answer_arrives(program: Program, option: str | None, text: str | None, answer: str) -> None:
    assert play(program, option, text) == answer


@pytest.mark.parametrize(
    ("program", "option", "text"),
    [
        (permission(), "9", None),
        (permission(), None, None),
        (permission(), "2", "words"),
        (picker(), "3", None),
        (tools(), "", None),
        (tools(), "1,9", None),
        (tools(), "1,4", None),
        (tools(), "1,5", None),
        (trust(), "2", "words"),
    ],
)
def test_what_a_dialog_does_not_take_is_refused_before_any_key(
    program: Program, option: str | None, text: str | None
) -> None:
    step = next_step(program.panel(), Want(option, text), 0)
    assert isinstance(step, CannotAnswer) and step.text


def test_wrong_ticks_are_taken_back() -> None:
    program = tools()
    program.ticked = {0, 1}
    assert play(program, "2,3") == "Crates, poles,Gloves"


def test_a_text_that_somebody_else_typed_is_not_sent() -> None:
    for program in (picker(), tools()):
        program.pointer, program.typed = program.free, "half a thought"
        assert play(program, None, "mine").startswith("cannot: Another text stands")


def test_no_digit_is_pressed_into_a_line_of_text() -> None:
    program = picker()
    program.pointer = program.free
    assert isinstance(next_step(program.panel(), Want("1"), 0), CannotAnswer)
    program = tools()
    program.pointer = program.free
    assert next_step(program.panel(), Want("1"), 0) == Press(("Up",))


def test_a_dialog_without_a_list_takes_its_keys() -> None:
    keys = (Option("Enter", "Enter to stay"), Option("Escape", "Esc to cancel"))
    panel = Panel(dialog=Dialog(kind="other", text="?", options=keys), by_hint=True)
    assert next_step(panel, Want("Escape"), 0) == Press(("Escape",), answers=True)


def test_words_need_a_dialog_that_opens_a_line() -> None:
    panel = msgspec.structs.replace(permission().panel(), amendable=False)
    step: AnswerStep = next_step(panel, Want("1", "words"), 0)
    assert isinstance(step, CannotAnswer)


def test_a_dialog_that_does_not_react_is_given_up() -> None:
    assert isinstance(next_step(trust().panel(), Want("2"), MAX_STEPS + 1), CannotAnswer)


def test_a_long_paste_is_known_by_its_mark() -> None:
    program = picker()
    program.pointer, program.typed = program.free, "[Pasted text #1 +59 lines]"
    step = next_step(program.panel(), Want(None, "line\n" * 60), 0)
    assert step == Press(("Enter",), answers=True)

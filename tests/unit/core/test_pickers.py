"""Pickers as cards, from recorded screens; and how the transcript says they were answered."""

from __future__ import annotations

import json

import pytest

from controlroom.core.facts import Dialog, Option
from controlroom.core.pickers import (
    MOST_OPTIONS,
    SKIPPED,
    PickerAnswer,
    PickerCard,
    Said,
    answer_in,
    card_of,
    confirms,
    way_out_note,
)
from controlroom.core.question_block import Choice
from controlroom.node.agents.claude.panels import read_panel
from controlroom.node.agents.codex.screens import find_dialog
from controlroom.wire.model import Tool
from tests.unit.node.agents.claude.samples import frame as claude_frame
from tests.unit.node.agents.codex.samples import frame as codex_frame


def claude(name: str) -> PickerCard:
    panel = read_panel(claude_frame(name))
    assert panel is not None
    card = card_of(panel.dialog)
    assert card is not None
    return card


def codex(name: str) -> PickerCard:
    found = find_dialog(codex_frame(name))
    assert found is not None
    card = card_of(found.dialog)
    assert card is not None
    return card


def picker(text: str, *labels: str, multi: bool = False) -> PickerCard:
    options = tuple(Option(str(at), label) for at, label in enumerate(labels, start=1))
    card = card_of(Dialog(kind="picker", text=text, options=options, multi=multi, free_text=True))
    assert card is not None
    return card


class TestClaudeCode:
    @pytest.mark.parametrize("size", ["80x24", "120x40"])
    def test_a_question_with_its_own_options_only(self, size: str) -> None:
        assert claude(f"{size}-ask-user-question") == PickerCard(
            question="Which fruit should we harvest first?",
            options=(
                Choice("1", "Pears", "They bruise soonest", True),
                Choice("2", "Plums", "Smaller crop, one morning"),
                Choice("3", "Apples", "Can wait two weeks"),
            ),
            free_text=True,
            way_out="5",
        )

    def test_several_choices(self) -> None:
        card = claude("80x24-picker-multi-two-ticked")
        assert card.multi and card.free_text
        assert card.question == (
            "Which tools may I list in the very long harvest plan that we are going to write together this"
            " week, and which of them are already in the shed behind the old mill?"
        )
        assert [(one.key, one.what) for one in card.options] == [
            (
                "1",
                "Two metre ladder, which stands in the shed behind the old mill and needs to be carried by"
                " two persons at least",
            ),
            ("2", "Stacking crates"),
            ("3", "Leather"),
        ]
        assert card.options[1].label.startswith(
            "Crates, and the very long stacking poles that go with them, "
        )

    def test_ticking_and_typing_make_no_other_card(self) -> None:
        names = ("single-question", "two-ticked", "free-text")
        assert len({claude(f"80x24-picker-multi-{name}") for name in names}) == 1

    def test_a_label_with_a_colon(self) -> None:
        first, second = claude("80x24-picker-single-long-label").options
        assert first.label == (
            "main: the stable one, with a very long label that will have to wrap at eighty columns"
        )
        assert (first.what, second.label, second.what) == ("d1", "next", "")

    def test_the_answers_shown_once_more(self) -> None:
        card = claude("80x24-ask-user-question-3-submit")
        assert card.is_review and card.way_out == "2"
        assert [one.label for one in card.options] == ["Submit answers", "Cancel"]
        assert "● Which tools may I list?\n   → Ladder, Crates" in card.context


class TestCodex:
    def test_a_question(self) -> None:
        assert codex("question-plan-mode-80x24") == PickerCard(
            question="Which bed should the beans go in?",
            options=(
                Choice("1", "North bed", "Gets the morning sun.", True),
                Choice("2", "South bed", "Dries out sooner."),
                Choice("3", "None of the above", "Something else: say it in your own words."),
            ),
            free_text=True,
            way_out="3",
        )

    def test_the_way_out_says_that_nobody_decided(self) -> None:
        beds, fruit = codex("question-plan-mode-80x24"), claude("80x24-ask-user-question")
        assert way_out_note(beds.options, "3", free_text=True) == SKIPPED
        assert way_out_note(fruit.options, "5", free_text=True) is None
        review = claude("80x24-ask-user-question-3-submit")
        assert way_out_note(review.options, "2", free_text=review.free_text) is None

    def test_one_of_several(self) -> None:
        card = codex("question-first-of-two-100x30")
        assert (card.question, card.context) == ("Which bed should the beans go in?", "Question 1 of 2.")
        assert card.options[1].label == "South bed, dry: yes - really"
        assert card.options[1].what.startswith("Dries out sooner. And this")
        assert codex("question-second-of-two-100x30").context == "Question 2 of 2."


class TestWhatIsNoQuestion:
    @pytest.mark.parametrize("kind", ["permission", "plan", "startup", "limit", "other"])
    def test_other_dialogs(self, kind: str) -> None:
        assert card_of(Dialog(kind=kind, text="Proceed?", options=(Option("1", "Yes"),))) is None  # type: ignore[arg-type]  # a word of the table

    def test_a_question_that_ends_like_an_option(self) -> None:
        card = picker("Which?\nYes: in a question", "Yes", "No")
        assert card.question == "Which? Yes: in a question"
        assert [one.what for one in card.options] == ["", ""]

    def test_one_label_is_the_beginning_of_another(self) -> None:
        card = picker("Which?\n\nA: B: both\nA: alone", "A: B", "A")
        assert [one.what for one in card.options] == ["both", "alone"]

    def test_nothing_is_without_limits(self) -> None:
        card = picker("w " * 9_000, *(f"{at} " + "x" * 9_000 for at in range(80)))
        assert len(card.question) == 2_000 and len(card.options) == MOST_OPTIONS
        assert all(len(one.label) == 500 for one in card.options)
        assert card.problem == "It has 80 options; the first 50 are shown."

    def test_what_the_agent_itself_calls_other_is_an_option(self) -> None:
        card = picker("Which?\n\nNone of the above: I stop", "A", "Other", "None of the above")
        assert [(one.label, one.what) for one in card.options] == [
            ("A", ""),
            ("Other", ""),
            ("None of the above", "I stop"),
        ]

    def test_without_a_text(self) -> None:
        assert picker("", "A", "B").question == "The agent asks for a choice."


FRUIT = (Choice("1", "Pears", "", True), Choice("2", "Plums, ripe"), Choice("3", "Apples"))


def claudes(output: str, state: str = "done", asked: str = "Which fruit?") -> Tool:
    return Tool(name="AskUserQuestion", title="", state=state, input=asked, output=output)  # type: ignore[arg-type]  # a word of the table


class TestAnsweredInClaudeCode:
    @pytest.mark.parametrize(
        ("output", "multi", "answer"),
        [
            ("Which fruit? → Pears (Recommended)", False, PickerAnswer(keys=("1",))),
            ("Which fruit? → Plums, ripe", False, PickerAnswer(keys=("2",))),
            ("Which\nfruit? → Apples\nWhich tools? → Ladder", False, PickerAnswer(keys=("3",))),
            ("Which tools? → Ladder\nWhich fruit? → Apples", False, PickerAnswer(keys=("3",))),
            ("Which fruit? → Quinces – 漢\nand more", False, PickerAnswer(text="Quinces – 漢\nand more")),
            ('Which fruit? → Apples, "Plums, ripe"', True, PickerAnswer(keys=("3", "2"))),
            ("Which fruit? → Plums, ripe, Pears (Recommended)", True, PickerAnswer(keys=("2", "1"))),
            ("Which fruit? → Apples, a rope, 20 m", True, PickerAnswer(keys=("3",), text="a rope, 20 m")),
            ("Which fruit? → ", False, None),
            ("Which tools? → Ladder", False, None),
            ("", False, None),
        ],
    )
    def test_a_row(self, output: str, multi: bool, answer: PickerAnswer | None) -> None:
        assert answer_in(claudes(output), "Which fruit?", FRUIT, multi=multi) == answer

    def test_declined(self) -> None:
        row = claudes("", "refused", "Which\nfruit?\n- Pears")
        assert answer_in(row, "Which fruit?", FRUIT, multi=False) == PickerAnswer(declined=True)
        assert answer_in(row, "Which tools?", FRUIT, multi=False) is None

    def test_a_call_that_runs_tells_nothing(self) -> None:
        assert (
            answer_in(claudes("Which fruit? → Apples", "running"), "Which fruit?", FRUIT, multi=False) is None
        )

    def test_other_tools_tell_nothing(self) -> None:
        row = Tool(name="Bash", title="", state="done", output="Which fruit? → Apples")
        assert answer_in(row, "Which fruit?", FRUIT, multi=False) is None


ASKED = json.dumps(
    {"questions": [{"id": "a", "question": "Which tools?"}, {"id": "b", "question": "Which  fruit?"}]}
)


def codexs(output: str, state: str = "done", given: str = ASKED) -> Tool:
    return Tool(name="request_user_input", title="", state=state, input=given, output=output)  # type: ignore[arg-type]  # a word of the table


def answers(*said: str) -> str:
    return json.dumps({"answers": {"b": {"answers": list(said)}, "a": {"answers": ["Ladder"]}}})


class TestAnsweredInCodex:
    @pytest.mark.parametrize(
        ("output", "answer"),
        [
            (answers("Pears (Recommended)"), PickerAnswer(keys=("1",))),
            (
                answers("Apples", "user_note: the small ones"),
                PickerAnswer(keys=("3",), text="the small ones"),
            ),
            (
                answers("None of the above", "user_note: Quinces"),
                PickerAnswer(text="None of the above\nQuinces"),
            ),
            (answers(), PickerAnswer(declined=True)),
            ("request_user_input was cancelled before receiving a response", PickerAnswer(declined=True)),
            ("{}", None),
            ("[" * 5_000, None),
            ("not JSON", None),
        ],
    )
    def test_a_row(self, output: str, answer: PickerAnswer | None) -> None:
        assert answer_in(codexs(output), "Which fruit?", FRUIT, multi=False) == answer

    def test_the_question_must_be_the_same(self) -> None:
        assert answer_in(codexs(answers("Apples")), "Which bed?", FRUIT, multi=False) is None
        assert answer_in(codexs(answers("Apples"), given="{cut"), "Which fruit?", FRUIT, multi=False) is None


class TestTheReviewPage:
    CARD = claude("80x24-ask-user-question-3-submit")

    @pytest.mark.parametrize(
        ("row", "answer"),
        [
            (claudes("Which fruit? → Pears"), PickerAnswer(keys=("1",))),
            (claudes("", "refused"), PickerAnswer(declined=True)),
            (claudes("Which fruit? → Pears", "running"), None),
            (claudes("an error", "failed"), None),
            (codexs(answers("Pears")), None),
        ],
    )
    def test_it_ends_with_the_tool(self, row: Tool, answer: PickerAnswer | None) -> None:
        assert answer_in(row, self.CARD.question, self.CARD.options, multi=False) == answer

    FRUIT = Said(question="Which fruit should we harvest first?", labels=("Pears",))
    TOOLS = Said(question="Which tools may I list?", labels=("Ladder", "Crates"))

    def test_it_shows_what_was_chosen(self) -> None:
        assert confirms(self.CARD, (self.TOOLS, self.FRUIT))
        long = claude("80x24-picker-multi-submit")
        label = "Crates, and the very long stacking poles that go with them, always in pairs of two or more"
        asked = claude("80x24-picker-multi-two-ticked").question
        assert confirms(long, (Said(question=asked, labels=("Ladder", label)),))

    @pytest.mark.parametrize(
        "said",
        [
            (),
            (FRUIT,),
            (FRUIT, Said(question=TOOLS.question, labels=("Ladder",))),
            (FRUIT, Said(question=TOOLS.question, labels=("Ladder", "Crates"), text="and gloves")),
            (Said(question=FRUIT.question, labels=("Plums",)), TOOLS),
            (FRUIT, Said(question=TOOLS.question)),
        ],
    )
    def test_it_shows_something_else(self, said: tuple[Said, ...]) -> None:
        assert not confirms(self.CARD, said)

    def test_words_of_their_own(self) -> None:
        for shown in ("Pears: the ripe ones", "Pears, the ripe ones"):
            page = picker(f"Review your answers\n\n ● Which fruit?\n   → {shown}", "Submit answers", "Cancel")
            assert confirms(page, (Said(question="Which fruit?", labels=("Pears",), text="the ripe ones"),))
            more = picker(
                f"Review your answers\n\n ⚠ Not all is answered\n\n ● Which fruit?\n   → {shown}", "a"
            )
            assert not confirms(
                more, (Said(question="Which fruit?", labels=("Pears",), text="the ripe ones"),)
            )

    def test_another_page_confirms_nothing(self) -> None:
        assert not confirms(claude("80x24-ask-user-question"), (self.FRUIT,))

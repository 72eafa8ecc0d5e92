"""Questions in a terminal: what a card says, how an end is named, which option is meant."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.cli import text
from controlroom.cli.errors import CliError
from controlroom.cli.question_view import (
    QuestionView,
    answer_words,
    choose,
    how_to_answer,
    names_of,
    outcome_words,
    render_card,
    render_history,
    render_open,
    short_ids,
    state_words,
)
from controlroom.wire.model import Delivery, Held
from controlroom.wire.question import LooksAnswered, Question, QuestionAnswer, QuestionOption
from tests.unit.cli.agents import HOUR, MIN, NOW, agent, fleet, machine
from tests.unit.cli.questions import closed, default, question

VIEW = QuestionView(
    now_ms=NOW, width=80, names={"agt_1": "orchard"}, ids={"q_3fa9c1d2e3f4": "q_3fa9"}, zone=UTC
)


def card(asked: Question, *, is_whole: bool = False, **more: Any) -> list[str]:
    view = QuestionView(**({name: getattr(VIEW, name) for name in VIEW.__struct_fields__} | more))
    return render_card(asked, view, is_whole=is_whole)


# ---- cards -------------------------------------------------------------------------------------------------


def test_the_inbox() -> None:
    asked = question(default=default(), context="The new table is live since this morning.")
    urgent = question("May I buy the licence?", id="q_7", blocking=True, options=(), blocking_why="money")
    assert render_open([urgent, asked], VIEW) == [
        "2 questions wait for you · 1 blocking",
        "",
        "●? orchard  Blocking  12 min ago                                             q_7",
        "   May I buy the licence?",
        "   It waits for you.",
        "   Blocking: money",
        "",
        "●? orchard  12 min ago                                                    q_3fa9",
        "   Shall the old invoices move too?",
        "   The new table is live since this morning.",
        "     1  All of them",
        "        takes about 20 minutes, the old table can go",
        "     2  Only this year's (recommended)",
        "        the old table stays",
        "   Default in 18 min, at 11:18: I move only this year's",
    ]


def test_an_empty_inbox() -> None:
    assert render_open([], VIEW) == ["Nothing waits for you."]
    assert render_open([question()], VIEW)[0] == "1 question waits for you"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "   It waits for you; it has no default."),
        ({"blocking": True, "default": default("No")}, "   Its default is not used: No"),
        ({"default": default("No", None, said="soon")}, "   Default, at no certain time: No"),
        ({"default": default("No", -MIN)}, "   Default now, at 10:59: No"),
        ({"default": default("No", 26 * HOUR)}, "   Default in 1 d, at 2026-12-01 13:00: No"),
        ({"default": default("No", problem="“soon” is no time.")}, "   “soon” is no time."),
        ({"multi": True}, "   Several may be chosen."),
        ({"doc": "https://docs.example/x"}, "   Doc: https://docs.example/x"),
        ({"problem": "It has one option only."}, "   Not quite in its form: It has one option only."),
        (
            {"looks_answered": LooksAnswered(at_ms=NOW, why="You said so in the terminal.")},
            "   Looks answered: You said so in the terminal.",
        ),
        ({"more": 37}, "   It stands for 37 questions that came too fast."),
        ({"replaces": "q_3fa9c1d2e3f4"}, "   Replaces q_3fa9."),
    ],
)
def test_what_else_stands_on_a_card(more: dict[str, Any], said: str) -> None:
    assert said in card(question(**more))


def test_no_countdown_runs_while_the_control_room_is_paused() -> None:
    rows = card(question(default=default()), paused=True)
    assert [
        row for row in rows if row.startswith("   Default at 11:18, not while the Control Room is paused:")
    ]
    assert not [row for row in rows if "Default in" in row]


def test_a_whole_card_has_its_history_and_the_words_as_they_were_written() -> None:
    raw = "Question for Founder: x"
    asked = closed("resolved", "checker", "Answered in the chat.", proof="Take all.", raw=raw)
    lines = card(asked, is_whole=True)
    assert lines[0].endswith("  q_3fa9c1d2e3f4")
    assert "   As it was written:" in lines
    assert "      Question for Founder: x" in lines
    assert lines[-3:] == [
        "   10:48  open, by the agent: Asked.",
        "   10:59  resolved, by the checker: Answered in the chat.",
        "      “Take all.”",
    ]


def test_a_closed_card_says_how_it_ended() -> None:
    assert "   Skipped by you." in card(closed("skipped", "host", default=default(problem="Too late.")))
    answered = card(closed("answered", "host", answer=GIVEN), width=200)
    outcome = "“Only this year's”, “Tell me then.”. Accepted. Goes out when this turn ends."
    assert f"   Answered by you: {outcome}" in answered
    assert not [row for row in card(closed("skipped", "host", default=default())) if "Default in" in row]


def test_a_long_context_is_short_in_the_list_only() -> None:
    asked = question(context="word " * 200)
    assert len(card(asked, is_whole=True)) > len(card(asked)) + 8
    assert [row for row in card(asked) if row.endswith("…")]


@given(said=st.text(max_size=300), label=st.text(min_size=1, max_size=200), width=st.integers(24, 120))
def test_outside_text_never_leaves_its_rows(said: str, label: str, width: int) -> None:
    asked = question(
        said,
        options=(QuestionOption(key="1", label=label, what=said),),
        context=said,
        raw=said,
        default=default(said),
        problem=said,
    )
    for line in [*card(asked, is_whole=True, width=width), *card(asked, width=width)]:
        assert text.cells(line) <= width
        assert not set(line) & {"\x1b", "\r", "\n", "\x07", "\u202e"}


def test_colour_only_where_it_is_wanted() -> None:
    assert "\x1b" not in "".join(card(question()))
    assert "\x1b[1;33m●? " in card(question(), colour=True)[0]


# ---- how it ended ------------------------------------------------------------------------------------------

HELD = Held(code="working", text="Goes out when this turn ends.", since_ms=NOW)
GIVEN = QuestionAnswer(
    by="host",
    at_ms=NOW,
    option="2",
    text="Tell me then.",
    delivery=Delivery(id="q_3:1", state="accepted", held=HELD),
)


@pytest.mark.parametrize(
    ("asked", "words", "outcome"),
    [
        (question(), "Waits for you", ""),
        (
            closed("answered", "device:d", answer=GIVEN),
            "Answered by you",
            "“Only this year's”, “Tell me then.”. Accepted. Goes out when this turn ends.",
        ),
        (closed("answered", "chief", answer=GIVEN), "Answered by the chief", None),
        (closed("resolved", "agent:agt_1", "It went."), "Resolved by the agent", "It went."),
        (closed("resolved", "checker", "Said.", proof="Yes."), "Closed by the checker", "Said. “Yes.”"),
        (closed("superseded", "agent"), "Replaced by a newer question", ""),
        (closed("default", "timer", default=default("No")), "Default used", "No"),
        (closed("default", "timer", late=True), "Default used, late", ""),
        (closed("skipped", "host"), "Skipped by you", ""),
        (closed("dismissed", "host"), "Dismissed by you", ""),
        (closed("expired", "timer", "Its dialog is gone."), "Expired", "Its dialog is gone."),
    ],
)
def test_how_an_end_is_named(asked: Question, words: str, outcome: str | None) -> None:
    assert state_words(asked) == words
    if outcome is not None and not (asked.state == "default" and asked.default is None):
        assert outcome_words(asked) == outcome


def test_the_history() -> None:
    asked = closed("skipped", "host")
    assert render_history([asked], VIEW) == [
        "10:59  orchard  Skipped by you                                            q_3fa9",
        "   Shall the old invoices move too?",
    ]


def test_an_answer_in_words_of_several_options() -> None:
    several = closed("answered", "host", answer=QuestionAnswer(by="host", at_ms=NOW, option="1, 2, x"))
    assert answer_words(several) == "“All of them”, “Only this year's”, “x”"


# ---- names and choices -------------------------------------------------------------------------------------


def test_short_ids_are_as_long_as_they_must_be() -> None:
    ids = ["q_3fa9c1", "q_3fa9c2", "q_7b0000", "q_7b"]
    assert list(short_ids(ids).items()) == [
        ("q_3fa9c1", "q_3fa9c1"),
        ("q_3fa9c2", "q_3fa9c2"),
        ("q_7b", "q_7b"),
        ("q_7b0000", "q_7b00"),
    ]
    assert short_ids(["q_3fa9c1d2e3f4"]) == {"q_3fa9c1d2e3f4": "q_3fa9"}


@given(st.sets(st.text("01", min_size=1, max_size=9).map("q_".__add__), max_size=12))
def test_a_short_id_leads_back_to_its_question(ids: set[str]) -> None:
    from controlroom.cli.find_question import choose_id

    for whole, short in short_ids(ids).items():
        assert choose_id(ids, short) == whole


@pytest.mark.parametrize("said", ["2", "Only this year's", "only THIS year's "])
def test_an_option_by_key_or_whole_label(said: str) -> None:
    assert [option.key for option in choose(question(), said)] == ["2"]


def test_several_options_where_it_takes_several() -> None:
    assert [option.key for option in choose(question(multi=True), "1, Only this year's")] == ["1", "2"]
    with pytest.raises(CliError, match="is not one of its options"):
        choose(question(), "1,2")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (question(), "is not one of its options: 1 \\(All of them\\)"),
        (question(options=()), "has no options"),
    ],
)
def test_a_choice_is_never_guessed(asked: Question, said: str) -> None:
    with pytest.raises(CliError, match=said):
        choose(asked, "All")


def test_labels_may_hold_commas() -> None:
    """Field lesson 27."""
    options = tuple(
        QuestionOption(key=str(at), label=one) for at, one in enumerate(["Yes, once", "Yes, always"], 1)
    )
    assert [one.key for one in choose(question(options=options, multi=True), "Yes, always")] == ["2"]


def test_names_say_the_machine_where_there_are_several() -> None:
    one, two = machine("build-box"), machine("attic-mini", id="mac_2")
    far = agent("orchard", id="agt_1", machine_id="mac_2")
    assert names_of(fleet(far, machines=(one, two))) == {"agt_1": "orchard on attic-mini"}
    assert names_of(fleet(agent("orchard", id="agt_1"), machines=(one,))) == {"agt_1": "orchard"}


def test_what_can_be_typed_next() -> None:
    def hint(*words: str) -> str:
        return " ".join(words)

    assert how_to_answer(question(), "q_3", hint) == [
        "Answer:   answer q_3 1",
        "In words: answer q_3 --text …",
        "Skip:     skip q_3",
    ]
    assert how_to_answer(question(options=(), free_text=False), "q_3", hint) == ["Skip:     skip q_3"]
    skipped, used = closed("skipped", "host", undo_until_ms=0), closed("default", "timer", reopenable=True)
    assert how_to_answer(skipped, "q_3", hint) == ["Take it back: undo q_3"]
    assert how_to_answer(used, "q_3", hint) == ["Open it again: reopen q_3"]
    assert how_to_answer(closed("dismissed", "host"), "q_3", hint) == []

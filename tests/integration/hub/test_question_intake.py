"""What chats say about questions: repeats, ``Resolved`` lines, answers in the terminal, and floods."""

from __future__ import annotations

import msgspec
import pytest

from controlroom.hub import question_intake
from controlroom.testing.fake_node import agent_state
from controlroom.wire.client import SendMessage
from controlroom.wire.model import Item
from controlroom.wire.node import ActResult, SendAct
from tests.integration.hub.conftest import House
from tests.integration.hub.question_house import ASK, BLOCKING, PLAIN, SHIP, Inbox, ready
from tests.support.waiting import until

OLD = 1_000_000_000_000


async def marked(house: House) -> None:
    """Wait until everything that was said has been fetched."""
    wanted = {state.chat_id: state.mark for state in house.node.agents.values()}
    await until(lambda: all(house.hub._chats._marks.get(id) == mark for id, mark in wanted.items()))


async def test_a_question_that_is_asked_again_replaces_the_older_one(house: House) -> None:
    inbox = await ready(house)
    first = await inbox.asked(PLAIN)
    second = await inbox.asked(PLAIN.replace("Move the old", "**Move** the old"))
    old = await inbox.get(first.id)
    assert (old.state, old.superseded_by, old.reopenable) == ("superseded", second.id, True)
    assert second.replaces == first.id
    (receipt,) = [one for one in await inbox.receipts() if one.what == "supersede"]
    assert "It was asked again." in receipt.text and receipt.question_id == first.id
    assert inbox.sent == []


async def test_two_different_questions_of_one_reply_are_two(house: House) -> None:
    inbox = await ready(house)
    await inbox.say(f"{PLAIN}\n\n{BLOCKING}")
    await until(inbox.open)
    assert len(await inbox.open()) == 2


async def test_the_successor_of_a_question_that_waits_for_the_person_does_too(house: House) -> None:
    inbox = await ready(house)
    first = await inbox.asked(f"{SHIP}Blocking: yes")
    second = await inbox.asked(f"{SHIP}Default: I ship it by 1 hour from now")
    assert (second.replaces, second.blocking) == (first.id, True)
    assert second.blocking_why == "It takes the place of a question that waits for you."


async def test_the_same_question_about_something_else_is_another(house: House) -> None:
    inbox = await ready(house)
    first = await inbox.asked(PLAIN)
    second = await inbox.asked(PLAIN.replace("old", "new"))
    assert {one.id for one in await inbox.open()} == {first.id, second.id}


async def test_a_resolved_line_closes_its_question_with_its_proof(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    await inbox.say("Resolved for Founder: Move the old invoices too?: Kim said yes.", kind="assistant")
    closed = await inbox.until(asked.id, lambda q: q.state == "resolved")
    last = closed.history[-1]
    assert (last.by, last.why) == ("agent:agt_1", "Kim said yes.")
    assert last.proof == "Resolved for Founder: Move the old invoices too?: Kim said yes."
    assert closed.reopenable and inbox.sent == []


async def test_a_resolved_line_that_matches_nothing_is_told(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    await inbox.say("Resolved for Founder: The printer?: It works again.", kind="assistant")
    await marked(house)
    (receipt,) = [one for one in await inbox.receipts() if one.what == "resolve"]
    assert receipt.code == "not_found" and "The printer" in receipt.text
    assert (await inbox.get(asked.id)).state == "open"


@pytest.mark.parametrize(("said", "key"), [("2", "2"), ("yes, all of them!", "1"), ("2.", "2")])
async def test_an_option_that_is_named_in_the_terminal_is_the_answer(
    house: House, said: str, key: str
) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    await inbox.say(said, kind="user")
    closed = await inbox.until(asked.id, lambda q: q.state == "answered")
    assert closed.answer is not None
    assert (closed.answer.option, closed.answer.by, closed.answer.delivery) == (key, "host", None)
    assert (closed.undo_until_ms, closed.history[-1].why) == (None, "Answered in the terminal.")
    assert inbox.sent == []


@pytest.mark.parametrize(
    "said", [("Yes, but what does that cost?",), ("Let me see.", "2"), ("Yes, all of them, I think",)]
)
async def test_other_words_in_the_terminal_close_nothing(house: House, said: tuple[str, ...]) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    for words in said:
        await inbox.say(words, kind="user")
    await marked(house)
    assert [one.id for one in await inbox.open()] == [asked.id]


async def test_a_choice_behind_other_words_of_the_agent_means_those(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    await inbox.say("Which file shall I open: 1 or 2?", kind="assistant")
    await inbox.say("2", kind="user")
    await marked(house)
    assert [one.id for one in await inbox.open()] == [asked.id]


async def test_a_choice_that_two_questions_of_one_reply_offer_closes_neither(house: House) -> None:
    inbox = await ready(house)
    await inbox.say(f"{PLAIN}\n\n{BLOCKING}")
    await until(inbox.open)
    await inbox.say("2", kind="user")
    await marked(house)
    first, _ = await inbox.open()
    assert first.question == "Which colour?"


async def test_a_choice_that_only_one_of_them_offers_closes_that(house: House) -> None:
    inbox = await ready(house)
    await inbox.say(f"{PLAIN}\n\n{BLOCKING}")
    await until(inbox.open)
    await inbox.say("blue", kind="user")
    await marked(house)
    assert [one.question for one in await inbox.open()] == ["Move the old invoices too?"]


async def test_the_terminal_takes_the_place_of_an_answer_on_its_way(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    await inbox.answer(asked.id, "1")
    await inbox.taken(f"{asked.id}:1")
    await inbox.say("2", kind="user")
    now = await inbox.until(asked.id, lambda q: len(q.history) == 3)
    assert now.answer is not None
    assert (now.state, now.answer.option, now.answer.delivery) == ("answered", "2", None)

    async def is_back() -> bool:
        return (await house.client.message(f"{asked.id}:1")).detail == "Taken back before it was typed."

    await until(is_back)


async def test_an_answer_that_is_typed_stays_whatever_the_terminal_says(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    await inbox.answer(asked.id, "1")
    act = await inbox.taken(f"{asked.id}:1")
    await house.node.progress(act.id, "delivered", item_id="u9")
    await inbox.until(asked.id, lambda q: q.undo_until_ms is None)
    await inbox.say("2", kind="user")
    await marked(house)
    assert len((await inbox.get(asked.id)).history) == 2


async def test_a_message_that_names_an_option_answers_as_whoever_sent_it(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="No"))
    await inbox.taken("msg_1")
    await inbox.say("No", id="u1", kind="user")
    await house.node.progress("msg_1", "delivered", item_id="u1")
    closed = await inbox.until(asked.id, lambda q: q.state == "answered")
    assert closed.answer is not None and closed.answer.option == "2"
    assert inbox.sent == ["No"]


async def test_at_the_first_reading_only_what_waits_still_is_a_card(house: House) -> None:
    items = [
        Item(id="a1", at_ms=OLD, kind="question", text=BLOCKING),
        Item(id="a2", at_ms=OLD, kind="user", text="Blue"),
        Item(id="a3", at_ms=OLD, kind="question", text=f"{ASK}Default: I move them by 1 hour from now"),
    ]
    house.node.chats["cht_1"] = list(items)
    await house.node.put(agent_state(mark="3"))
    await house.until_agent()
    inbox = Inbox(house)
    (card,) = await until(inbox.open)
    assert card.item_id == "a3"
    assert card.default is not None and card.default.due_at_ms is None
    assert card.default.problem is not None and "over before the Control Room saw it" in card.default.problem
    assert [one.state for one in (await inbox.all()).questions] == ["open"]


async def test_what_is_only_quoted_is_no_question(house: House) -> None:
    inbox = await ready(house)
    quoted = "\n".join(f"> {line}" for line in PLAIN.splitlines())
    await inbox.say(f"It said:\n{quoted}\n", kind="assistant")
    await inbox.say(f"```\n{PLAIN}\n```", kind="assistant")
    for kind in ("user", "tool", "helper", "notice", "thinking"):
        await inbox.say(PLAIN, kind=kind)
    await marked(house)
    assert (await inbox.all()).questions == ()


async def test_a_block_that_departs_from_its_form_is_a_card_and_the_agent_is_told_once(house: House) -> None:
    inbox = await ready(house)
    broken = await inbox.asked("Question for Founder: Ship it?\n- Yes\n")
    assert broken.problem is not None and broken.raw is not None
    await inbox.taken("teach_agt_1")
    await inbox.asked("Question for Founder: And the plums?\n- Yes\n")
    await marked(house)
    (told,) = inbox.sent
    assert 'Your question "Ship it?" is with the person' in told


async def test_an_agent_that_asks_too_fast_gets_one_card_for_the_rest(house: House) -> None:
    inbox = await ready(house)
    words = [f"{'abcdefghij'[at % 10] * 5}{'klmnopqrst'[at // 10] * 5}" for at in range(60)]
    blocks = [
        f"Question for Founder: What about {word}?\n- Go{at}\n- Stop{at}\nDefault: go by 20:00"
        for at, word in enumerate(words)
    ]
    items = [
        Item(id=f"b{at}", at_ms=house.clock.now_ms(), kind="question", text=text)
        for at, text in enumerate(blocks)
    ]
    await house.node.say("agt_1", *items)
    await marked(house)
    found = await inbox.open()
    assert len(found) == 21
    (group,) = [one for one in found if one.more]
    assert (group.more, group.question, group.default) == (40, "And 40 more questions", None)
    assert group.problem is not None and "more than 20 questions" in group.problem
    assert group.context is not None and group.context.count("\n") == 39
    again = await inbox.say(blocks[59], id="b59")
    assert again == "b59"
    await marked(house)
    assert (await inbox.get(group.id)).more == 40, "a repeated fetch counts nothing again"
    await inbox.answer(group.id, text="Stop asking")
    act = await inbox.taken(f"{group.id}:1")
    assert act.text == "Answer to the 40 questions that you asked in a short time: Stop asking"


async def test_a_reply_of_hundreds_of_questions_loses_none_unsaid(house: House) -> None:
    inbox = await ready(house)
    await inbox.say(
        "\n\n".join(f"Question for Founder: Is {at * 7919} ripe?\nBlocking: yes" for at in range(300))
    )
    await until(inbox.open)
    found = await inbox.open()
    assert (len(found), sum(one.more for one in found)) == (21, 280)
    assert all(one.blocking for one in found)


async def test_an_agent_that_left_takes_its_questions_with_it(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    await house.node.drop("agt_1")
    gone = await inbox.until(asked.id, lambda q: q.state == "expired")
    assert gone.history[-1].why == "Its agent has left the fleet."
    assert gone.reopenable
    (receipt,) = [one for one in await inbox.receipts() if one.what == "expire"]
    assert receipt.question_id == asked.id


async def test_the_answer_waits_on_disk_for_a_machine_that_is_away(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    await house.node.go_away()
    await until(lambda: not house.hub.fleet().machines[0].online)
    answered = await inbox.answer(asked.id, "1")
    assert answered.answer is not None and answered.answer.delivery is not None
    assert answered.answer.delivery.held is not None
    assert answered.answer.delivery.held.code == "offline"
    await house.restart()
    assert inbox.sent == []
    await house.node.come_back()
    await inbox.taken(f"{asked.id}:1")
    await until(lambda: len([act for act in house.node.asked if isinstance(act, SendAct)]) == 1)


async def test_a_machine_that_refuses_the_answer_fails_it_truthfully(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    house.node.refuse = lambda act: ActResult(code="not_found", text="No such agent.")
    await inbox.answer(asked.id, "1")
    failed = await inbox.until(asked.id, lambda q: q.reopenable)
    assert failed.answer is not None and failed.answer.delivery is not None
    assert (failed.answer.delivery.state, failed.answer.delivery.detail) == ("failed", "No such agent.")


async def test_the_blocks_of_an_event_are_bounded(house: House) -> None:
    inbox = await ready(house)
    options = "\n".join(f"- Way {at} {'y' * 400}: {'x' * 900}" for at in range(50))
    seq = (await house.client.fleet()).seq
    asked = await inbox.asked(
        f"Question for Founder: Which way?\n{options}\nBlocking: yes\nContext: {'c' * 5000}"
    )
    events = [one for one in await house.store.events_after(seq, 100) if one.name == "question.changed"]
    assert all(len(event.data) < 16_000 for event in events)
    told = msgspec.json.decode(events[0].data)
    assert told["clipped"] is True
    assert len((await inbox.get(asked.id)).options[0].label) > 300


async def test_a_reply_that_breaks_us_costs_its_questions_and_not_the_chat(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox = await ready(house)
    seq = (await house.client.fleet()).seq

    def broken(*_parts: object) -> str:
        raise RecursionError("deep")

    monkeypatch.setattr(question_intake, "is_too_fast", broken)
    await inbox.say(f"Resolved for Founder: Something?: Done.\n\n{PLAIN}")
    await marked(house)
    monkeypatch.undo()
    assert len((await house.client.items("cht_1")).items) == 2
    assert (await inbox.all()).questions == ()
    assert await inbox.receipts() == [], "all of that reading was taken back"
    names = [event.name for event in await house.store.events_after(seq, 50)]
    assert "chat.items" in names and "receipt.added" not in names
    assert (await inbox.asked(BLOCKING)).state == "open"

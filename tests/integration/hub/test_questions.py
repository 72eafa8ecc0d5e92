"""Questions through a hub: asked, answered in one message, closed by whoever is first."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from controlroom.wire.model import Held
from tests.integration.hub.conftest import House
from tests.integration.hub.question_house import BLOCKING, PLAIN, SHIP, Refused, ready
from tests.support.waiting import until


async def test_a_block_becomes_a_card_and_its_answer_one_message(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(f"I looked at it.\n\n{PLAIN}")
    assert (asked.question, asked.state, asked.source) == ("Move the old invoices too?", "open", "block")
    assert [(one.key, one.label, one.what) for one in asked.options] == [
        ("1", "Yes, all of them", "they fit"),
        ("2", "No", "they stay"),
    ]
    assert asked.default is not None and asked.default.text == "I move them"
    assert asked.default.due_at_ms == asked.asked_at_ms + 23 * 3600_000
    assert (asked.item_id, asked.agent_id, asked.problem) == ("i2", "agt_1", None)
    answered = await inbox.answer(asked.id, "Yes, all of them", "but slowly")
    assert answered.state == "answered"
    assert answered.answer is not None and answered.answer.delivery is not None
    assert (answered.answer.option, answered.answer.text) == ("1", "but slowly")
    act = await inbox.taken(f"{asked.id}:1")
    assert act.text == (
        'Answer to your question "Move the old invoices too?": Yes, all of them. Note: but slowly'
    )
    assert (act.by, act.agent_id, act.when) == ("host", "agt_1", "idle")
    await house.node.progress(act.id, "accepted", held=Held(code="working", text="busy", since_ms=1))
    held = await inbox.until(
        asked.id,
        lambda q: (
            q.answer is not None and q.answer.delivery is not None and q.answer.delivery.held is not None
        ),
    )
    assert held.undo_until_ms == 0
    await house.node.progress(act.id, "delivered", item_id="i3")
    done = await inbox.until(asked.id, lambda q: q.undo_until_ms is None)
    assert done.answer is not None and done.answer.delivery is not None
    assert done.answer.delivery.state == "delivered"
    assert inbox.sent == [act.text]
    (receipt,) = [one for one in await inbox.receipts() if one.question_id == asked.id]
    assert (receipt.what, receipt.by, receipt.agent_id) == ("answer", "host", "agt_1")
    assert receipt.text == "Answered “Move the old invoices too?”: Yes, all of them – but slowly"


async def test_of_two_answers_at_once_one_wins_and_the_other_is_told(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    told = await asyncio.gather(
        *(inbox.answer(asked.id, key) for key in ("1", "2", "1", "2")), return_exceptions=True
    )
    lost = [one for one in told if isinstance(one, Refused)]
    assert len(lost) == 3
    assert {(one.status, one.code) for one in lost} == {(409, "conflict")}
    won = next(one for one in told if not isinstance(one, BaseException))
    assert won.answer is not None
    label = {"1": "Yes, all of them", "2": "No"}[won.answer.option or ""]
    assert lost[0].text == f"It was answered by you at the computer already: {label}."
    await inbox.taken(f"{asked.id}:1")
    assert len(inbox.sent) == 1


async def test_the_same_request_is_one_answer(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    for _ in range(3):
        again = await inbox.answer(asked.id, "1", request="req_x")
        assert again.state == "answered" and len(again.history) == 2
    with pytest.raises(Refused, match="something else"):
        await inbox.answer(asked.id, "2", request="req_x")


@pytest.mark.parametrize(
    ("option", "text", "code", "words"),
    [
        (None, None, "bad_request", "say what the answer is"),
        (None, "  ", "bad_request", "say what the answer is"),
        ("9", None, "bad_request", "is not one of 1"),
        (("1", "2"), None, "bad_request", "only one"),
        ("1", "x" * 20_000, "too_large", "at most"),
    ],
)
async def test_an_answer_that_is_none_is_refused(
    house: House, option: str | tuple[str, ...] | None, text: str | None, code: str, words: str
) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    with pytest.raises(Refused, match=words) as caught:
        await inbox.answer(asked.id, option, text)
    assert caught.value.code == code
    with pytest.raises(Refused, match="no question"):
        await inbox.answer("q_none", "1")
    assert (await inbox.get(asked.id)).state == "open"


async def test_a_skip_tells_the_agent_and_a_dismissal_does_not(house: House) -> None:
    inbox = await ready(house)
    first, second = await inbox.asked(PLAIN), await inbox.asked(BLOCKING)
    assert (await inbox.close(first.id, "dismiss")).state == "dismissed"
    assert (await inbox.close(second.id, "skip")).state == "skipped"
    act = await inbox.taken(f"{second.id}:1")
    assert "this is no approval" in act.text
    assert inbox.sent == [act.text]
    assert await inbox.open() == ()


async def test_a_skip_is_taken_back_with_its_message(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    await inbox.close(asked.id, "skip")
    await inbox.taken(f"{asked.id}:1")
    back = await inbox.close(asked.id, "undo")
    assert (back.state, len(back.history)) == ("open", 3)
    await until(lambda: any(getattr(act, "cancel", False) for act in house.node.asked), "cancelled")

    async def is_back() -> bool:
        return (await house.client.message(f"{asked.id}:1")).detail == "Taken back before it was typed."

    await until(is_back)
    assert (await inbox.answer(asked.id, "2")).state == "answered"
    await inbox.taken(f"{asked.id}:3")


async def test_an_answer_is_taken_back_until_it_is_typed(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    await inbox.answer(asked.id, "1")
    await inbox.taken(f"{asked.id}:1")
    back = await inbox.close(asked.id, "undo")
    assert (back.state, back.answer, back.history[-1].by) == ("open", None, "host")
    await inbox.answer(asked.id, "2")
    act = await inbox.taken(f"{asked.id}:3")
    await house.node.progress(act.id, "delivered", item_id="i9")
    await inbox.until(asked.id, lambda q: q.undo_until_ms is None)
    with pytest.raises(Refused, match="typed already") as caught:
        await inbox.close(asked.id, "undo")
    assert caught.value.code == "conflict"


async def test_what_may_not_have_arrived_can_be_asked_again(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    await inbox.answer(asked.id, "1")
    act = await inbox.taken(f"{asked.id}:1")
    await house.node.progress(act.id, "unconfirmed", detail="No row shows it.")
    lost = await inbox.until(asked.id, lambda q: q.reopenable)
    assert lost.answer is not None and lost.answer.delivery is not None
    assert (lost.state, lost.answer.delivery.state) == ("answered", "unconfirmed")
    assert (await inbox.close(asked.id, "reopen", why="Look again.")).state == "open"


async def test_a_repeated_fetch_makes_no_second_card(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    await inbox.say(f"{PLAIN}", id=asked.item_id or "", tokens=None, model="m")
    await inbox.say("More.", kind="assistant")
    await until(lambda: house.hub._chats._marks.get("cht_1") == "4")
    await house.restart()
    await house.until_agent()
    assert [one.id for one in (await inbox.all()).questions] == [asked.id]


async def test_a_wait_ends_with_the_question(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    assert (await inbox.get(asked.id)).state == "open"
    waiting = asyncio.create_task(inbox.get(asked.id, wait=25))
    await until(lambda: bool(house.hub._questions._waits._waiting))
    await inbox.close(asked.id, "dismiss")
    assert (await waiting).state == "dismissed"


async def test_the_inbox_and_its_history(house: House) -> None:
    inbox = await ready(house)
    late = await inbox.asked(PLAIN.replace("23 hours", "5 hours"))
    soon = await inbox.asked(f"{SHIP}Default: I ship it by 1 hour from now")
    never = await inbox.asked(
        "Question for Founder: Which name?\n- Ann\n- Bea\nDefault: I take Ann by some time"
    )
    blocking = await inbox.asked(BLOCKING)
    assert [one.id for one in await inbox.open()] == [blocking.id, soon.id, late.id, never.id]
    assert never.default is not None and never.default.problem is not None
    await inbox.close(late.id, "dismiss")
    page = await inbox.all("&limit=3")
    assert [one.id for one in page.questions] == [blocking.id, never.id, soon.id]
    rest = await inbox.all(f"&limit=3&before={page.before}")
    assert ([one.id for one in rest.questions], rest.before) == ([late.id], None)
    assert (await inbox.all("&agent=agt_9")).questions == ()
    with pytest.raises(Refused, match="no cursor"):
        await inbox.all("&before=x")


@pytest.mark.parametrize(("zone", "hour"), [("Asia/Tokyo", 9), ("UTC-03:30", 21), ("", 18)])
async def test_a_clock_time_is_meant_in_the_zone_of_the_agents_machine(
    house: House, zone: str, hour: int
) -> None:
    house.node.zone = zone
    await house.node.restart()
    inbox = await ready(house)
    await until(lambda: all(node.zone == zone for node in house.hub._nodes.all()))
    asked = await inbox.asked("Question for Founder: Which name?\n- Ann\n- Bea\nDefault: I take Ann by 18:00")
    assert asked.default is not None and asked.default.due_at_ms is not None
    due = datetime.fromtimestamp(asked.default.due_at_ms / 1000, UTC)
    assert due.hour == hour
    assert 0 < asked.default.due_at_ms - asked.asked_at_ms <= 24 * 3600_000


async def test_a_time_that_is_not_clear_is_said_and_never_used(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked("Question for Founder: Which name?\n- Ann\n- Bea\nDefault: I take Ann by 06/07")
    assert asked.default is not None
    assert (asked.default.due_at_ms, asked.default.said) == (None, "06/07")
    assert "two dates" in (asked.default.problem or "")

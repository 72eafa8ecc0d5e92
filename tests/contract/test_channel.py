"""What each channel does for the hub's notifications."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controlroom.hub.channels.base import Action, Again, Answer, Delivered, Gone, Notice, Refused
from tests.contract.channel_stages import NOW_MS, NOW_TEXT, STAGES, Stage

NOTICE = Notice(
    id="ntc_1",
    kind="question",
    tag="agt_1",
    title="limiter asks",
    body="Keep the old name, “rate_é漢🙂”?",
    open="inbox/qst_1",
    at_ms=NOW_MS,
    badge=3,
    urgency="high",
    actions=(Action(id="1", label="Keep it"), Action(id="2", label="Rename it")),
    question_id="qst_1",
    agent_id="agt_1",
)


@pytest.fixture(params=list(STAGES))
async def stage(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Stage]:
    async with STAGES[request.param](tmp_path) as made:
        yield made


async def send(stage: Stage, notice: Notice = NOTICE) -> Answer:
    return await stage.channel.send(stage.target, notice)


def is_discreet(stage: Stage, answer: Answer) -> bool:
    """A sentence that gives nothing away."""
    text = getattr(answer, "text", ".")
    return text.endswith(".") and stage.secret not in text and "limiter" not in text and "://" not in text


async def test_the_words_arrive_whole(stage: Stage) -> None:
    assert await send(stage) == Delivered()
    (heard,) = stage.heard()
    assert (heard["id"], heard["title"], heard["body"]) == (NOTICE.id, NOTICE.title, NOTICE.body)
    assert heard["badge"] == 3
    assert heard["question_id"] == "qst_1"
    assert [one["title"] for one in heard["actions"]] == ["Keep it", "Rename it"]


async def test_many_at_once_arrive_once_each(stage: Stage) -> None:
    notices = [Notice(**{**_fields(), "id": f"ntc_{number}"}) for number in range(20)]
    answers = await asyncio.gather(*(send(stage, one) for one in notices))
    assert answers == [Delivered()] * 20
    assert sorted(one["id"] for one in stage.heard()) == sorted(one.id for one in notices)


@pytest.mark.parametrize("letter", ["x", "é", "漢", "🙂", '"', "\\", "👨‍👩‍👧"])
async def test_a_text_that_is_too_long_is_cut_at_a_character(stage: Stage, letter: str) -> None:
    body = letter * 5000
    assert await send(stage, Notice(**{**_fields(), "body": body})) == Delivered(cut=True)
    (heard,) = stage.heard()
    kept = heard["body"].removesuffix("…")
    assert heard["body"].endswith("…") and len(kept) > 300
    assert body.startswith(kept) and kept == letter * (len(kept) // len(letter))


async def test_a_subscription_that_has_ended_is_gone(stage: Stage) -> None:
    stage.ended()
    answer = await send(stage)
    assert isinstance(answer, Gone) and is_discreet(stage, answer)


@pytest.mark.parametrize(
    ("headers", "after_ms"),
    [
        ({"Retry-After": "120"}, NOW_MS + 120_000),
        ({"Retry-After": "Mon, 30 Nov 2026 00:58:20 GMT", "Date": NOW_TEXT}, NOW_MS + 300_000),
        # Its clock is a day ahead of ours: five minutes from now all the same.
        (
            {"Retry-After": "Tue, 01 Dec 2026 00:58:20 GMT", "Date": "Tue, 01 Dec 2026 00:53:20 GMT"},
            NOW_MS + 300_000,
        ),
        ({"Retry-After": "Mon, 30 Nov 2020 00:00:00 GMT", "Date": NOW_TEXT}, NOW_MS),
        ({"Retry-After": "99999999"}, NOW_MS + 24 * 3600 * 1000),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-5"}, None),
        ({}, None),
    ],
)
async def test_too_many_means_later_and_when(
    stage: Stage, headers: dict[str, str], after_ms: int | None
) -> None:
    stage.says(429, headers)
    answer = await send(stage)
    assert isinstance(answer, Again) and answer.after_ms == after_ms and is_discreet(stage, answer)


@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_trouble_over_there_means_later_and_the_next_one_goes(stage: Stage, status: int) -> None:
    stage.says(status, {})
    answer = await send(stage)
    assert isinstance(answer, Again) and is_discreet(stage, answer)
    assert await send(stage) == Delivered()


async def test_a_refused_login_needs_a_person(stage: Stage) -> None:
    for _ in range(2):  # once more with a fresh signature is allowed
        stage.says(403, {"Date": NOW_TEXT})
    answer = await send(stage)
    assert isinstance(answer, Refused) and is_discreet(stage, answer)


async def test_what_points_elsewhere_is_not_followed(stage: Stage) -> None:
    stage.says(307, {"Location": "/push/elsewhere"})
    assert isinstance(await send(stage), Refused)
    assert stage.heard() == []


async def test_the_other_side_hangs(stage: Stage) -> None:
    answer = await stage.hang().send(stage.target, NOTICE)
    assert isinstance(answer, Again) and is_discreet(stage, answer)


async def test_nobody_is_there(stage: Stage) -> None:
    answer = await stage.away.send(stage.target, NOTICE)
    assert isinstance(answer, Again) and is_discreet(stage, answer)


async def test_what_needs_nobody_is_taken_away_where_that_can_be_done(stage: Stage) -> None:
    answer = await stage.channel.clear(stage.target, ["agt_1"], 0)
    assert isinstance(answer, Delivered if stage.channel.clears else Refused) and is_discreet(stage, answer)


async def test_a_target_shows_no_secret(stage: Stage) -> None:
    assert stage.secret not in repr(stage.target) and stage.secret not in str([stage.target])


def _fields() -> dict[str, object]:
    return {name: getattr(NOTICE, name) for name in NOTICE.__struct_fields__}

"""What each model adapter, and the fake, does for the hub."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import cast

import pytest

from controlroom.core.check_prompt import Request
from controlroom.hub.models.base import NeedsLogin, NotPossible, RetryLater
from controlroom.testing.model_script import Gate
from tests.contract.model_stages import KEY, STAGES, Stage

REQUEST = Request("Judge — only that.", 'DATA\n{"row": 1}\né 漢 🙂 /clear \u2028 end\n' + "x" * 100_000)


@pytest.fixture(params=list(STAGES))
async def stage(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Stage]:
    make = STAGES[request.param]
    async with cast(AbstractAsyncContextManager[Stage], make(tmp_path)) as made:
        yield made


async def test_it_answers(stage: Stage) -> None:
    stage.answer('{"verdict": "open"}')
    answer = await stage.model.ask(REQUEST)
    assert answer.text == '{"verdict": "open"}'
    assert (answer.input_tokens, answer.output_tokens) == (120, 20)


async def test_what_is_asked_arrives_whole_and_apart(stage: Stage) -> None:
    stage.answer("yes")
    await stage.model.ask(REQUEST)
    heard = stage.heard()[-1]
    assert REQUEST.instructions in heard.instructions and "DATA" not in heard.instructions
    assert heard.text.endswith(REQUEST.text)
    assert heard.login == KEY


async def test_calls_know_nothing_of_each_other(stage: Stage) -> None:
    for text in ("one", "two"):
        stage.answer(text)
        assert (await stage.model.ask(Request("Judge.", f"the {text}"))).text == text
    assert "the one" not in stage.heard()[-1].text


async def test_without_a_key_a_person_is_needed_or_none_is_sent(stage: Stage) -> None:
    stage.key = None
    if stage.needs_key:
        with pytest.raises(NeedsLogin):
            await stage.model.ask(REQUEST)
        assert stage.heard() == []
    else:
        stage.answer("yes")
        assert (await stage.model.ask(REQUEST)).text == "yes"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, NeedsLogin),
        (403, NeedsLogin),
        (429, RetryLater),
        (500, RetryLater),
        (503, RetryLater),
        (529, RetryLater),
        (400, NotPossible),
        (404, NotPossible),
    ],
)
async def test_a_refusal_says_what_to_do_and_never_the_key(
    stage: Stage, status: int, kind: type[Exception]
) -> None:
    stage.fail(status)
    with pytest.raises(kind) as caught:
        await stage.model.ask(REQUEST)
    assert KEY not in str(caught.value) and KEY[:16] not in repr(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


async def test_a_pause_that_is_asked_for_is_told(stage: Stage) -> None:
    stage.fail(429, pause_s=17)
    with pytest.raises(RetryLater) as caught:
        await stage.model.ask(REQUEST)
    assert caught.value.after_s == (17 if stage.names_pause else None)


async def test_an_empty_answer_is_none(stage: Stage) -> None:
    stage.answer(" \n")
    with pytest.raises(RetryLater):
        await stage.model.ask(REQUEST)


async def test_a_server_that_is_gone_is_asked_again_later(stage: Stage) -> None:
    await stage.hang_up()
    with pytest.raises(RetryLater):
        await stage.model.ask(REQUEST)


async def test_a_cancelled_call_ends(stage: Stage) -> None:
    gate = Gate()
    stage.answer("late", gate)
    call = asyncio.get_running_loop().create_task(stage.model.ask(REQUEST))
    await gate.arrived()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    stage.answer("next")
    assert (await stage.model.ask(Request("Judge.", "again"))).text == "next"


def test_names_are_those_of_the_settings(stage: Stage) -> None:
    assert ":" in stage.model.name and KEY not in stage.model.name

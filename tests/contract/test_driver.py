"""What every kind of agent must do, with or without a pane."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from controlroom.core.activity import derive
from controlroom.core.dialogs import dialog_id
from controlroom.node.agents.base import Outgoing, Sighting
from controlroom.wire.model import Activity
from tests.contract.claude_stage import ClaudeStage
from tests.contract.codex_stage import CodexStage
from tests.contract.driver_stages import FakeStage, IntentList, Stage


@pytest.fixture(params=[FakeStage, ClaudeStage, CodexStage])
async def stage(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    stage: Stage = request.param()
    try:
        await stage.begin()
        yield stage
    finally:
        await stage.close()


async def only(stage: Stage) -> Sighting:
    (who,) = (await stage.driver.find()).sightings
    return who


async def activity(stage: Stage) -> Activity:
    facts = await stage.driver.facts(await only(stage))
    return derive(facts, facts.read_at_ms).activity


async def test_a_living_agent_is_found_once_and_stays_the_same(stage: Stage) -> None:
    first, second = await only(stage), await only(stage)
    assert first == second and first.kind == stage.driver.kind and first.session_id


async def test_facts_carry_their_source(stage: Stage) -> None:
    facts = await stage.driver.facts(await only(stage))
    assert facts.alive.value and facts.alive.source
    assert facts.turn is not None and facts.turn.source
    assert facts.mark and facts.last_author == "assistant"


async def test_idle_working_and_blocked_are_told_apart(stage: Stage) -> None:
    assert await activity(stage) == "idle"
    await stage.work()
    assert await activity(stage) == "working"


async def test_an_open_dialog_is_blocked_with_its_options(stage: Stage) -> None:
    await stage.open_dialog()
    assert await activity(stage) == "blocked"
    facts = await stage.driver.facts(await only(stage))
    assert facts.screen is not None and facts.screen.value.dialog is not None
    assert len(facts.screen.value.dialog.options) >= 2


async def test_an_agent_that_ended_is_gone(stage: Stage) -> None:
    who = await only(stage)
    await stage.end()
    assert (await stage.driver.find()).sightings == ()
    facts = await stage.driver.farewell(who)
    assert derive(facts, facts.read_at_ms).activity == "gone"


async def test_pages_join_without_gap_or_double(stage: Stage) -> None:
    await stage.talk(5)
    who = await only(stage)
    assert who.session_id is not None
    whole = (await stage.driver.items(who.session_id, who.profile, limit=200)).items
    seen: list[str] = []
    before: str | None = None
    for _ in range(20):
        page = await stage.driver.items(who.session_id, who.profile, before=before, limit=3)
        seen = [item.id for item in page.items] + seen
        before = page.before
        if before is None:
            break
    assert seen == [item.id for item in whole]


async def test_the_cursor_behind_the_last_row_gives_what_is_new(stage: Stage) -> None:
    who = await only(stage)
    assert who.session_id is not None
    page = await stage.driver.items(who.session_id, who.profile)
    assert (await stage.driver.items(who.session_id, who.profile, after=page.after)).items == ()
    await stage.talk(1)
    news = await stage.driver.items(who.session_id, who.profile, after=page.after)
    assert [item.kind for item in news.items] == ["user", "assistant"] and not news.reset


async def test_an_unknown_session_is_a_lookup_error(stage: Stage) -> None:
    with pytest.raises(LookupError):
        await stage.driver.items("no-such-session", (await only(stage)).profile)


async def test_a_message_is_delivered_with_the_row_that_proves_it(stage: Stage) -> None:
    who, log = await only(stage), IntentList()
    outcome = await stage.driver.submit(who, Outgoing(id="m1", text="pick the pears"), log)
    assert outcome.state == "delivered" and outcome.item_id and log.saved
    assert who.session_id is not None
    items = (await stage.driver.items(who.session_id, who.profile)).items
    (row,) = [item for item in items if item.id == outcome.item_id]
    assert (row.kind, row.text) == ("user", "pick the pears")


async def test_a_message_whose_intent_is_stored_is_looked_for_and_not_typed_again(stage: Stage) -> None:
    who, log = await only(stage), IntentList()
    first = await stage.driver.submit(who, Outgoing(id="m1", text="pick the pears"), log)
    again = await stage.driver.submit(
        who, Outgoing(id="m1", text="pick the pears", intent=log.saved[-1]), IntentList()
    )
    assert (again.state, again.item_id) == ("delivered", first.item_id)
    assert who.session_id is not None
    items = (await stage.driver.items(who.session_id, who.profile)).items
    assert [item.text for item in items].count("pick the pears") == 1


async def test_nothing_is_typed_into_a_dialog(stage: Stage) -> None:
    await stage.open_dialog()
    who, log = await only(stage), IntentList()
    outcome = await stage.driver.submit(who, Outgoing(id="m1", text="pick the pears"), log)
    assert (outcome.state, outcome.code, log.saved) == ("held", "dialog", [])


async def test_an_answer_to_another_dialog_changes_nothing(stage: Stage) -> None:
    await stage.open_dialog()
    answered = await stage.driver.answer(await only(stage), "dlg_of_yesterday", "1", None)
    assert answered.state == "changed"
    assert await activity(stage) == "blocked"


async def test_an_answer_to_the_open_dialog_closes_it(stage: Stage) -> None:
    await stage.open_dialog()
    who = await only(stage)
    facts = await stage.driver.facts(who)
    assert facts.screen is not None
    dialog = facts.screen.value.dialog
    assert dialog is not None
    id = dialog_id(who.incarnation, facts.position, dialog)
    answered = await stage.driver.answer(who, id, dialog.options[0].key, None)
    assert answered.state == "delivered"
    assert await activity(stage) != "blocked"


async def test_an_interrupt_ends_the_turn_and_presses_nothing_on_a_dialog(stage: Stage) -> None:
    await stage.work()
    assert (await stage.driver.interrupt(await only(stage))).state == "delivered"
    await stage.open_dialog()
    assert (await stage.driver.interrupt(await only(stage))).state == "changed"
    assert await activity(stage) == "blocked"


async def test_what_would_be_a_command_is_made_harmless(stage: Stage) -> None:
    for text in ("/clear", "!rm x", "@file", "#note"):
        assert stage.driver.harmless(text, "text") != text
        assert stage.driver.harmless(text, "command") == text

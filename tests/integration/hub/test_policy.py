"""The policy's opinion over a whole hub: from what machines tell, by the settings, and nothing is done."""

from __future__ import annotations

import pytest

from controlroom.core.usage import Paid
from controlroom.kit.settings import Policy, Settings
from controlroom.testing.fake_node import agent_state
from controlroom.wire.policy import PolicyAdvice
from tests.integration.hub import conftest
from tests.integration.hub.conftest import House
from tests.integration.hub.policy_house import tell
from tests.support.waiting import until


@pytest.fixture(autouse=True)
def keep_a_reserve(monkeypatch: pytest.MonkeyPatch) -> None:
    """The house of these tests keeps a fifth of one account's week."""

    def settings(**more: object) -> Settings:
        return Settings(policy=Policy(reserves=("spare=20",)), **more)  # type: ignore[arg-type] # by name

    monkeypatch.setattr(conftest, "Settings", settings)


async def advice(house: House, rule: str) -> PolicyAdvice:
    async def given() -> PolicyAdvice | None:
        found = (await house.client.policy()).advice
        return found[0] if found and found[0].rule == rule else None

    return await until(given, f"the rule {rule}")


async def test_a_move_is_explained_and_nothing_is_done(house: House) -> None:
    await tell(house, {"work": 98, "home": 40})
    found = await advice(house, "week_low")
    assert (found.agent_id, found.what, found.to_profile) == ("agt_1", "move", "prf_home")
    assert "It would move to home, profile home, now." in found.sentences
    assert (house.node.taken, house.node.asked) == ({}, [])
    await tell(house, {"work": 50, "home": 40})
    assert (await advice(house, "enough_left")).what == "stay"


async def test_a_reserve_of_the_settings_is_kept_and_shown_with_the_account(house: House) -> None:
    await tell(house, {"work": 98, "spare": 76})
    found = await advice(house, "no_target")
    assert "Not spare: it has 24 % of the week, and 25 % are needed." in found.sentences
    accounts = {one.name: one.reserve_pct for one in await house.client.accounts()}
    assert accounts == {"work": None, "spare": 20}
    await tell(house, {"spare": 81, "work": 10})
    assert (await advice(house, "reserve")).to_profile == "prf_work"


async def test_paid_extra_usage_is_asked_about(house: House) -> None:
    await tell(house, {"work": 100}, Paid(is_enabled=True, used_cents=4120, limit_cents=5000))
    found = await advice(house, "credit_guard")
    assert found.what == "ask"
    assert found.card is not None
    assert "41.20 of a monthly limit of 50.00" in found.card.context


async def test_an_agent_without_a_known_account_stays(house: House) -> None:
    house.node.agents["agt_1"] = agent_state(profile="/nowhere")
    await house.node.touch()
    assert (await advice(house, "account_unknown")).what == "stay"

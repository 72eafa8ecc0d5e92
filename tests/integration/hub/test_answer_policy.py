"""``policy.blocking_answers = "devices"``: the machine itself answers nothing that an agent waits for."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlroom.client import Refused
from controlroom.kit.settings import Policy, Settings
from controlroom.testing.fake_node import agent_state
from controlroom.wire.client import AnswerDialog, Interrupt, PressKeys
from controlroom.wire.model import WaitingFor
from tests.integration.hub import conftest
from tests.integration.hub.conftest import House
from tests.integration.hub.device_door import open_door

OPEN = WaitingFor(id="dlg_1", kind="permission", text="Run?", since_ms=1)


async def test_only_devices_answer_what_an_agent_waits_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def settings(**more: object) -> Settings:
        return Settings(policy=Policy(blocking_answers="devices"), **more)  # type: ignore[arg-type] # by name

    monkeypatch.setattr(conftest, "Settings", settings)
    house = House(folder)
    await house.start()
    await house.node.put(agent_state(activity="blocked", waiting_for=OPEN))
    await house.node.put(agent_state("agt_2"))
    await house.until_agent(activity="blocked")
    await house.until_agent("agt_2")
    keys = PressKeys(request_id="r2", keys=("1",), seen_revision="x")
    for refused in (
        house.client.answer("agt_1", AnswerDialog(request_id="r1", waiting_id="dlg_1", option="1")),
        house.client.keys("agt_1", keys),
    ):
        with pytest.raises(Refused, match="Only paired devices") as caught:
            await refused
        assert caught.value.code == "not_allowed"
    await house.client.keys("agt_2", keys)
    await house.client.interrupt("agt_1", Interrupt(request_id="r3"))
    async with open_door(house) as door:
        laptop = await door.laptop()
        body = {"request_id": "r1", "waiting_id": "dlg_1", "option": "1"}
        assert (await door.ask("POST", "/agents/agt_1/answer", body, laptop)).status == 202
    codes = [(row.what, row.code) for row in (await house.client.receipts()).receipts]
    assert codes.count(("answer", "not_allowed")) == 1 and codes.count(("keys", "not_allowed")) == 1
    await house.stop()

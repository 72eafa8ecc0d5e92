"""What tests of questions say and ask, through a whole hub."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from controlroom.testing.fake_node import agent_state
from controlroom.wire.codec import decode, encode
from controlroom.wire.model import Item, Receipt
from controlroom.wire.node import SendAct
from controlroom.wire.question import AnswerQuestion, CloseQuestion, PauseState, Question, Questions, SetPause
from tests.integration.hub.conftest import House
from tests.support.waiting import until

ASK = "Question for Founder: Move the old invoices too?\n- Yes, all of them: they fit\n- No: they stay\n"
PLAIN = f"{ASK}Default: I move them by 23 hours from now"
SHIP = "Question for Founder: Ship the harvest plan today?\n- Today: they get it now\n- Monday: they wait\n"
BLOCKING = "Question for Founder: Which colour?\n- Red: warm\n- Blue: cold\nBlocking: yes"


class Refused(Exception):
    """The hub refused; ``code`` and ``text`` say why."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"{body['code']}: {body['text']}")
        self.status, self.code, self.text = status, body["code"], body["text"]


class Inbox:
    """Speaks to the hub's routes as a client does."""

    def __init__(self, house: House) -> None:
        self.house = house
        self._requests = 0

    async def call(self, method: str, path: str, body: object = None) -> bytes:
        async with self.house.raw() as session:
            data = None if body is None else encode(body)
            headers = {"Content-Type": "application/json"}
            async with session.request(method, f"/api/v1{path}", data=data, headers=headers) as answer:
                raw = await answer.read()
                if answer.status >= 400:
                    raise Refused(answer.status, msgspec.json.decode(raw))
                return raw

    def request_id(self) -> str:
        self._requests += 1
        return f"req_{self._requests}"

    async def open(self) -> tuple[Question, ...]:
        return decode(await self.call("GET", "/questions"), Questions).questions

    async def all(self, query: str = "") -> Questions:
        return decode(await self.call("GET", f"/questions?state=all{query}"), Questions)

    async def get(self, id: str, wait: int = 0) -> Question:
        return decode(await self.call("GET", f"/questions/{id}?wait={wait}"), Question)

    async def answer(
        self, id: str, option: str | tuple[str, ...] | None = None, text: str | None = None, request: str = ""
    ) -> Question:
        body = AnswerQuestion(request_id=request or self.request_id(), option=option, text=text)
        return decode(await self.call("POST", f"/questions/{id}/answer", body), Question)

    async def close(self, id: str, how: str, request: str = "", why: str | None = None) -> Question:
        body = CloseQuestion(request_id=request or self.request_id(), why=why)
        return decode(await self.call("POST", f"/questions/{id}/{how}", body), Question)

    async def pause(self, paused: bool, why: str | None = None) -> PauseState:
        body = SetPause(request_id=self.request_id(), paused=paused, why=why)
        return decode(await self.call("PUT", "/pause", body), PauseState)

    async def receipts(self) -> list[Receipt]:
        return list((await self.house.client.receipts(0)).receipts)

    # ---- the agent ---------------------------------------------------------------------------------

    async def say(
        self, text: str, id: str = "", kind: str = "question", agent: str = "agt_1", **more: Any
    ) -> str:
        """A reply of the agent (or something else in its chat); returns the item's id."""
        told = self.house.node.chats[self.house.node.agents[agent].chat_id]
        item = Item(
            id=id or f"i{len(told) + 1}",
            at_ms=more.pop("at_ms", self.house.clock.now_ms()),
            kind=kind,  # type: ignore[arg-type]  # a test's own word
            text=text,
            **more,
        )
        await self.house.node.say(agent, item)
        return item.id

    async def asked(self, text: str, agent: str = "agt_1") -> Question:
        """The card of what the agent asks now."""
        known = {one.id for one in await self.open()}
        await self.say(text, agent=agent)

        async def new() -> Question | None:
            return next((one for one in await self.open() if one.id not in known), None)

        return await until(new, "a card")

    async def until(self, id: str, fits: Callable[[Question], bool]) -> Question:
        async def is_so() -> Question | None:
            question = await self.get(id)
            return question if fits(question) else None

        return await until(is_so, id)

    async def taken(self, message_id: str) -> SendAct:
        """The message, once the node has it."""
        await until(lambda: message_id in self.house.node.taken, message_id)
        act = self.house.node.taken[message_id]
        assert isinstance(act, SendAct)
        return act

    @property
    def sent(self) -> list[str]:
        """Texts that the node was handed, in their order."""
        return [act.text for act in self.house.node.taken.values() if isinstance(act, SendAct)]


async def ready(house: House) -> Inbox:
    """An idle agent whose chat has been read once."""
    await house.node.put(agent_state())
    inbox = Inbox(house)
    await inbox.say("Hello", kind="assistant")
    await house.until_agent()

    async def is_read() -> bool:
        return bool((await house.client.items("cht_1")).items)

    await until(is_read)
    await until(lambda: house.hub._chats._marks.get("cht_1") == "1")
    return inbox

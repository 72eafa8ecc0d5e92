"""Answering a dialog by keys: it is read again right before each key."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from controlroom.node.agents.base import Answered, Sighting
from controlroom.node.agents.typing import (
    AnswerStep,
    CannotAnswer,
    OpenDialog,
    Press,
    TypeText,
    Want,
    answer_by_keys,
)
from controlroom.node.mux.base import PaneRef
from tests.unit.core.submission_model import Model
from tests.unit.node.agents.typed_agent import WHO, ModelWorld, busy


class Menu(msgspec.Struct, frozen=True):
    """What is shown: where the cursor stands."""

    at: int


class MenuAgent:
    """A menu that moves by Down and answers by Enter; its screen may lag behind by some looks."""

    def __init__(self, size: int = 4, lag: int = 0) -> None:
        self.size = size
        self.lag = lag
        self.at = 0
        self.id: str | None = "dlg_1"
        self.chosen: int | None = None
        self.text = ""
        self.deaf = False
        self._shown = [0] * (lag + 1)
        self.looks = 0
        self.before_look: Callable[[int], None] = lambda look: None

    async def open_dialog(self, who: Sighting) -> OpenDialog[Menu] | None:
        self.looks += 1
        self.before_look(self.looks)
        return None if self.id is None else OpenDialog(self.id, Menu(self._shown[0]))

    def next_step(self, shown: Menu, want: Want, done: int) -> AnswerStep:
        if want.text is not None and done == 0:
            return TypeText(want.text)
        if want.option is None or int(want.option) >= self.size:
            return CannotAnswer("There is no such option.")
        return Press(("Enter",), answers=True) if shown.at == int(want.option) else Press(("Down",))

    def redraw(self) -> None:
        self._shown = [*self._shown[1:], self.at]

    @property
    def drawn(self) -> str:
        return f"{self._shown[0]} {self.text}"


class MenuWorld(ModelWorld):
    def __init__(self, agent: MenuAgent) -> None:
        super().__init__(Model())
        self.agent = agent
        self.keys_pressed: list[str] = []

    async def settle(self, seconds: float) -> None:
        self.agent.redraw()
        self.model.composer = self.agent.drawn

    async def keys(self, ref: PaneRef, keys: tuple[str, ...]) -> None:
        self.keys_pressed += keys
        if self.agent.deaf:
            return
        for key in keys:
            if key == "Down":
                self.agent.at = min(self.agent.at + 1, self.agent.size - 1)
            elif key == "Enter":
                self.agent.chosen, self.agent.id = self.agent.at, None

    async def paste(self, ref: PaneRef, text: str) -> int:
        self.agent.text += text
        return 0


async def answer(agent: MenuAgent, want: Want, dialog_id: str = "dlg_1") -> tuple[Answered, MenuWorld]:
    world = MenuWorld(agent)
    return await answer_by_keys(world, WHO, agent, dialog_id, want), world


async def test_the_cursor_is_moved_and_read_again_before_enter() -> None:
    agent = MenuAgent()
    answered, world = await answer(agent, Want("2"))
    assert (answered.state, agent.chosen) == ("delivered", 2)
    assert world.keys_pressed == ["Down", "Down", "Enter"]


async def test_a_slow_screen_does_not_make_the_cursor_run_past() -> None:
    for lag in range(6):
        agent = MenuAgent(lag=lag)
        answered, _ = await answer(agent, Want("1"))
        assert (answered.state, agent.chosen) == ("delivered", 1), lag


async def test_another_dialog_gets_no_key() -> None:
    """Field lessons 25 and 28."""
    answered, world = await answer(MenuAgent(), Want("0"), "dlg_other")
    assert (answered.state, world.keys_pressed) == ("changed", [])
    gone = MenuAgent()
    gone.id = None
    answered, world = await answer(gone, Want("0"))
    assert (answered.state, world.keys_pressed) == ("changed", [])


async def test_a_dialog_that_changes_on_the_way_gets_no_further_key() -> None:
    agent = MenuAgent()

    def swap(look: int) -> None:
        if agent.at == 1:
            agent.id = "dlg_2"

    agent.before_look = swap
    answered, world = await answer(agent, Want("2"))
    assert (answered.state, world.keys_pressed) == ("changed", ["Down"])


async def test_the_next_prompt_in_a_row_is_no_failure() -> None:
    """Field lessons 17: the second prompt of the same pane is a new one."""
    agent = MenuAgent()

    def follow(look: int) -> None:
        if agent.chosen is not None:
            agent.id = "dlg_2"

    agent.before_look = follow
    answered, _ = await answer(agent, Want("0"))
    assert answered.state == "delivered"


async def test_a_key_without_effect_is_not_followed_by_another() -> None:
    agent = MenuAgent()
    agent.deaf = True
    answered, world = await answer(agent, Want("3"))
    assert (answered.state, world.keys_pressed) == ("unconfirmed", ["Down"])


async def test_an_answer_that_leaves_the_dialog_standing_is_unconfirmed() -> None:
    agent = MenuAgent()
    agent.deaf = True
    answered, world = await answer(agent, Want("0"))
    assert (answered.state, world.keys_pressed) == ("unconfirmed", ["Enter"])


async def test_text_goes_in_as_one_paste_without_control_characters() -> None:
    agent = MenuAgent()
    answered, _ = await answer(agent, Want("0", "no\x1b thanks"))
    assert (answered.state, agent.text) == ("delivered", "no thanks")


async def test_what_the_dialog_does_not_offer_is_refused() -> None:
    answered, world = await answer(MenuAgent(), Want("9"))
    assert (answered.state, answered.text, world.keys_pressed) == ("failed", "There is no such option.", [])


async def test_a_program_that_ends_with_the_answer_has_taken_it() -> None:
    agent = MenuAgent()
    world = MenuWorld(agent)

    def leave(look: int) -> None:
        if agent.chosen is not None:
            world.model.alive = False
            raise busy()

    agent.before_look = leave
    answered = await answer_by_keys(world, WHO, agent, "dlg_1", Want("0"))
    assert (answered.state, answered.text) == ("delivered", "The agent ended after the answer.")


async def test_a_pane_that_is_anothers_gets_no_key() -> None:
    agent = MenuAgent()
    world = MenuWorld(agent)
    world.model.alive = False
    answered = await answer_by_keys(world, WHO, agent, "dlg_1", Want("0"))
    assert (answered.state, world.keys_pressed) == ("failed", [])


async def test_an_unreadable_pane_fails_before_and_is_unsure_after_a_key() -> None:
    world = MenuWorld(agent := MenuAgent())
    world.breaks["frame"] = busy()
    assert (await answer_by_keys(world, WHO, agent, "dlg_1", Want("0"))).state == "failed"
    assert world.keys_pressed == []

    def break_later(look: int) -> None:
        if agent.at == 1:
            raise busy()

    agent.before_look = break_later
    assert (await answer_by_keys(world, WHO, agent, "dlg_1", Want("2"))).state == "unconfirmed"

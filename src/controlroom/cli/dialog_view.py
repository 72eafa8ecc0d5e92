"""The prompt an agent waits at, whole, and which of its options somebody means: pure."""

from __future__ import annotations

from collections.abc import Callable

from controlroom.cli import text, times
from controlroom.cli.errors import CliError, wrong_use
from controlroom.cli.look import compose
from controlroom.cli.states import state_of
from controlroom.wire.model import Agent, DialogOption, WaitingFor


def render_dialog(agent: Agent, waiting: WaitingFor, now_ms: int, width: int, colour: bool) -> list[str]:
    """The whole prompt: nothing is shortened, and what is risky says so in words."""
    state = state_of(agent)
    age = times.span(now_ms - waiting.since_ms)
    lines = [
        compose(
            [
                (f"{state.lamp} {state.word}", state.role),
                (f"  {text.line(agent.name, 60)}", "name"),
                (f"  for {age}", "meta"),
            ],
            width,
            colour,
        ),
        "",
    ]
    lines += [f"  {entry}".rstrip() for entry in text.wrap(text.block(waiting.text).strip("\n"), width - 2)]
    if waiting.options:
        lines.append("")
    key_width = max((text.cells(text.line(option.key, 20)) for option in waiting.options or ()), default=0)
    for option in waiting.options or ():
        key = text.pad(text.line(option.key, 20), key_width)
        label = text.line(option.label, 2_000) + ("  (lasting or risky)" if option.risky else "")
        first, *rest = text.wrap(label, width - key_width - 4)
        lines.append(compose([(f"  {key}  ", "lamp"), (first, "plain")], width, colour))
        lines += [" " * (key_width + 4) + entry for entry in rest]
    return lines


def how_to_answer(agent: Agent, waiting: WaitingFor, hint: Callable[..., str]) -> list[str]:
    """What to type next; ``hint`` makes a command of words."""
    ways = []
    if waiting.options:
        ways.append(f"Answer:   {hint('answer', agent.name, waiting.options[0].key)}")
    if waiting.free_text:
        ways.append(f"In words: {hint('answer', agent.name, '--text', '…')}")
    return ways or [f"It has no options that can be read. Look: {hint('watch', agent.name)}"]


def choose(waiting: WaitingFor, said: str) -> list[DialogOption]:
    """The options somebody names by key or whole label (several, with commas, where the prompt takes them).

    Raises CliError when it is not one of them: nothing is ever guessed.
    """
    whole = _one(waiting, said)
    if whole is not None:
        return [whole]
    if waiting.multi:
        found = [_one(waiting, part.strip()) for part in said.split(",")]
        kept = [option for option in found if option is not None]
        if len(kept) == len(found):
            return kept
    if not waiting.options:
        raise CliError(
            "This prompt has no options that can be read. Look at it with: controlroom watch", "failed"
        )
    offered = ", ".join(f"{text.line(o.key, 20)} ({text.line(o.label, 80)})" for o in waiting.options)
    raise wrong_use(f"{text.line(said, 80)!r} is not one of its options: {offered}.")


def _one(waiting: WaitingFor, said: str) -> DialogOption | None:
    options = waiting.options or ()
    for option in options:
        if option.key == said:
            return option
    named = [option for option in options if option.label.casefold().strip() == said.casefold().strip()]
    return named[0] if len(named) == 1 else None

"""``controlroom completion``: the script a shell needs, and the names and ids it offers."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from controlroom.client import HubClient

T = TypeVar("T")

ANSWER_S = 1.0  # longer than this nobody waits for the Tab key


@declare(
    "completion",
    examples="""
    controlroom completion bash > ~/.local/share/bash-completion/completions/controlroom
    controlroom completion zsh > ~/.zfunc/_controlroom
    controlroom completion fish > ~/.config/fish/completions/controlroom.fish
    """,
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(call: Call, shell: str) -> None:
    """Print the completion script for your shell."""
    from click.shell_completion import get_completion_class

    from controlroom.cli.main import COMPLETE, PROGRAM, root

    found = get_completion_class(shell)
    assert found is not None
    script = found(root, {}, PROGRAM, COMPLETE).source()
    if call.json:
        call.out.json({"shell": shell, "script": script})
    else:
        call.out.raw(script)


def agents_for(home: Path | None, hub: str | None, begun: str) -> list[CompletionItem]:
    """Agents whose name or id begins so; nothing when the hub does not answer at once."""
    from click.shell_completion import CompletionItem

    from controlroom.cli import text
    from controlroom.cli.states import state_of

    fleet = _quickly(home, hub, lambda client: client.fleet())
    if fleet is None:
        return []
    present = [agent for agent in fleet.agents if agent.activity != "gone" and not agent.archived]
    names = [agent.name for agent in present]
    offered = []
    for agent in present:
        plain = names.count(agent.name) == 1 and agent.name.isprintable() and " " not in agent.name
        word = agent.name if plain and agent.name else agent.id
        if word.casefold().startswith(begun.casefold()):
            offered.append(CompletionItem(word, help=f"{state_of(agent).word} · {text.line(agent.name, 40)}"))
    return offered


def questions_for(home: Path | None, hub: str | None, begun: str, *, is_open: bool) -> list[CompletionItem]:
    """Questions whose id begins so: the open ones, or those that were closed last."""
    from click.shell_completion import CompletionItem

    from controlroom.cli import text
    from controlroom.cli.question_view import short_ids, state_words

    page = _quickly(home, hub, lambda client: client.questions("open" if is_open else "all"))
    if page is None:
        return []
    found = [one for one in page.questions if (one.state == "open") is is_open]
    short = short_ids(one.id for one in found)
    return [
        CompletionItem(short[one.id], help=f"{state_words(one)} · {text.line(one.question, 60)}")
        for one in found
        if one.id.startswith(begun)
    ]


def _quickly(
    home: Path | None, hub: str | None, ask: Callable[[HubClient], Coroutine[Any, Any, T]]
) -> T | None:
    """What the hub answers; None when it does not do so at once."""
    import asyncio

    from controlroom.cli.home import where_of
    from controlroom.client import ClientError, HubClient

    async def asked() -> T:
        async with asyncio.timeout(ANSWER_S), HubClient(where_of(home, hub)) as client:
            return await ask(client)

    try:
        return asyncio.run(asked())
    except (ClientError, TimeoutError):
        return None

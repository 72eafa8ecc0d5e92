"""From what a person types as QUESTION to the question that is meant; a guess is never taken."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from controlroom.cli.errors import CliError, wrong_use

if TYPE_CHECKING:
    from controlroom.client import HubClient
    from controlroom.wire.question import Question

PREFIX = "q_"
WHOLE = 14  # characters from which on it is asked for by its id at once
NEWEST = 200  # how far back short ids are looked for
SHOWN = 8


async def find_question(hub: HubClient, said: str) -> Question:
    """The question with this id, or the only one among the open and the newest whose id begins so.

    ``q_`` may be left out. Raises CliError.
    """
    from controlroom.client import Refused

    begun = whole_prefix(said)
    if len(begun) >= WHOLE:
        try:
            return await hub.question(begun)
        except Refused as refused:
            if refused.code != "not_found":
                raise
    open_ones = await hub.questions("open")
    newest = await hub.questions("all", limit=NEWEST)
    known = {one.id: one for one in (*newest.questions, *open_ones.questions)}
    found = choose_id(known, begun)
    return await hub.question(found)


def whole_prefix(said: str) -> str:
    """The beginning of an id as it is meant: with ``q_``."""
    said = said.strip()
    return said if said.startswith(PREFIX) else PREFIX + said


def choose_id(ids: Iterable[str], begun: str) -> str:
    """The one id that begins so. Raises CliError that names the others."""
    from controlroom.cli import text

    found = [one for one in ids if one.startswith(begun)]
    if begun in found:
        return begun
    if len(found) == 1 and len(begun) > len(PREFIX):
        return found[0]
    if not found:
        raise CliError(
            f"There is no question {text.line(begun, 80)!r}. See: controlroom inbox --all", "not_found"
        )
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    listed = ", ".join(text.line(one, 80) for one in found[:SHOWN])
    raise wrong_use(f"{text.line(begun, 80)!r} fits several questions: {listed}{more}.")

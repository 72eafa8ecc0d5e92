"""Which profile somebody means, and in which one an agent runs. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from controlroom.core.text import clean_line
from controlroom.core.usage import profile_id
from controlroom.hub.errors import HubError
from controlroom.wire.usage import Profile

NAMED, LISTED = 80, 12


def profile_running(
    profiles: Iterable[Profile], machine_id: str, kind: str, folder: str | None
) -> Profile | None:
    """The profile of an agent that runs in this config folder, which may be the real path of a link."""
    if not folder:
        return None
    real = profile_id(machine_id, kind, folder)
    for profile in profiles:
        if (profile.machine_id, profile.kind) == (machine_id, kind) and (
            profile.folder == folder or profile.id == real
        ):
            return profile
    return None


def profile_said(profiles: Iterable[Profile], machine_id: str, kind: str, said: str) -> Profile:
    """The profile of a machine that is meant by its id, name or folder.

    Raises HubError: ``not_found`` with those that there are, ``conflict`` when several have the name,
    ``bad_request`` when it belongs to another kind of agent or another machine.
    """
    every = list(profiles)
    here = [one for one in every if (one.machine_id, one.kind) == (machine_id, kind)]
    by_id = next((one for one in every if one.id == said), None)
    if by_id is not None and by_id not in here:
        raise HubError("bad_request", "profile: it is of another machine, or of another kind of agent.")
    found = by_id or profile_running(here, machine_id, kind, said)
    if found is not None:
        return found
    named = [one for one in here if one.name.casefold() == said.casefold()]
    if len(named) == 1:
        return named[0]
    if named:
        folders = " and ".join(clean_line(one.folder, NAMED) for one in named)
        raise HubError("conflict", f"profile: several have this name; say which folder: {folders}.")
    names = ", ".join(clean_line(one.name, NAMED) for one in here[:LISTED])
    known = f"there are: {names}." if names else "none is known there."
    raise HubError(
        "not_found", f"profile: its machine has no {kind} profile {clean_line(said, NAMED)}; {known}"
    )

"""The config folders of agents on this machine: found, and named by the person (``profiles.folders``).

One folder is one profile, by whatever path it is reached. Folders are the ones that the person named, those
of agents that live now, and those in the home folder that are called like an agent's. Nothing is opened here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from controlroom.core.text import clean_line
from controlroom.core.usage import profile_id

MOST = 64  # more folders are no profiles of one person
NAME_SHOWN = 60
_HOMES: Mapping[str, tuple[str, str]] = {
    "claude": (".claude", "CLAUDE_CONFIG_DIR"),
    "codex": (".codex", "CODEX_HOME"),
}
_SIGNS: Mapping[str, tuple[str, ...]] = {
    "claude": ("projects", ".claude.json", ".credentials.json", "settings.json"),
    "codex": ("sessions", "auth.json", "config.toml"),
}
"""What a config folder of a kind has at least one of."""


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """One config folder. ``folder`` is the path as agents and people know it, ``real`` without links."""

    id: str
    kind: str
    name: str
    folder: str
    real: str


class NamedFolder(msgspec.Struct, frozen=True):
    """One entry of ``profiles.folders``."""

    kind: str
    name: str
    folder: str


def named_folders(entries: Iterable[str]) -> list[NamedFolder]:
    """The setting's entries, ``claude:work=/home/kim/.claude-work``; the setting's own form is checked."""
    found = []
    for entry in entries:
        head, _, folder = entry.partition("=")
        kind, _, name = head.partition(":")
        found.append(NamedFolder(kind, clean_line(name, NAME_SHOWN), str(Path(folder).expanduser())))
    return found


def find_profiles(
    machine_id: str,
    *,
    named: Iterable[NamedFolder] = (),
    living: Iterable[tuple[str, str]] = (),
    home: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> list[Profile]:
    """All profiles, those that were named first. ``living``: kind and folder of agents; ``home`` None: the
    home folder is not looked through. Blocks."""
    found: dict[tuple[str, str], Profile] = {}
    for kind, name, folder in (
        *((each.kind, each.name, each.folder) for each in named),
        *((kind, "", folder) for kind, folder in living),
        *(_at_home(home, environ or {}) if home is not None else ()),
    ):
        if kind not in _SIGNS or not folder or len(found) >= MOST:
            continue
        real = os.path.realpath(folder)
        if (kind, real) not in found and _is_profile(kind, Path(real)):
            found[kind, real] = Profile(
                id=profile_id(machine_id, kind, real),
                kind=kind,
                name=name or clean_line(Path(folder).name.lstrip("."), NAME_SHOWN) or kind,
                folder=folder,
                real=real,
            )
    return list(found.values())


def _at_home(home: Path, environ: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Folders that are called like an agent's, and those that our own environment names."""
    for kind, (usual, variable) in _HOMES.items():
        if environ.get(variable):
            yield kind, "", environ[variable]
        yield kind, "", str(home / usual)
    try:
        names = sorted(entry.name for entry in os.scandir(home) if entry.name.startswith("."))
    except OSError:
        return
    for name in names:
        for kind, (usual, _) in _HOMES.items():
            if name.startswith((f"{usual}-", f"{usual}_", f"{usual}.")):
                yield kind, "", str(home / name)


def _is_profile(kind: str, folder: Path) -> bool:
    try:
        return folder.is_dir() and any((folder / sign).exists() for sign in _SIGNS[kind])
    except OSError:
        return False

"""The folder of a Hermes host: its profiles, and the files in them. Reads only; every method is for a thread.

A file counts only when it really lies in its profile: no link on the way, so that nothing else of this
machine is shown because somebody linked it there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from controlroom.core.media import image_type, is_under
from controlroom.core.profiles import (
    DEFAULT,
    MEMORY_CAP,
    SOUL_CAP,
    Clipped,
    active_name,
    avatar_of,
    clipped,
    front_matter,
    is_profile_name,
    memory_order,
)
from controlroom.core.text import clean_line
from controlroom.gateway.hermes_host import env_values, hermes_home
from controlroom.gateway.profiles.yaml_text import BadYaml, mapping
from controlroom.kit.files import NotRegular, open_regular, read_at, read_regular

MOST_PROFILES: Final = 64
MOST_MEMORIES: Final = 100
MOST_SKILLS: Final = 500
MOST_FOLDERS: Final = 2000
LARGEST_CONFIG: Final = 256 * 1024
LARGEST_FRONT: Final = 16 * 1024
LARGEST_AVATAR: Final = 5 * 1024 * 1024


class ConfigMissing(Exception):
    """There is no config.yaml that can be read."""


class ConfigBad(Exception):
    """config.yaml is not what it should be."""


class Profile(msgspec.Struct, frozen=True):
    """One profile: its name, its folder and its config, resolved. The default one's config may lie outside
    its folder."""

    name: str
    home: Path
    config: Path


class TextFile(msgspec.Struct, frozen=True):
    """A text file of a profile; ``path`` inside the profile."""

    path: str
    content: Clipped
    size: int


class Skill(msgspec.Struct, frozen=True):
    name: str
    category: str
    description: str
    path: str  # inside the profile


class Host:
    """``environ``: HERMES_HOME and RELAY_HERMES_CONFIG say where it is, else ``~/.hermes``."""

    def __init__(self, environ: Mapping[str, str], user_home: Path) -> None:
        config = environ.get("RELAY_HERMES_CONFIG", "").strip()
        self._home = Path(config).expanduser().parent if config else hermes_home(environ, user_home)

    def profiles(self) -> list[Profile]:
        """``default`` first, then by name. Empty when there is no host."""
        home = _resolved(self._home)
        found = []
        if _is_file(config := _resolved(home / "config.yaml")):
            found.append(Profile(DEFAULT, _default_home(home), config))
        for name in _names(home / "profiles"):
            folder = _resolved(home / "profiles" / name)
            is_ours = is_profile_name(name) and name != DEFAULT and is_under(str(folder), str(home))
            if is_ours and _is_file(config := _resolved(folder / "config.yaml")):
                found.append(Profile(name, folder, config))
        return found[:MOST_PROFILES]

    def find(self, name: str) -> Profile | None:
        """By comparing with the profiles that are there: no path is ever made of ``name``."""
        return next((profile for profile in self.profiles() if profile.name == name), None)


def _default_home(home: Path) -> Path:
    """The folder of the profile that ``active_profile`` names, when it is usable."""
    try:
        active = active_name(read_regular(home / "active_profile", 256).decode(errors="replace"))
    except OSError:
        return home
    folder = home / "profiles" / (active or "")
    is_usable = active is not None and folder.is_dir() and _resolved(folder) == folder
    return folder if is_usable else home


def config_of(profile: Profile) -> dict[str, object]:
    """Raises ConfigMissing, ConfigBad."""
    try:
        raw = read_regular(profile.config, LARGEST_CONFIG + 1)
    except OSError:
        raise ConfigMissing from None
    if len(raw) > LARGEST_CONFIG:
        raise ConfigBad
    try:
        return mapping(raw.decode())
    except (BadYaml, UnicodeDecodeError):
        raise ConfigBad from None


def env_of(profile: Profile) -> dict[str, str]:
    """The profile's ``.env``; for its server's address only, never shown."""
    try:
        return env_values(read_regular(profile.home / ".env", LARGEST_CONFIG).decode(errors="replace"))
    except OSError:
        return {}


def soul_of(profile: Profile) -> TextFile | None:
    """None when there is none. Raises OSError when there is one that cannot be read."""
    try:
        return _text(profile, "SOUL.md", SOUL_CAP)
    except (FileNotFoundError, NotRegular):
        return None


def memories_of(profile: Profile) -> list[TextFile]:
    """What can be read, in the contract's order."""
    found = []
    for name in memory_order(_names(profile.home / "memories"))[:MOST_MEMORIES]:
        try:
            found.append(_text(profile, f"memories/{name}", MEMORY_CAP))
        except OSError:
            continue
    return found


def skills_of(profile: Profile) -> list[Skill]:
    """By path."""
    found = []
    for path in _skill_files(profile):
        inside = path.relative_to(profile.home / "skills").parts
        said = _front_of(path)
        name, description = said.get("name"), said.get("description")
        found.append(
            Skill(
                name=clean_line(name) if isinstance(name, str) and name.strip() else inside[-2],
                category=inside[0] if len(inside) > 2 else "",
                description=clean_line(description, 500) if isinstance(description, str) else "",
                path="/".join(("skills", *inside)),
            )
        )
    return found


def count_skills(profile: Profile) -> int:
    return sum(1 for _ in _skill_files(profile))


def avatar_file(profile: Profile) -> tuple[str, bytes | None] | None:
    """Name and bytes of the picture; None for the bytes when it is no image that can be shown."""
    name = avatar_of(_names(profile.home))
    if name is None:
        return None
    try:
        raw = read_regular(profile.home / name, LARGEST_AVATAR + 1)
    except OSError:
        return None
    return name, raw if len(raw) <= LARGEST_AVATAR and image_type(raw) is not None else None


def _text(profile: Profile, inside: str, cap: int) -> TextFile:
    opened = open_regular(str(profile.home / inside))
    try:
        if opened.path != str(profile.home / inside):
            raise NotRegular(inside)
        content = clipped(read_at(opened.fd, 0, 4 * cap + 4), cap)
        return TextFile(inside, content, opened.size)
    finally:
        os.close(opened.fd)


def _skill_files(profile: Profile) -> Iterator[Path]:
    found = 0
    for folders, (folder, below, files) in enumerate(os.walk(profile.home / "skills")):
        below.sort()
        if folders >= MOST_FOLDERS or found >= MOST_SKILLS:
            return
        path = Path(folder) / "SKILL.md"
        if "SKILL.md" in files and path.parent != profile.home / "skills":
            found += 1
            yield path


def _front_of(path: Path) -> dict[str, object]:
    try:
        text = front_matter(read_regular(path, LARGEST_FRONT).decode(errors="replace"))
        return {} if text is None else mapping(text)
    except (OSError, BadYaml):
        return {}


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a folder that this user may not enter
        return False


def _resolved(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names, not paths
    except OSError:
        return []

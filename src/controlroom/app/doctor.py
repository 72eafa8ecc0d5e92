"""``controlroom doctor``: what the control room needs on this machine, and the fix for what is missing.

Every check looks only: it attaches to no tmux server, asks one of Herdr for its version only, starts nothing,
changes nothing, and needs no running control room. A check never raises; what it cannot find out is its
result.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

from controlroom.app.doctor_check import Check
from controlroom.app.doctor_herdr import herdr_check, herdr_servers
from controlroom.client import CannotReach, ClientError, HubClient
from controlroom.core.text import clean_line
from controlroom.hub.models.base import ModelError
from controlroom.hub.models.choose import choose, key_source
from controlroom.hub.store.tables import SCHEMA as HUB_SCHEMA
from controlroom.kit.disk import DO, too_little
from controlroom.kit.home import LONGEST_SOCKET, Home
from controlroom.kit.schema import Schema, Unreadable, revision_of
from controlroom.kit.settings import Settings, SettingsError, load_settings
from controlroom.node.journal.journal import SCHEMA as NODE_SCHEMA
from controlroom.node.mux.tmux.binary import Binary
from controlroom.node.mux.tmux.protocol import ServerFacts
from controlroom.node.mux.tmux.servers import Nobody, Trouble, candidates, probe
from controlroom.wire.client import Status

OLDEST_PYTHON = (3, 11)
HOOK_TIMEOUT_S = 3.0  # a tmux server answers within milliseconds
HUB_TIMEOUT_S = 5.0  # a local hub answers at once or hangs
INSTALL_TMUX = "Install it: sudo apt-get install tmux (or brew install tmux)."


async def checks(home: Home, environment: Mapping[str, str]) -> list[Check]:
    """All findings, in the order in which a person should read them."""
    settings, found = _settings(home, environment)
    panes = [*await _tmux(settings, environment), *await herdr_servers(settings, environment)]
    found = [_python(), *panes, *found, *_data_folder(home), *_databases(home)]
    found.append(_checker(settings, home, environment))
    status, hub = await _hub(home)
    found += hub
    found += _config_folders(environment, await _profiles(home) if status else ())
    return found


async def herdr_report(home: Home, environment: Mapping[str, str]) -> list[Check]:
    """The check of real Herdr servers, made to be pasted into a report."""
    settings, found = _settings(home, environment)
    return [check for check in found if check.state == "wrong"] or await herdr_check(settings, environment)


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < OLDEST_PYTHON:
        return Check("python", "wrong", f"Python {version} is too old.", "Use Python 3.11 or newer.")
    return Check("python", "ok", f"Python {version}")


def _settings(home: Home, environment: Mapping[str, str]) -> tuple[Settings, list[Check]]:
    try:
        settings = load_settings(home.config, environment)
    except SettingsError as error:
        return Settings(), [Check("settings", "wrong", str(error), "Change or remove it, then start again.")]
    return settings, [Check("settings", "ok", "All settings can be used.")]


# ---- tmux --------------------------------------------------------------------------------------------------


async def _tmux(settings: Settings, environment: Mapping[str, str]) -> list[Check]:
    binary = Binary(environment)
    problem = await binary.problem()
    if problem:
        return [Check("tmux", "wrong", problem, INSTALL_TMUX)]
    ran = await binary.run("-V", timeout_s=HOOK_TIMEOUT_S)
    found = [Check("tmux", "ok", f"{clean_line(ran.out, 40)} at {binary.program}")]
    sockets = candidates(settings.tmux.sockets, environment, os.getuid())
    if sockets.problem:
        found.append(
            Check("tmux servers", "wrong", sockets.problem, "Make it readable for you, or set tmux.sockets.")
        )
    answers = await asyncio.gather(*(_server(binary, path) for path in sockets.paths))
    servers = [check for answer in answers for check in answer]
    if not servers and not sockets.problem:
        servers = [
            Check(
                "tmux servers", "note", "No tmux server runs now.", "Start an agent: tmux new -s work claude"
            )
        ]
    return found + servers


async def _server(binary: Binary, path: str) -> list[Check]:
    answer = await probe(binary, path)
    if isinstance(answer, Nobody):
        return []
    if isinstance(answer, Trouble):
        fix = "End that server when you can, or name the others in tmux.sockets."
        return [Check("tmux servers", "wrong", answer.problem, fix)]
    count = len(answer.sessions)
    text = f"{path}: version {answer.version}, {count} session{'s' if count != 1 else ''}"
    return [Check("tmux servers", "ok", text), *await _hooks(binary, path, answer)]


async def _hooks(binary: Binary, path: str, server: ServerFacts) -> list[Check]:
    """A ``client-attached`` hook also runs when our control client attaches (spikes.md section 1)."""
    if not server.sessions:
        return []
    ran = await binary.on(path, "show-hooks", "-g", "client-attached", timeout_s=HOOK_TIMEOUT_S)
    hooks = [line for line in ran.out.splitlines() if " " in line.strip()]
    return [
        Check(
            "tmux hooks",
            "note",
            f"{path}: a hook runs when the control room attaches: {clean_line(hook, 120)}",
            "If it resizes or prints, let it skip control clients: if -F '#{client_control_mode}' '' '…'",
        )
        for hook in hooks[:3]
    ]


# ---- the data folder ---------------------------------------------------------------------------------------


def _data_folder(home: Home) -> list[Check]:
    path = home.path
    length = len(os.fsencode(home.socket))
    if length > LONGEST_SOCKET:
        text = f"{path} is too deep: its socket path has {length} bytes, {LONGEST_SOCKET} are allowed."
        return [Check("data folder", "wrong", text, "Choose a shorter one with --home or CONTROLROOM_HOME.")]
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        crowded = too_little(path)
    except FileNotFoundError:
        return [Check("data folder", "note", f"{path} does not exist yet.", "controlroom up makes it.")]
    except OSError as error:
        text = f"{path} cannot be read: {error.strerror}."
        return [Check("data folder", "wrong", text, "Give it back to your user, or choose another --home.")]
    if mode & 0o077:
        text = f"{path} can be read by others (mode {mode:o})."
        return [Check("data folder", "wrong", text, f"chmod 700 {path}")]
    found = [Check("data folder", "ok", f"{path}, private, socket path {length} of {LONGEST_SOCKET} bytes")]
    if crowded:
        found.append(Check("disk", "wrong", crowded, DO))
    return found


def _databases(home: Home) -> list[Check]:
    found = []
    for name, schema in (("hub", HUB_SCHEMA), ("node", NODE_SCHEMA)):
        if (check := _database(home.database(name), schema)) is not None:
            found.append(check)
    return found


def _database(path: Path, schema: Schema) -> Check | None:
    if not path.exists():
        return None
    try:
        revision = revision_of(path)
    except (Unreadable, OSError) as error:
        text = f"{path.name} cannot be read: {error}."
        return Check("database", "wrong", text, "Stop the control room and put a copy from backups/ there.")
    if revision == schema.head:
        return Check("database", "ok", f"{path.name}, schema {revision}")
    if revision is None:
        return Check("database", "note", f"{path.name} is empty.", "controlroom up fills it.")
    text = f"{path.name} has schema {revision}, this version needs {schema.head}."
    return Check("database", "note", text, "controlroom up copies and updates it, or says what to do.")


# ---- the checker -------------------------------------------------------------------------------------------


def _checker(settings: Settings, home: Home, environment: Mapping[str, str]) -> Check:
    """Whether the checker could ask its model; it is not asked. None is a normal state."""
    wish = settings.checker
    if not wish.model:
        text = "No model is configured: open questions are closed by rules alone."
        return Check("checker", "ok", text)
    try:
        choose(wish, home.path, environment)
        key = key_source(wish, home.path, environment).read()
    except ModelError as error:
        return Check("checker", "wrong", error.text, "Correct the settings of [checker].")
    name = clean_line(wish.model, 80)
    if key is None and not wish.model.startswith("openai:"):
        text, fix = f"{name} needs a key, and there is none.", "Set checker.key_file or checker.key_env."
        return Check("checker", "wrong", text, fix)
    if wish.model.startswith("claude:") and shutil.which(wish.command, path=environment.get("PATH")) is None:
        text = f"{name} needs the program {clean_line(wish.command, 80)}, which is not on PATH."
        return Check("checker", "wrong", text, "Install Claude Code, or set checker.command.")
    return Check("checker", "ok", f"{name}, at most {wish.calls_per_day} calls a day")


# ---- the running control room ------------------------------------------------------------------------------


async def _hub(home: Home) -> tuple[Status | None, list[Check]]:
    from controlroom import __version__

    try:
        async with asyncio.timeout(HUB_TIMEOUT_S), HubClient(home.socket) as hub:
            status = await hub.status()
    except CannotReach:
        return None, [Check("control room", "note", "It does not run.", "Start it: controlroom up")]
    except (ClientError, TimeoutError) as error:
        text = f"It runs but does not answer: {error or 'time is up'}."
        return None, [Check("control room", "wrong", text, f"Look into {home.log}, then start it again.")]
    found = [Check("control room", "ok", f"It runs as process {status.pid}, version {status.version}")]
    if status.version != __version__:
        text = f"It runs version {status.version}; this command is {__version__}."
        found.append(Check("control room", "note", text, "Start it again to have one version."))
    found += [
        Check(
            "health",
            "wrong",
            clean_line(item.title),
            "" if item.do == item.title else clean_line(item.do, 400),
        )
        for item in status.health
    ]
    return status, found


async def _profiles(home: Home) -> tuple[str, ...]:
    """Config folders of the agents that the running control room knows."""
    try:
        async with asyncio.timeout(HUB_TIMEOUT_S), HubClient(home.socket) as hub:
            fleet = await hub.fleet()
    except (ClientError, TimeoutError):
        return ()
    return tuple(agent.profile for agent in fleet.agents if agent.profile and agent.activity != "gone")


def _config_folders(environment: Mapping[str, str], profiles: tuple[str, ...]) -> list[Check]:
    user = Path(environment.get("HOME") or Path.home())
    folders = dict.fromkeys(
        [
            Path(environment.get("CLAUDE_CONFIG_DIR") or user / ".claude"),
            Path(environment.get("CODEX_HOME") or user / ".codex"),
            *map(Path, profiles),
        ]
    )
    found = []
    for folder in folders:
        try:
            is_there = folder.is_dir()
        except OSError:
            is_there = True  # a parent that cannot be entered
        if not is_there:
            continue
        shut = next((place for place in (folder, *_parts_of(folder)) if not _can_read(place)), None)
        if shut is None:
            found.append(Check("agents' folders", "ok", f"{folder} can be read"))
        else:
            text = f"{shut} cannot be read, so its agents' chats are missing."
            found.append(Check("agents' folders", "wrong", text, f"Give it back to your user: ls -ld {shut}"))
    return found


def _parts_of(folder: Path) -> list[Path]:
    """The folders in it that agents are read from (Claude Code, Codex)."""
    parts = [folder / name for name in ("sessions", "projects")]
    return [part for part in parts if os.access(folder, os.X_OK) and part.exists()]


def _can_read(folder: Path) -> bool:
    return os.access(folder, os.R_OK | os.X_OK)

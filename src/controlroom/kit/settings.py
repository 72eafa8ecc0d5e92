"""Settings: ``config.toml`` in the data folder, and ``CONTROLROOM_<SECTION>_<NAME>`` above it.

Each field's description says what is allowed; it is what a person reads when a value is not.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from controlroom.core.turns import NAME_PATTERN

PREFIX = "CONTROLROOM_"


class SettingsError(Exception):
    """A setting cannot be used: which key, what is wrong, what is allowed. One line."""


class _Section(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all sections."""


class Usage(_Section, frozen=True, kw_only=True):
    claude_url: Annotated[
        str, Meta(pattern=r"^https?://[^\s/]+(/\S*)?$", description="an http or https address")
    ] = "https://api.anthropic.com/api/oauth/usage"
    every_s: Annotated[float, Meta(ge=30, le=86400, description="seconds, 30 to 86400")] = 300
    endpoint: Annotated[bool, Meta(description="true or false")] = True


class Profiles(_Section, frozen=True, kw_only=True):
    folders: Annotated[
        tuple[
            Annotated[str, Meta(pattern=r"^(claude|codex):[^=:\x00-\x1f]{1,60}=[~/].*$", max_length=4096)],
            ...,
        ],
        Meta(description='a list of KIND:NAME=FOLDER, such as "claude:work=~/.claude-work"'),
    ] = ()
    search: Annotated[bool, Meta(description="true or false")] = True


class Notify(_Section, frozen=True, kw_only=True):
    finished_after_s: Annotated[float, Meta(ge=0, le=86400, description="seconds, 0 to 86400")] = 60
    waiting_after_s: Annotated[float, Meta(ge=0, le=86400, description="seconds, 0 to 86400")] = 120


class Push(_Section, frozen=True, kw_only=True):
    allow_private_endpoints: Annotated[bool, Meta(description="true or false")] = False
    contact: Annotated[
        str,
        Meta(pattern=r"^((mailto:|https://)[^\s]+)?$", description="a mailto: or https: address, or nothing"),
    ] = ""
    apns_key_file: Annotated[
        str, Meta(max_length=4096, description="a private file, in the data folder if relative, or nothing")
    ] = ""
    apns_key_id: Annotated[str, Meta(pattern=r"^[A-Za-z0-9]{0,20}$", description="the key's id")] = ""
    apns_team: Annotated[str, Meta(pattern=r"^[A-Za-z0-9]{0,20}$", description="the team's id")] = ""
    apns_topic: Annotated[
        str, Meta(pattern=r"^[A-Za-z0-9.\-]{0,200}$", description="the app's bundle id")
    ] = ""
    apns_url: Annotated[
        str, Meta(pattern=r"^https://[^\s/]+/?$", description="an https address without a path")
    ] = "https://api.push.apple.com"
    fcm_account_file: Annotated[
        str, Meta(max_length=4096, description="a private file, in the data folder if relative, or nothing")
    ] = ""
    fcm_url: Annotated[
        str, Meta(pattern=r"^https://[^\s/]+/?$", description="an https address without a path")
    ] = "https://fcm.googleapis.com"


class Limits(_Section, frozen=True, kw_only=True):
    upload_bytes: Annotated[int, Meta(ge=1024, le=2**32, description="bytes, 1024 to 4294967296")] = (
        26_214_400
    )
    message_bytes: Annotated[int, Meta(ge=1024, le=2**24, description="bytes, 1024 to 16777216")] = 1_048_576


class Door(_Section, frozen=True, kw_only=True):
    port: Annotated[int, Meta(ge=0, le=65535, description="a port, 0 (any free one) to 65535")] = 8767
    proxy_port: Annotated[
        int, Meta(ge=0, le=65535, description="a port, 0 (the next one, or any free one) to 65535")
    ] = 0
    public_url: Annotated[
        str, Meta(pattern=r"^(https?://[^\s/]+(/\S*)?)?$", description="an http or https address, or nothing")
    ] = ""
    loopback_routes: Annotated[bool, Meta(description="true or false")] = False
    names: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[A-Za-z0-9.\-\[\]:]+$", max_length=253)], ...],
        Meta(description="a list of host names"),
    ] = ()


class Media(_Section, frozen=True, kw_only=True):
    max_bytes: Annotated[int, Meta(ge=1024, le=2**34, description="bytes, 1024 to 17179869184")] = 104_857_600
    uploads_bytes: Annotated[int, Meta(ge=1024, le=2**40, description="bytes, 1024 to 1099511627776")] = (
        1_073_741_824
    )
    ttl_s: Annotated[float, Meta(ge=1, le=2_592_000, description="seconds, 1 to 2592000")] = 86400
    entries: Annotated[int, Meta(ge=1, le=10_000, description="1 to 10000")] = 500
    roots: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^/.*[^/]$", max_length=4096)], ...],
        Meta(description="a list of absolute folders"),
    ] = ()
    strict: Annotated[bool, Meta(description="true or false")] = True


class Tmux(_Section, frozen=True, kw_only=True):
    sockets: Annotated[
        Literal["auto"] | tuple[Annotated[str, Meta(min_length=1)], ...],
        Meta(description='"auto" or a list of socket paths or names'),
    ] = "auto"


class Herdr(_Section, frozen=True, kw_only=True):
    sockets: Annotated[
        Literal["auto"] | tuple[Annotated[str, Meta(min_length=1)], ...],
        Meta(description='"auto" (all sessions) or a list of socket paths or names of sessions; [] is none'),
    ] = "auto"


class Agents(_Section, frozen=True, kw_only=True):
    kinds: Annotated[
        Literal["auto"] | tuple[Annotated[str, Meta(min_length=1)], ...],
        Meta(description='"auto" (every kind that is installed) or a list of kinds, such as claude'),
    ] = "auto"
    models: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=100)], ...],
        Meta(description="a list of models that new agents may be started with; an empty one allows all"),
    ] = ()
    flags: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[a-z]{1,40}:-[^\x00-\x1f]{1,199}$")], ...],
        Meta(description="a list of KIND:FLAGS that new agents may be started with"),
    ] = ()


class Policy(_Section, frozen=True, kw_only=True):
    blocking_answers: Annotated[Literal["anyone", "devices"], Meta(description='"anyone" or "devices"')] = (
        "anyone"
    )
    automatic: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...],
        Meta(description="a list of machines, by name or id, on which the policy moves agents by itself"),
    ] = ()
    week_min_pct: Annotated[float, Meta(ge=0, le=100, description="percent left, 0 to 100")] = 3
    five_hours_min_pct: Annotated[float, Meta(ge=0, le=100, description="percent left, 0 to 100")] = 10
    margin_pct: Annotated[float, Meta(ge=1, le=100, description="percent, 1 to 100")] = 5
    cool_down_min: Annotated[float, Meta(ge=1, le=10080, description="minutes, 1 to 10080")] = 30
    reserves: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[^\x00-\x1f]{1,200}=[0-9]{1,2}(\.[0-9])?$")], ...],
        Meta(description="a list of ACCOUNT=percent, such as acc_3f=20: the account's id or name"),
    ] = ()


class Slots(_Section, frozen=True, kw_only=True):
    limits: Annotated[
        tuple[Annotated[str, Meta(pattern=rf"^{NAME_PATTERN}=[1-9][0-9]{{0,2}}$")], ...],
        Meta(description="a list of name=count, such as heavy=2: so many jobs at once"),
    ] = ("heavy=1",)


class Checker(_Section, frozen=True, kw_only=True):
    model: Annotated[
        str,
        Meta(
            pattern=r"^((anthropic|openai|claude):[^\s\-][^\s]{0,199})?$",
            description="anthropic:MODEL, openai:MODEL, claude:MODEL, or nothing",
        ),
    ] = ""
    url: Annotated[
        str, Meta(pattern=r"^(https?://[^\s/]+(/\S*)?)?$", description="an http or https address, or nothing")
    ] = ""
    allow_plain_http: Annotated[bool, Meta(description="true or false")] = False
    key_file: Annotated[
        str, Meta(max_length=4096, description="a private file, in the data folder if relative, or nothing")
    ] = "checker-key"
    key_env: Annotated[
        str,
        Meta(pattern=r"^([A-Za-z_][A-Za-z0-9_]{0,99})?$", description="the name of a variable, or nothing"),
    ] = ""
    command: Annotated[
        str, Meta(pattern=r"^[^\s\-][^\x00-\x1f]{0,4095}$", description="a program, by name or path")
    ] = "claude"
    calls_per_day: Annotated[int, Meta(ge=0, le=100_000, description="0 to 100000")] = 200
    confidence: Annotated[float, Meta(ge=0.5, le=1, description="0.5 to 1")] = 0.8


class Log(_Section, frozen=True, kw_only=True):
    level: Annotated[
        Literal["debug", "info", "warning", "error"], Meta(description="debug, info, warning or error")
    ] = "info"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings of a control room, each with its default."""

    usage: Usage = Usage()
    profiles: Profiles = Profiles()
    notify: Notify = Notify()
    push: Push = Push()
    limits: Limits = Limits()
    door: Door = Door()
    media: Media = Media()
    tmux: Tmux = Tmux()
    herdr: Herdr = Herdr()
    agents: Agents = Agents()
    policy: Policy = Policy()
    slots: Slots = Slots()
    checker: Checker = Checker()
    log: Log = Log()


class Setting(msgspec.Struct, frozen=True):
    """One setting as documentation and error messages need it."""

    section: str
    name: str
    type: Any
    allowed: str
    default: object

    @property
    def key(self) -> str:
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        return f"{PREFIX}{self.section}_{self.name}".upper()


def all_settings() -> Iterator[Setting]:
    for section in msgspec.structs.fields(Settings):
        for field in msgspec.structs.fields(section.type):
            described = field.type.__metadata__[0]
            yield Setting(section.name, field.name, field.type, described.description, field.default)


def load_settings(config: Path, environ: Mapping[str, str]) -> Settings:
    """The settings of this start. Raises SettingsError for the first one that cannot be used."""
    known = {setting.key: setting for setting in all_settings()}
    values: dict[str, dict[str, object]] = {}
    for key, value in _from_file(config, known):
        setting = known[key]
        values.setdefault(setting.section, {})[setting.name] = _checked(setting, value, config.name)
    for key, text in _from_environment(environ, known):
        setting = known[key]
        values.setdefault(setting.section, {})[setting.name] = _checked(
            setting, _parsed(setting, text), setting.variable
        )
    sections = {
        section.name: section.type(**values.get(section.name, {}))
        for section in msgspec.structs.fields(Settings)
    }
    return Settings(**sections)


def slot_limits(settings: Settings) -> dict[str, int]:
    """How many jobs may run at once, by the name of the slot; of two entries the last counts."""
    pairs = (limit.split("=") for limit in settings.slots.limits)
    return {name: int(count) for name, count in pairs}


def _from_file(config: Path, known: Mapping[str, Setting]) -> Iterator[tuple[str, object]]:
    try:
        read = tomllib.loads(config.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except OSError as error:
        raise SettingsError(f"{config} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{config} is not valid TOML: {' '.join(str(error).split())}.") from None
    sections = {setting.section for setting in known.values()}
    for section, entries in read.items():
        if section not in sections or not isinstance(entries, dict):
            raise SettingsError(
                f"{config.name}: [{section[:80]}] is not a section; allowed: {', '.join(sorted(sections))}."
            )
        for name, value in entries.items():
            yield _known(f"{section}.{name}", known, config.name), value


def _from_environment(environ: Mapping[str, str], known: Mapping[str, Setting]) -> Iterator[tuple[str, str]]:
    """Variables of a known section; others that begin with the prefix are not settings."""
    sections = {setting.section for setting in known.values()}
    for variable in sorted(environ):
        section, _, name = variable.removeprefix(PREFIX).lower().partition("_")
        if variable.startswith(PREFIX) and name and section in sections:
            yield _known(f"{section}.{name}", known, variable), environ[variable]


def _known(key: str, known: Mapping[str, Setting], source: str) -> str:
    if key in known:
        return key
    near = difflib.get_close_matches(key, known, n=1)
    section = key.partition(".")[0]
    allowed = ", ".join(other for other in known if other.startswith(section + "."))
    hint = f"did you mean {near[0]}?" if near else f"allowed: {allowed}."
    raise SettingsError(f"{source}: {key[:80]} is not a setting; {hint}")


def _parsed(setting: Setting, text: str) -> object:
    """A variable's text as the value it stands for; what does not fit is refused by ``_checked``."""
    if isinstance(setting.default, bool):
        return {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower(), text)
    if isinstance(setting.default, (int, float)):
        try:
            return float(text) if "." in text else int(text)
        except ValueError:
            return text
    if isinstance(setting.default, tuple) or setting.default == "auto":
        if text.strip() == "auto":
            return "auto"
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def _checked(setting: Setting, value: object, source: str) -> object:
    try:
        return msgspec.convert(value, type=setting.type)
    except msgspec.ValidationError:
        shown = repr(value)[:80]
        raise SettingsError(
            f"{source}: {setting.key} cannot be {shown}; allowed: {setting.allowed}."
        ) from None

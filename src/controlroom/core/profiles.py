"""What a Hermes host's profiles say to devices: rows, public fields, masks and limits.

Source: relay contract section 17. Values of a host's files are data of others: every type is checked, and a
secret never leaves, not even for a program of this machine.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from controlroom.core.text import clean_line

DEFAULT: Final = "default"
SOUL_CAP: Final = 204_800  # characters
MEMORY_CAP: Final = 51_200
MASK: Final = "[redacted]"
MOST_VALUES: Final = 20_000  # of one config; shared anchors can unfold to more than memory holds
DEEPEST: Final = 40
API_PORT: Final = 8642

AVATAR_NAMES: Final = ("avatar", "profile", "profile-image", "profile_image", "agent", "icon")
AVATAR_ENDINGS: Final = ("png", "jpg", "jpeg", "webp", "gif")
EXPECTED_AVATARS: Final = [f"{name}.{ending}" for name in AVATAR_NAMES[:2] for ending in AVATAR_ENDINGS]

_ACTIVE: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_SECRET_KEY: Final = re.compile(
    r"(key|token|secret|password|passwd|passphrase|credential|authorization|bearer|otp|cookie|webhook|dsn)s?$"
    r"|^(env|environment|headers|auth)$",
    re.IGNORECASE,
)
_SECRET_VALUE: Final = re.compile(
    r"\b(sk|pk|rk|ghp|gho|ghs|github_pat|xox[a-z]|glpat|hf|AKIA|AIza|eyJ)[-_A-Za-z0-9]{12,}"
    r"|://[^/\s@]+@|\bbearer\s+\S+|-----BEGIN",
    re.IGNORECASE,
)


class TooMuch(Exception):
    """A config that is too large or too deep to be shown."""


def is_profile_name(name: str) -> bool:
    """A plain folder name; whether there is such a profile is another question."""
    return (
        0 < len(name) <= 64
        and not name.startswith(".")
        and not any(char in "/\\" or not char.isprintable() for char in name)
    )


def active_name(text: str) -> str | None:
    """The profile that the file ``active_profile`` names, None when it names none."""
    name = text.strip()
    return name if _ACTIVE.fullmatch(name) else None


# ---- config ---------------------------------------------------------------------------------------------


def model_of(config: Mapping[str, object]) -> str | None:
    """``model.default``."""
    model = config.get("model")
    default = model.get("default") if isinstance(model, dict) else None
    return clean_line(default) or None if isinstance(default, str) else None


def description_of(config: Mapping[str, object], soul: str | None) -> str:
    """``description``, else the first line of the soul that says something."""
    said = config.get("description")
    if isinstance(said, str) and said.strip():
        return clean_line(said, 500)
    for line in (soul or "")[:4096].split("\n"):
        if text := line.strip().lstrip("#").strip():
            return clean_line(text, 500)
    return ""


def public_config(config: Mapping[str, object]) -> dict[str, object]:
    """What a device may see of a config: the description and the name of the model."""
    public: dict[str, object] = {}
    if isinstance(config.get("description"), str):
        public["description"] = description_of(config, None)
    if (model := model_of(config)) is not None:
        public["model"] = {"default": model}
    return public


def masked(config: Mapping[str, object]) -> dict[str, object]:
    """The whole config with every secret covered, as plain JSON. Raises TooMuch."""
    budget = [MOST_VALUES]
    return {
        str(key): _masked(value, is_secret=_is_secret_key(str(key)), depth=1, budget=budget)
        for key, value in config.items()
    }


def _masked(value: object, *, is_secret: bool, depth: int, budget: list[int]) -> object:
    budget[0] -= 1
    if budget[0] < 0 or depth > DEEPEST:
        raise TooMuch
    if isinstance(value, dict):
        return {
            str(key): _masked(
                inner, is_secret=is_secret or _is_secret_key(str(key)), depth=depth + 1, budget=budget
            )
            for key, inner in value.items()
        }
    if isinstance(value, (list, tuple, set)):
        return [_masked(inner, is_secret=is_secret, depth=depth + 1, budget=budget) for inner in value]
    if value is None or isinstance(value, bool):
        return value
    if is_secret:
        return MASK
    if isinstance(value, int):
        return value if abs(value) < 2**63 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    text = value if isinstance(value, str) else repr(value) if isinstance(value, bytes) else str(value)
    return MASK if _SECRET_VALUE.search(text) else text


def _is_secret_key(key: str) -> bool:
    return key.lower() != "max_tokens" and _SECRET_KEY.search(key) is not None


# ---- API server -----------------------------------------------------------------------------------------


class ApiServer(NamedTuple):
    """Where a profile's API server listens; ``host`` and ``port`` None when it has none."""

    is_enabled: bool
    host: str | None
    port: int | None
    has_key: bool


_HERE: Final = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0", "::"})  # noqa: S104 - compared, not bound


def api_server(config: Mapping[str, object], env: Mapping[str, str]) -> ApiServer:
    """``platforms.api_server`` (and its ``extra``), or ``api_server`` at the root; then the profile's
    ``.env``. It is on when it says so, else when it has a key."""
    platforms = config.get("platforms")
    found = platforms.get("api_server") if isinstance(platforms, dict) else None
    if not isinstance(found, dict):
        found = config.get("api_server")
    said = dict(found) if isinstance(found, dict) else {}
    extra = said.get("extra")
    if isinstance(extra, dict):
        said = {**extra, **said}
    key = said.get("key") or said.get("api_key") or env.get("API_SERVER_KEY")
    enabled = said.get("enabled", env.get("API_SERVER_ENABLED"))
    if isinstance(enabled, str):
        enabled = enabled.strip().lower() in {"1", "true", "yes", "on"}
    is_enabled = enabled if isinstance(enabled, bool) else bool(key)
    if not is_enabled:
        return ApiServer(False, None, None, bool(key))
    host = said.get("host") or env.get("API_SERVER_HOST")
    return ApiServer(
        True,
        clean_line(host, 253) if isinstance(host, str) and host.strip() else "127.0.0.1",
        _port(said.get("port", env.get("API_SERVER_PORT"))) or API_PORT,
        bool(key),
    )


def _port(said: object) -> int | None:
    if isinstance(said, str) and said.strip().isascii() and said.strip().isdigit():
        said = int(said.strip()[:6])
    return said if isinstance(said, int) and not isinstance(said, bool) and 0 < said < 65536 else None


def api_url(server: ApiServer, reached_as: str | None) -> str | None:
    """Its address for devices. ``reached_as``: this machine's name, in place of loopback ones."""
    if server.host is None:
        return None
    host = reached_as if reached_as and server.host in _HERE else server.host
    return f"http://{f'[{host}]' if ':' in host else host}:{server.port}"


def is_here(host: str) -> bool:
    """Whether an address means this machine, so that its port may be tried."""
    return host in _HERE


# ---- texts ----------------------------------------------------------------------------------------------


class Clipped(NamedTuple):
    text: str
    is_truncated: bool


def clipped(raw: bytes, cap: int) -> Clipped:
    """The first ``cap`` characters of a text file."""
    text = raw.decode("utf-8", "replace")
    return Clipped(text[:cap], len(text) > cap)


def memory_order(names: Iterable[str]) -> list[str]:
    """``*.md`` files: MEMORY, USER, then by name."""
    first = {"MEMORY.md": 0, "USER.md": 1}
    return sorted((name for name in names if name.endswith(".md")), key=lambda n: (first.get(n, 2), n))


def front_matter(text: str) -> str | None:
    """The YAML between two ``---`` lines at the beginning, None when there is none."""
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[0].rstrip() != "---":
        return None
    for n, line in enumerate(lines[1:], start=1):
        if line.rstrip() == "---":
            return "\n".join(lines[1:n])
    return None


def avatar_of(names: Iterable[str]) -> str | None:
    """The picture among the files of a profile, whatever the case of its name; the contract's order."""
    by_name = {name.lower(): name for name in sorted(names, reverse=True)}
    wanted = (f"{name}.{ending}" for name in AVATAR_NAMES for ending in AVATAR_ENDINGS)
    return next((by_name[name] for name in wanted if name in by_name), None)

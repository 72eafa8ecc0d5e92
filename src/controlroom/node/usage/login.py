"""The login of a Claude Code folder: read, at the moment when it is needed, and nothing else.

Never refreshed: a refresh token works once, and whoever uses it first logs the running agent out
(field-lessons.md section 6). Never written, never copied. Of the file only three fields are ever decoded; the
refresh token is not one of them. The access token lives in the ``Login`` of one call; whoever only wants to
know when a login ends gets its times.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

T = TypeVar("T")

FILE = ".credentials.json"
MOST_BYTES = 1_000_000


class LoginUnreadable(Exception):
    """The file is there and cannot be read; the text says why, without anything of its contents."""


class LoginTimes(NamedTuple):
    """``expires_ms``: of the access token; ``ends_ms``: when the person has to sign in again. None: not
    said."""

    expires_ms: int | None
    ends_ms: int | None

    def is_idle(self, now_ms: int) -> bool:
        """The access token has run out: the agent gets a new one when it runs next, and only the agent."""
        return self.expires_ms is not None and self.expires_ms <= now_ms


class Login:
    """An access token, for one call. ``expires_ms`` None: not said. Its texts never show the token."""

    __slots__ = ("expires_ms", "token")

    def __init__(self, token: str, expires_ms: int | None) -> None:
        self.token = token
        self.expires_ms = expires_ms

    def __repr__(self) -> str:
        return f"Login(expires_ms={self.expires_ms})"

    def is_idle(self, now_ms: int) -> bool:
        return self.expires_ms is not None and self.expires_ms <= now_ms


class _Times(msgspec.Struct, rename="camel"):
    expires_at: int | float | None = None
    refresh_token_expires_at: int | float | None = None


class _FileOfTimes(msgspec.Struct, rename="camel"):
    claude_ai_oauth: _Times | None = None


class _Oauth(msgspec.Struct, rename="camel"):
    access_token: str | None = None
    expires_at: int | float | None = None


class _File(msgspec.Struct, rename="camel"):
    claude_ai_oauth: _Oauth | None = None


def login_stamp(folder: Path) -> str:
    """Changes when somebody signed in or the agent renewed its login; "" = there is none. Opens nothing."""
    try:
        status = (folder / FILE).stat()
    except OSError:
        return ""
    return f"{status.st_ino}-{status.st_size}-{status.st_mtime_ns}"


def read_times(folder: Path) -> LoginTimes | None:
    """When the folder's login ends, None when it holds none. No token is decoded. Raises LoginUnreadable."""
    oauth = _read(folder, _FileOfTimes)
    if oauth is None or oauth.claude_ai_oauth is None:
        return None
    times = oauth.claude_ai_oauth
    return LoginTimes(_ms(times.expires_at), _ms(times.refresh_token_expires_at))


def read_login(folder: Path) -> Login | None:
    """The login that the folder holds now, None when it holds none. Raises LoginUnreadable."""
    file = _read(folder, _File)
    oauth = None if file is None else file.claude_ai_oauth
    if oauth is None or not oauth.access_token:
        return None
    return Login(oauth.access_token, _ms(oauth.expires_at))


def _read(folder: Path, kind: type[T]) -> T | None:
    path = folder / FILE
    try:
        if path.exists() and not path.is_file():  # a pipe would never let go of who opens it
            raise LoginUnreadable("it is no file")
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(MOST_BYTES), type=kind)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LoginUnreadable(error.strerror or "it cannot be opened") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise LoginUnreadable("it is not in the form that is known") from None  # never its contents


def _ms(value: int | float | None) -> int | None:
    return int(value) if value is not None and 0 < value < 2**53 else None

"""The login of a Claude Code folder: read, at the moment when it is needed, and nothing else.

Never refreshed: a refresh token works once, and whoever uses it first logs the running agent out
(field-lessons.md section 6). Never written, never copied. Of the file only three fields are decoded; the
refresh token is not one of them. The access token lives in the ``Login`` of one call.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

FILE = ".credentials.json"
MOST_BYTES = 1_000_000


class LoginUnreadable(Exception):
    """The file is there and cannot be read; the text says why, without anything of its contents."""


class Login:
    """``expires_ms``: of the access token; ``ends_ms``: when the person has to sign in again. None: not
    said. Its texts never show the token."""

    __slots__ = ("ends_ms", "expires_ms", "token")

    def __init__(self, token: str, expires_ms: int | None, ends_ms: int | None) -> None:
        self.token = token
        self.expires_ms = expires_ms
        self.ends_ms = ends_ms

    def __repr__(self) -> str:
        return f"Login(expires_ms={self.expires_ms}, ends_ms={self.ends_ms})"

    def is_idle(self, now_ms: int) -> bool:
        """The access token has run out: the agent gets a new one when it runs next, and only the agent."""
        return not self.token or (self.expires_ms is not None and self.expires_ms <= now_ms)


class _Oauth(msgspec.Struct, rename="camel"):
    access_token: str | None = None
    expires_at: int | float | None = None
    refresh_token_expires_at: int | float | None = None


class _File(msgspec.Struct, rename="camel"):
    claude_ai_oauth: _Oauth | None = None


def login_stamp(folder: Path) -> str:
    """Changes when somebody signed in or the agent renewed its login; "" = there is none. Opens nothing."""
    try:
        status = (folder / FILE).stat()
    except OSError:
        return ""
    return f"{status.st_ino}-{status.st_size}-{status.st_mtime_ns}"


def read_login(folder: Path) -> Login | None:
    """The login that the folder holds now, None when it holds none. Raises LoginUnreadable."""
    try:
        with (folder / FILE).open("rb") as file:
            oauth = msgspec.json.decode(file.read(MOST_BYTES), type=_File).claude_ai_oauth
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LoginUnreadable(error.strerror or "it cannot be opened") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise LoginUnreadable("it is not in the form that is known") from None  # never its contents
    if oauth is None or not oauth.access_token:
        return None
    return Login(oauth.access_token, _ms(oauth.expires_at), _ms(oauth.refresh_token_expires_at))


def _ms(value: int | float | None) -> int | None:
    return int(value) if value is not None and 0 < value < 2**53 else None

"""Which files a device may fetch, what they are sent as, and how long an offer of a file lives.

Order of the checks (relay contract section 19): a text, absolute, then on the path with all links resolved:
not protected, under an allowed root; only then whether it exists, is a regular file and is small enough. So
nobody learns from an answer what exists outside the allowed places. The shell resolves, opens once, and asks
again about the path of what it has opened.

Times are Unix milliseconds, sizes bytes. Deliberate differences: docs/reference/relay-differences.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from controlroom.core.secret_names import is_secret
from controlroom.core.text import clean_line

LONGEST_PATH: Final = 4096
LONGEST_NAME: Final = 200
SHOWN_PATH: Final = 300  # characters of a path in an answer
SNIFF_BYTES: Final = 16
ANY_TYPE: Final = "application/octet-stream"

# ---- where files may lie --------------------------------------------------------------------------------

SYSTEM_PLACES: Final = (
    "/etc", "/proc", "/sys", "/dev", "/root", "/boot", "/var/log", "/var/lib", "/var/run", "/run",
)  # fmt: skip
USER_PLACES: Final = (
    ".ssh", ".aws", ".gnupg", ".kube", ".docker", ".config", ".azure", ".gcloud", "Library/Keychains",
    # Ours: where agents and other tools keep what opens accounts.
    ".claude", ".codex", ".gemini", ".local/share/keyrings", ".password-store", ".pypirc", ".npmrc", ".pki",
    ".mozilla", ".thunderbird", ".putty", ".oci", ".terraform.d", ".cargo", ".gem", ".m2", ".gradle",
    "Library/Application Support", "Library/Cookies",
)  # fmt: skip
HERMES_PLACES: Final = (
    ".env", "auth.json", "auth.lock", "credentials", "config.yaml", ".anthropic_oauth.json",
    "google_token.json", "google_oauth_pending.json", "auth/google_oauth.json", "webhook_subscriptions.json",
    "cache/bws_cache.json", "hermes-relay-qr-secret", "hermes-relay-sessions.json", "pairing", "mcp-tokens",
)  # fmt: skip


class Sandbox(msgspec.Struct, frozen=True, kw_only=True):
    """Allowed and protected places of this machine, resolved, absolute, without a slash at the end."""

    roots: tuple[str, ...]
    protected: tuple[str, ...]


class Refused(NamedTuple):
    """Why a file is not given. The text is for the device and names only the path that it named itself."""

    why: Literal["relative", "protected", "outside", "missing", "not_regular", "too_large", "unreadable"]
    text: str


def check_path(path: str) -> Refused | None:
    """Whether this can be a path at all. Half surrogates and NUL never reach the file system."""
    if not path.startswith("/"):
        return Refused("relative", f"path must be absolute: {shown(path)}")
    if "\0" in path or len(path) > LONGEST_PATH or not _is_text(path):
        return Refused("missing", f"path does not exist: {shown(path)}")
    return None


def check_place(resolved: str, sandbox: Sandbox, asked: str, *, strict: bool) -> Refused | None:
    """Whether a file may lie there. ``resolved``: without links; ``asked``: as the device named it."""
    if is_secret(resolved) or is_under_any(resolved, sandbox.protected):
        return Refused("protected", f"path is in a protected credential/system location: {shown(asked)}")
    if strict and not is_under_any(resolved, sandbox.roots):
        return Refused("outside", f"path is not under an allowed root: {shown(asked)}")
    return None


def missing(asked: str) -> Refused:
    return Refused("missing", f"path does not exist: {shown(asked)}")


def not_regular(asked: str) -> Refused:
    return Refused("not_regular", f"path is not a regular file: {shown(asked)}")


def unreadable(asked: str) -> Refused:
    return Refused("unreadable", f"path cannot be read: {shown(asked)}")


def check_size(size: int, most: int) -> Refused | None:
    if size > most:
        return Refused("too_large", f"file too large ({size} bytes, max {most})")
    return None


def is_under_any(path: str, places: Iterable[str]) -> bool:
    return any(is_under(path, place) for place in places)


def is_under(path: str, place: str) -> bool:
    """Whether ``path`` is ``place`` or lies in it; both resolved."""
    return path == place or path.startswith(place.rstrip("/") + "/")


def shown(path: str) -> str:
    """A path in an answer: quoted, without control characters, limited."""
    text = repr(path[: SHOWN_PATH + 1])
    return text if len(path) <= SHOWN_PATH else text[:SHOWN_PATH] + "…'"


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


# ---- what a file is sent as -----------------------------------------------------------------------------

_IMAGES: Final = (
    ("image/png", b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", b"\xff\xd8\xff"),
    ("image/gif", b"GIF87a"),
    ("image/gif", b"GIF89a"),
)
IMAGE_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_TYPE: Final = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,63}/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}")
_NOT_IN_NAMES: Final = re.compile(r'["\\/;%]')

SAFE_HEADERS: Final[Mapping[str, str]] = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, max-age=3600",
}
"""On everything that is not ours (house.md section 3): a browser shows it or saves it, and runs nothing."""


def image_type(head: bytes) -> str | None:
    """The type of an image by its first bytes; None for everything else, SVG too."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((type_ for type_, magic in _IMAGES if head.startswith(magic)), None)


def content_type(said: object) -> str | None:
    """A media type as somebody declared it, without parameters; None when it is none."""
    if not isinstance(said, str):
        return None
    type_ = said.partition(";")[0].strip().lower()
    return type_ if _TYPE.fullmatch(type_) else None


def sent_as(head: bytes, declared: str, name: str | None) -> dict[str, str]:
    """Content-Type and Content-Disposition: an image that is one by its bytes is shown, all else is saved.

    A declared image type that the bytes contradict is not repeated.
    """
    image = image_type(head)
    if image is not None:
        type_, how = image, "inline"
    else:
        type_, how = (ANY_TYPE if declared in IMAGE_TYPES else declared), "attachment"
    return {"Content-Type": type_, "Content-Disposition": how + _filename(name)}


def _filename(name: str | None) -> str:
    """The name in a Content-Disposition: quoted ASCII, and the real one beside it when that says more
    (RFC 6266). Quotes are removed, as the contract does."""
    if not name:
        return ""
    clean = _NOT_IN_NAMES.sub("", clean_line(name, LONGEST_NAME)).strip()
    if not clean:
        return ""
    plain = clean.encode("ascii", "replace").decode().replace("?", "_")
    result = f'; filename="{plain}"'
    if plain != clean:
        quoted = "".join(
            chr(byte) if chr(byte).isalnum() and byte < 128 else f"%{byte:02X}"
            for byte in clean.encode("utf-8", "replace")
        )
        result += f"; filename*=UTF-8''{quoted}"
    return result


def is_sensitive(said: object) -> bool:
    """The contract's reading of the ``sensitive`` flag, in JSON and in a query."""
    if isinstance(said, str):
        return said.strip().lower() in {"1", "true", "yes", "on"}
    return isinstance(said, int) and said != 0


class Span(NamedTuple):
    """Bytes of a file: from ``start`` on, ``length`` of them."""

    start: int
    length: int


_RANGE: Final = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


def byte_range(header: str, size: int) -> Span | Literal["all", "unsatisfiable"]:
    """What a Range header asks for (RFC 9110 section 14). Several ranges, and what is none, give all."""
    match = _RANGE.fullmatch(header.replace(" ", ""))
    if match is None or match.group(1) == match.group(2) == "":
        return "all"
    first, last = match.groups()
    if first == "":
        length = min(int(last), size)
        return Span(size - length, length) if length else "unsatisfiable"
    start = int(first)
    end = size - 1 if last == "" else min(int(last), size - 1)
    if last != "" and int(last) < start:
        return "all"
    return Span(start, end - start + 1) if start < size else "unsatisfiable"


# ---- offers of files ------------------------------------------------------------------------------------


class MediaEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A file that devices may fetch by its token. ``path``: of an upload its name in our own folder, else
    absolute and resolved. The token opens nothing by itself: fetching needs a device with the right."""

    token: str
    path: str
    content_type: str
    file_name: str | None
    size: int
    is_sensitive: bool
    is_upload: bool
    created_ms: int
    expires_ms: int
    accessed_ms: int


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How much is kept. ``uploads``: bytes of all uploads together."""

    entries: int
    uploads: int


def is_expired(entry: MediaEntry, now_ms: int) -> bool:
    """Whether its time is over. A clock that jumped back brings nothing back that was swept."""
    return now_ms >= entry.expires_ms


def to_drop(entries: Sequence[MediaEntry], now_ms: int, limits: Limits) -> list[MediaEntry]:
    """What has to go: what has expired, then the longest unused until both limits are kept.

    ``entries``: the longest unused first.
    """
    alive = [entry for entry in entries if not is_expired(entry, now_ms)]
    too_many = max(0, len(alive) - limits.entries)
    expired = [entry for entry in entries if is_expired(entry, now_ms)]
    return expired + alive[:too_many] + _oldest_uploads(alive[too_many:], limits.uploads)


def _oldest_uploads(entries: Iterable[MediaEntry], most: int) -> list[MediaEntry]:
    uploads = [entry for entry in entries if entry.is_upload]
    excess = sum(entry.size for entry in uploads) - most
    dropped = []
    for entry in uploads:
        if excess <= 0:
            break
        dropped.append(entry)
        excess -= entry.size
    return dropped

"""Names and origins in the headers of a request: whom it was meant for, and which page made it."""

from __future__ import annotations

import contextlib
import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from typing import Final, Literal, NamedTuple
from urllib.parse import urlsplit

from controlroom.core.text import clean_line

LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
PORTS: Final = {"http": 80, "https": 443}
LONGEST_FORWARDED: Final = 2000
LONGEST_USER: Final = 120
TAILNET_HEADERS: Final = ("Tailscale-User-Login", "Tailscale-User-Name")
FORWARDING: Final = frozenset({"forwarded", "via", "x-real-ip"})
FORWARDING_PREFIXES: Final = ("x-forwarded-", "tailscale-")


def host_name(header: str) -> str:
    """The name of a ``Host`` header without its port, in small letters; IPv6 in brackets."""
    header = header.strip().lower()
    if header.startswith("["):
        return header.partition("]")[0] + "]"
    return header.partition(":")[0].rstrip(".")


def in_url(address: str) -> str:
    """An address or a name as it stands in a URL or a ``Host`` header."""
    return f"[{address}]" if ":" in address and not address.startswith("[") else address


class Names:
    """The names under which a door is served. ``*.example`` (from a certificate) means one label more."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        known = {in_url(name.strip().lower().rstrip(".")) for name in names} - {""}
        self._exact = LOCAL_NAMES | {name for name in known if not name.startswith("*.")}
        self._parents = frozenset(name[2:] for name in known if name.startswith("*."))

    def allow(self, header: str, local_address: str | None = None) -> bool:
        """Whether a request with this ``Host`` is for us. ``local_address``: at which it arrived; a page of
        the web can point its own name at us, never a number."""
        name = host_name(header)
        if name in self._exact or name.partition(".")[2] in self._parents:
            return True
        return local_address is not None and name == in_url(local_address)


def is_number(name: str) -> bool:
    """Whether a name is an address, as it stands in a ``Host`` header."""
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def is_loopback_number(header: str) -> bool:
    """Whether a ``Host`` names this machine by a number, where browsers allow no passkeys."""
    name = host_name(header).strip("[]")
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def connection_of(is_secure: bool | None, address: str, door: str) -> Literal["secure", "plain", "unknown"]:
    """How a client is connected. What comes from this machine itself crosses no network, and is as good as
    encrypted. ``is_secure`` None: nobody has said."""
    if is_secure or (door == "device" and is_loopback_number(in_url(address))):
        return "secure"
    return "unknown" if is_secure is None else "plain"


def is_same_origin(origin: str, scheme: str, host: str) -> bool:
    """Whether scheme, host and port of ``Origin`` are exactly those of a request to ``host``."""
    ours = _origin(f"{scheme}://{host}")
    return ours is not None and ours == _origin(origin)


def _origin(text: str) -> tuple[str, str, int] | None:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in PORTS or not parts.hostname or parts.path or parts.query or parts.username:
        return None
    return parts.scheme, parts.hostname, port or PORTS[parts.scheme]


def is_forwarded(headers: Iterable[str]) -> bool:
    """Whether the names of these headers show that a proxy stands between."""
    small = [name.lower() for name in headers]
    return any(name in FORWARDING or name.startswith(FORWARDING_PREFIXES) for name in small)


class Forwarded(NamedTuple):
    """What a proxy says of its client. ``address`` None: it says nothing that can be used."""

    address: str | None
    is_secure: bool


def forwarded(headers: Mapping[str, str]) -> Forwarded:
    """What the proxy right before us says; entries further left in ``X-Forwarded-For`` are hearsay.

    ``headers`` finds names in any case, and joins repeated ones with commas.
    """
    last = headers.get("X-Forwarded-For", "")[-LONGEST_FORWARDED:].rpartition(",")[2].strip()
    is_secure = headers.get("X-Forwarded-Proto", "").strip().lower() == "https"
    return Forwarded(_address(last), is_secure)


class TailnetUser(NamedTuple):
    """The person behind a request, as ``tailscale serve`` names him; "" when it does not."""

    login: str = ""
    name: str = ""


def tailnet_user(headers: Mapping[str, Sequence[str]]) -> TailnetUser:
    """What ``Tailscale-User-Login`` and ``Tailscale-User-Name`` say, for people to read: never a proof.

    ``tailscale serve`` replaces what a client sends under these names; another proxy may pass it on. Names
    beyond ASCII come in the Q encoding of RFC 2047. A header that is there twice says nothing.
    """
    login, name = (_words(headers.get(header, ())) for header in TAILNET_HEADERS)
    return TailnetUser(login, name)


def _words(said: Sequence[str]) -> str:
    if len(said) != 1:
        return ""
    text = said[0][:LONGEST_FORWARDED]
    with contextlib.suppress(HeaderParseError, LookupError, ValueError):
        text = str(make_header(decode_header(text)))
    return clean_line(text, LONGEST_USER)


def _address(text: str) -> str | None:
    """An address with or without a port, in its shortest form."""
    name = text.partition("]")[0].lstrip("[") if text.startswith("[") else text
    if name.count(":") == 1:
        name = name.partition(":")[0]
    try:
        return str(ipaddress.ip_address(name.partition("%")[0]))
    except ValueError:
        return None

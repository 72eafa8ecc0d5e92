"""Where a model may be asked: over TLS, or on this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from controlroom.core.text import clean_line
from controlroom.hub.models.base import NotPossible


def checked(url: str, *, allow_plain: bool) -> str:
    """The address without its last slash. Raises NotPossible.

    A conversation goes there, and often a key: never in the clear over a network unless the person says so.
    """
    shown = clean_line(url, 100)
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise NotPossible(f"checker.url is no address: {shown}.") from None
    if parts.username is not None or parts.password is not None:
        raise NotPossible("checker.url holds a login. Put the key into a file, see checker.key_file.")
    if parts.query or parts.fragment:
        raise NotPossible("checker.url holds more than an address: leave out what follows “?” or “#”.")
    if parts.scheme not in ("http", "https") or not host:
        raise NotPossible(f"checker.url is no http or https address: {shown}.")
    if parts.scheme == "http" and not allow_plain and not is_this_machine(host):
        raise NotPossible(
            f"{shown} is reached in the clear, and conversations would go there. Use https, or set "
            "checker.allow_plain_http = true if that network is yours alone."
        )
    return url.rstrip("/")


def is_this_machine(host: str) -> bool:
    """By its name or number alone; no name is looked up."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

"""Addresses that a browser gave us: we call them only outside, never on this machine or in its networks.

A page that was paired could else make the hub knock at whatever listens here. The name is looked up by us and
the connection goes to exactly what was looked at, so a name that changes its mind between two look-ups gains
nothing. What a person wrote into the settings is not checked: that is their network.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from typing import Final
from urllib.parse import urlsplit

from aiohttp.abc import AbstractResolver, ResolveResult

from controlroom.core.text import clean_line

LONGEST_ENDPOINT: Final = 2048
LOOKUP_S: Final = 10.0  # a resolver answers within a second, or not at all


class PrivateAddress(OSError):
    """The name leads into this machine or its networks."""


class BadEndpoint(ValueError):
    """No address that we would ever call: a sentence without its full stop."""


def is_outside(address: str) -> bool:
    """Whether this is an address of the public internet, however it is dressed."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo or (None, None))[1]
        if inner is None and ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_outside(str(inner))
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")


def checked_endpoint(endpoint: str, *, allow_private: bool) -> str:
    """The endpoint, if it may be one; names are looked up only when it is called. Raises BadEndpoint."""
    if len(endpoint) > LONGEST_ENDPOINT or endpoint != clean_line(endpoint, LONGEST_ENDPOINT):
        raise BadEndpoint("endpoint: this is no address")
    try:
        parts = urlsplit(endpoint)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise BadEndpoint("endpoint: this is no address") from None
    if parts.scheme not in ("https", "http") or not host:
        raise BadEndpoint("endpoint: an https address is wanted")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise BadEndpoint("endpoint: it holds more than an address")
    if allow_private:
        return endpoint
    if parts.scheme != "https":
        raise BadEndpoint("endpoint: an https address is wanted")
    if _is_number(host) and not is_outside(host):
        raise BadEndpoint("endpoint: it points into a private network")
    last = host.rstrip(".").lower().rpartition(".")[2]
    is_disguised = last[:1].isdigit() and not _is_number(host)  # 2130706433, 0x7f.1: numbers for a resolver
    if is_disguised or last in ("localhost", "local", "internal", "lan", "home"):
        raise BadEndpoint("endpoint: it points into a private network")
    return endpoint


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


class OutsideOnly(AbstractResolver):
    """Looks names up, and knows none that has an address inside: one inside among many outside is a trick."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(LOOKUP_S):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, family=family)
        answers = []
        for kind, _, protocol, _, address in found:
            number = str(address[0])
            if not is_outside(number):
                raise PrivateAddress("it points into a private network")
            answers.append(
                ResolveResult(
                    hostname=host,
                    host=number,
                    port=port,
                    family=kind,
                    proto=protocol,
                    flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
                )
            )
        return answers

    async def close(self) -> None:
        """Nothing is held open."""

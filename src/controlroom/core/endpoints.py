"""Under which addresses a device may reach us, best first: tailnet, public, local network.

Source: relay contract section 9.3. A client tries the candidates in the order of their priority.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

import msgspec

from controlroom.core.qr import ApiAddress, Payload

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
MODES: Final = ("auto", "lan", "tailscale", "public")


class Tailnet(msgspec.Struct, frozen=True, kw_only=True):
    """This machine in its tailnet. ``served``: ports that ``tailscale serve`` publishes with TLS under
    ``name``."""

    address: str | None = None  # 100.x
    name: str | None = None  # MagicDNS
    served: frozenset[int] = frozenset()


def candidates(
    mode: str,
    *,
    api: ApiAddress,
    relay: ApiAddress,
    tailnet: Tailnet | None = None,
    public_url: str | None = None,
    prefer: str | None = None,
    is_exact: bool = False,
) -> list[Payload]:
    """The candidates of ``mode``, priorities from 0. ``prefer`` moves one role to the front.

    ``is_exact``: the relay is behind the public URL as it is, port and all, as behind a reverse proxy; the
    contract (section 9.3) puts the relay's own port in place of the port when the URL has no path.

    Raises ValueError: an unknown mode, mode ``public`` without a URL, a URL that is none.
    """
    if mode not in MODES:
        raise ValueError(f"mode {mode[:40]!r} is not one of {', '.join(MODES)}")
    if mode == "public" and not public_url:
        raise ValueError("mode public needs a public URL")
    found: list[Payload] = []
    if mode in {"auto", "tailscale"} and tailnet is not None:
        found += _tailscale(tailnet, api, relay)
    if mode in {"auto", "public"} and public_url:
        found.append(_public(public_url, relay, is_exact=is_exact))
    # Where nobody else can come to is no candidate, unless there is no other.
    if mode == "lan" or (mode == "auto" and not (found and is_loopback(relay.host))):
        found.append(candidate("lan", api, _url(relay), tls=relay.tls))
    wanted = (prefer or "").strip().lower()
    found.sort(key=lambda one: str(one["role"]).lower() != wanted)  # stable: the others keep their order
    return renumbered(found)


def is_loopback(host: str) -> bool:
    """Whether only this machine itself reaches it."""
    return host in LOOPBACK


def candidate(role: str, api: ApiAddress, relay_url: str, *, tls: bool) -> Payload:
    """One candidate with priority 0. ``tls``: of the relay."""
    return {
        "role": role,
        "priority": 0,
        "api": {"host": api.host, "port": api.port, "tls": api.tls},
        "relay": {"url": relay_url, "transport_hint": "wss" if tls else "ws"},
    }


def renumbered(found: Sequence[Mapping[str, object]]) -> list[Payload]:
    """The same candidates with priorities 0, 1, 2, …"""
    return [{**one, "priority": place} for place, one in enumerate(found)]


def refreshed(found: Sequence[Mapping[str, object]], tailnet: Tailnet | None) -> list[Payload]:
    """A caller's list in its order, with stale tailnet entries rewritten to how the tailnet is now.

    The ports are kept. Entries without the contract's shape, and all when there is no tailnet, stay as given.
    """
    return [_refreshed(one, tailnet) if tailnet is not None else dict(one) for one in found]


def _refreshed(one: Mapping[str, object], tailnet: Tailnet) -> Payload:
    api, relay = one.get("api"), one.get("relay")
    if one.get("role") != "tailscale" or not isinstance(api, dict) or not isinstance(relay, dict):
        return dict(one)
    port, url = api.get("port"), relay.get("url")
    if not isinstance(port, int) or not isinstance(url, str):
        return dict(one)
    try:
        relay_port = urlsplit(url).port
    except ValueError:
        return dict(one)
    if relay_port is None:
        return dict(one)
    fresh = _tailscale(tailnet, ApiAddress(host="", port=port), ApiAddress(host="", port=relay_port))
    return {**one, "api": fresh[0]["api"], "relay": fresh[0]["relay"]} if fresh else dict(one)


def _tailscale(tailnet: Tailnet, api: ApiAddress, relay: ApiAddress) -> list[Payload]:
    """The MagicDNS name with TLS when the relay's port is served, else the bare address without. An API
    server of another port that is not served is left at the bare address."""
    is_served = tailnet.name is not None and relay.port in tailnet.served
    has_api = is_served and api.port in tailnet.served
    host = tailnet.name if is_served else tailnet.address
    api_host = tailnet.name if has_api else tailnet.address
    if host is None or api_host is None:
        return []
    here = msgspec.structs.replace(api, host=api_host, tls=has_api)
    relay_here = msgspec.structs.replace(relay, host=host, tls=is_served)
    return [candidate("tailscale", here, _url(relay_here), tls=is_served)]


def _public(url: str, relay: ApiAddress, *, is_exact: bool) -> Payload:
    """A path is kept and its port dropped for the relay; without one the relay has its own port."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"the public URL cannot be used: {error}") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None:
        raise ValueError("the public URL must be http(s)://host[:port][/path]")
    tls = parts.scheme == "https"
    host = parts.hostname
    api = ApiAddress(host=host, port=port or (443 if tls else 80), tls=tls)
    path = parts.path.rstrip("/")
    if is_exact:
        at = _in_url(host) if port is None else f"{_in_url(host)}:{port}"
        relay_url = f"{'wss' if tls else 'ws'}://{at}{path}"
    elif path:
        relay_url = f"{'wss' if tls else 'ws'}://{_in_url(host)}{path}"
    else:
        relay_url = _url(ApiAddress(host=host, port=relay.port, tls=tls))
    return candidate("public", api, relay_url, tls=tls)


def _url(relay: ApiAddress) -> str:
    return f"{'wss' if relay.tls else 'ws'}://{_in_url(relay.host)}:{relay.port}"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host

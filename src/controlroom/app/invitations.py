"""Invitations with everything that a device needs: links of the app, the relay's QR text and its link."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from urllib.parse import urlsplit

from controlroom.client.addresses import is_private_way
from controlroom.core.endpoints import is_loopback
from controlroom.core.invite import Invite, Reach, Terms, invite
from controlroom.core.qr import ApiAddress
from controlroom.hub.invitations import app_link
from controlroom.wire.device import Invitation, MintPairing, PairingCode


class Invitations:
    """``hub.ports.Invitations``. ``reach``: how devices reach us now; ``secret`` signs QR codes."""

    def __init__(self, reach: Callable[[], Reach], secret: Callable[[], bytes | None]) -> None:
        self._reach = reach
        self._secret = secret

    async def invite(self, code: PairingCode, wish: MintPairing) -> Invitation:
        """Raises ValueError for a mode or an address that cannot be used."""
        reach, policy = await asyncio.to_thread(self._reach), code.policy  # it may look into files
        hermes = reach.hermes
        made = invite(
            Terms(code=code.code, ttl_s=policy.ttl_s, grants=policy.grants, transport_hint=policy.transport),
            reach,
            secret=self._secret(),
            api=api_address(wish.api_url) if wish.api_url else None,
            key=hermes.key if wish.with_api_key and hermes is not None else "",
            dashboard_url=wish.dashboard_url or (hermes.dashboard_url if hermes is not None else None),
            mode=wish.mode,
            public_url=wish.public_url,
        )
        bases = base_urls(made)
        if not bases:
            raise ValueError(f"mode {wish.mode}: this machine has no such address now")
        return Invitation(
            code=code.code,
            expires_ms=code.expires_ms,
            links=tuple(app_link(for_browsers(base), code.code) for base in bases),
            qr=made.qr_text,
            relay_link=made.url,
            notes=tuple(_notes(bases, wish, reach)),
        )


def base_urls(made: Invite) -> list[str]:
    """The web addresses of the invitation's candidates, best first."""
    endpoints = made.payload.get("endpoints")
    urls = []
    for one in endpoints if isinstance(endpoints, list) else []:
        url = str(one["relay"]["url"])
        urls.append(url.replace("wss://", "https://", 1).replace("ws://", "http://", 1))
    return urls


def for_browsers(base: str) -> str:
    """This machine by its name: pages under its numbers are sent there anyway."""
    parts = urlsplit(base)
    return f"{parts.scheme}://localhost:{parts.port}" if is_loopback(parts.hostname or "") else base


def api_address(url: str) -> ApiAddress:
    """The API server that a person named. Raises ValueError."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError(f"{url[:80]!r} is not an address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url[:80]!r} must be http(s)://host[:port]")
    tls = parts.scheme == "https"
    return ApiAddress(host=parts.hostname, port=port or (443 if tls else 80), tls=tls)


def _notes(bases: list[str], wish: MintPairing, reach: Reach) -> list[str]:
    notes = []
    if all(is_loopback(urlsplit(base).hostname or "") for base in bases):
        notes.append(
            "Only this machine can use these addresses: start the control room with --tailscale, or with "
            "--host and --cert, to let other devices in."
        )
    readable = [base for base in bases if _is_readable(base)]
    if readable:
        notes.append(
            f"{' and '.join(readable)}: plain HTTP, so everybody on the way can read what the device sends. "
            "Use Tailscale or https where you can."
        )
    if wish.with_api_key and (reach.hermes is None or not reach.hermes.key):
        notes.append("No Hermes host with an API key was found here: the QR code carries none.")
    elif wish.with_api_key:
        notes.append("The QR code carries the Hermes host's API key: show it to nobody else.")
    return notes


def _is_readable(base: str) -> bool:
    parts = urlsplit(base)
    return parts.scheme == "http" and not is_private_way(parts.hostname or "")

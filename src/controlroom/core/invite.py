"""An invitation: the QR text and the link that let one device in, made of a code and of our addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from controlroom.core.endpoints import Tailnet, candidates, is_loopback, refreshed
from controlroom.core.qr import ApiAddress, Hint, Payload, RelayBlock, invite_url, qr_payload, qr_text, signed


class HermesHost(msgspec.Struct, frozen=True, kw_only=True):
    """A Hermes host that devices may talk to directly. ``key`` is told only when the person asks for it."""

    api: ApiAddress
    dashboard_url: str | None = None
    key: str = ""


class Reach(msgspec.Struct, frozen=True, kw_only=True):
    """How this control room is reached. ``relay``: our door in the local network. ``public_url``: an address
    of the person's own that leads here from everywhere."""

    relay: ApiAddress
    tailnet: Tailnet | None = None
    hermes: HermesHost | None = None
    public_url: str | None = None

    @property
    def api(self) -> ApiAddress:
        """The server that clients ask for ``/health`` first: the Hermes host, or our own door."""
        return self.relay if self.hermes is None else self.hermes.api


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What the code gives, as the QR code repeats it. Seconds; 0 = never, negative = not given."""

    code: str
    ttl_s: int | None = None
    grants: Mapping[str, int] | None = None
    transport_hint: Hint | None = None


class _Url(msgspec.Struct, frozen=True):
    url: str


class _Best(msgspec.Struct, frozen=True):
    """What an invitation repeats of its best candidate."""

    api: ApiAddress
    relay: _Url


class Invite(msgspec.Struct, frozen=True, kw_only=True):
    """What a person shows to a device."""

    payload: Payload
    qr_text: str
    url: str
    relay_url: str


def relay_url(relay: ApiAddress) -> str:
    """The base URL of a relay."""
    host = f"[{relay.host}]" if ":" in relay.host else relay.host
    return f"{'wss' if relay.tls else 'ws'}://{host}:{relay.port}"


def invite(
    terms: Terms,
    reach: Reach,
    *,
    secret: bytes | None,
    api: ApiAddress | None = None,
    key: str = "",
    dashboard_url: str | None = None,
    mode: str = "auto",
    public_url: str | None = None,
    prefer: str | None = None,
    endpoints: Sequence[Mapping[str, object]] | None = None,
) -> Invite:
    """The invitation. ``endpoints``: a caller's own list instead of ours. ``secret`` None: unsigned.

    Raises ValueError: ``mode`` or ``public_url`` cannot be used.
    """
    api = api or reach.api
    if endpoints is None:
        found = candidates(
            mode,
            api=api,
            relay=reach.relay,
            tailnet=reach.tailnet,
            public_url=public_url or reach.public_url,
            prefer=prefer,
            is_exact=True,
        )
    else:
        found = refreshed(endpoints, reach.tailnet)
    grants = {right: seconds for right, seconds in (terms.grants or {}).items() if seconds >= 0}
    base = relay_url(reach.relay)
    if endpoints is None and is_loopback(reach.relay.host) and found:
        # Clients that read no candidates must get an address too that leads here from elsewhere.
        best = msgspec.convert(found[0], _Best)
        base = best.relay.url
        api = best.api if is_loopback(api.host) else api
    payload = qr_payload(
        api,
        key=key,
        relay=RelayBlock(
            url=base,
            code=terms.code,
            ttl_s=terms.ttl_s,
            grants=grants,
            transport_hint=terms.transport_hint,
        ),
        endpoints=found,
        dashboard_url=dashboard_url,
    )
    if secret is not None:
        payload = signed(payload, secret)
    text = qr_text(payload)
    return Invite(payload=payload, qr_text=text, url=invite_url(text), relay_url=base)

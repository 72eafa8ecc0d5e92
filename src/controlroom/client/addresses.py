"""Addresses of a hub elsewhere: what may be dialled, how its certificate is checked, which one answers.

A certificate that the system trusts stays checked that way, so that it may be renewed; one that it does not
trust is remembered at the first use and must be the same ever after. Plain HTTP is used only for addresses
that the person has written so, and never in place of one that was written with https.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator, Sequence, Set
from urllib.parse import urlsplit

import aiohttp
import msgspec

from controlroom.client.errors import CannotReach, ClientError

LOOK_S = 5.0  # a TLS handshake and a small answer; a phone's network may be slow
API = "/api/v1"
PAIR = "pair="
INVITE = "hermes-relay://pair?payload="

_TAILNET = ipaddress.ip_network("100.64.0.0/10")


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """``url``: scheme, host, port and perhaps a path, no slash at the end. ``pin``: SHA-256 of the
    certificate, hex; None for one that the system trusts, and for plain HTTP. ``is_new``: nobody has seen its
    certificate yet, because it was away at the login."""

    url: str
    pin: str | None = None
    is_new: bool = False

    @property
    def is_secure(self) -> bool:
        return self.url.startswith("https://")

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""


def read_address(text: str) -> tuple[Address, str | None]:
    """The address that a person typed or pasted, and the pairing code of a link's fragment.

    Without a scheme it is https. Raises ClientError.
    """
    typed = text.strip()
    if "://" not in typed:
        typed = f"https://{typed}"
    try:
        parts = urlsplit(typed)
        port = parts.port
    except ValueError:
        raise ClientError(f"{text[:80]!r} is not an address.") from None
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or parts.username is not None
        or parts.query
    ):
        raise ClientError(f"{text[:80]!r} is not an address: write https://host:port.")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = parts.path.rstrip("/").removesuffix("/app")
    url = f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{path}"
    code = parts.fragment.removeprefix(PAIR) if parts.fragment.startswith(PAIR) else None
    return Address(url=url), code


def read_invite(text: str) -> tuple[list[Address], str | None]:
    """The addresses of a relay invite (the link, or the QR code's text) in their order, and its code.

    Raises ClientError.
    """
    try:
        _, is_link, packed = text.strip().partition(INVITE)
        raw = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)) if is_link else text.encode()
        said = msgspec.json.decode(raw, type=_Invite)
    except (ValueError, msgspec.MsgspecError, RecursionError):
        raise ClientError("This invite cannot be read.") from None
    urls = [one.relay.url for one in sorted(said.endpoints, key=lambda one: one.priority)] or [said.relay.url]
    return [read_address(url.replace("ws", "http", 1))[0] for url in urls], said.relay.code


class _Relay(msgspec.Struct):
    url: str
    code: str | None = None


class _Endpoint(msgspec.Struct):
    relay: _Relay
    priority: int = 0


class _Invite(msgspec.Struct):
    relay: _Relay
    endpoints: list[_Endpoint] = []


def check_plain(addresses: Sequence[Address], *, is_allowed: bool) -> None:
    """Raises ClientError when plain HTTP would carry the code over a network that others can listen to."""
    for address in addresses:
        if address.is_secure or is_allowed or is_private_way(address.host):
            continue
        raise ClientError(
            f"{address.url} is plain HTTP: everybody on the way could read along. "
            "Use https, Tailscale, or say --plain-http."
        )


def is_private_way(host: str) -> bool:
    """Whether nobody can listen on the way: this machine, or a tailnet, which encrypts by itself."""
    if host == "localhost" or host.endswith(".ts.net"):
        return True
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return False
    return ip.is_loopback or (ip.version == 4 and ip in _TAILNET)


async def looked_at(address: Address) -> Address:
    """The address with the pin that its certificate needs. Raises CannotReach."""
    if not address.is_secure:
        return address
    try:
        await _certificate(address, ssl.create_default_context())
    except ssl.SSLCertVerificationError:
        certificate = await _certificate(address, _unchecked())
        return Address(url=address.url, pin=hashlib.sha256(certificate).hexdigest())
    return address


async def _certificate(address: Address, context: ssl.SSLContext) -> bytes:
    parts = urlsplit(address.url)
    try:
        async with asyncio.timeout(LOOK_S):
            _, writer = await asyncio.open_connection(
                parts.hostname, parts.port or 443, ssl=context, server_hostname=parts.hostname
            )
    except ssl.SSLCertVerificationError:
        await asyncio.sleep(0)  # the loop closes the refused connection
        raise
    except (OSError, TimeoutError) as error:
        await asyncio.sleep(0)
        raise _away(address, error) from None
    try:
        shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        return shown or b""
    finally:
        writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(LOOK_S):
                await writer.wait_closed()


def _unchecked() -> ssl.SSLContext:
    """Only to see a certificate; nothing is said over such a connection."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


@contextlib.asynccontextmanager
async def first_that_answers(
    addresses: Sequence[Address], timeout: aiohttp.ClientTimeout
) -> AsyncIterator[tuple[Address, aiohttp.ClientSession]]:
    """A session with the first address, in their order, at which a control room answers; no secret has been
    said by then.

    Plain HTTP is left out when there is an address with https: that one being away must not step us down.
    Raises CannotReach with what each of them said.
    """
    secure = [address for address in addresses if address.is_secure]
    pins = frozenset(address.pin for address in addresses if address.pin is not None)
    said: list[str] = []
    for known in secure or addresses:
        try:
            address = await _checked(known, pins)
        except CannotReach as error:
            said.append(str(error))
            continue
        session = aiohttp.ClientSession(connector=_connector(address), timeout=timeout)
        try:
            await _say_hello(address, session)
        except CannotReach as error:
            said.append(str(error))
            await session.close()
            continue
        try:
            yield address, session
        finally:
            await session.close()
        return
    raise CannotReach(" ".join(said) or "No address is known.")


async def _checked(address: Address, pins: Set[str]) -> Address:
    """The address as it may be used now. Raises CannotReach when its certificate is not the one that was
    remembered, or was never seen and is neither trusted by the system nor that of another address of the hub.

    aiohttp checks each connection too; it would leave one that it refuses half open.
    """
    if address.is_new:
        seen = await looked_at(address)
        if seen.pin is not None and seen.pin not in pins:
            raise CannotReach(
                f"{address.url} shows a certificate that was not seen at the login. Log in again to use it."
            )
        return seen
    if address.pin is not None:
        shown = await _certificate(address, _unchecked())
        if not hmac.compare_digest(hashlib.sha256(shown).hexdigest(), address.pin):
            raise _other_certificate(address)
    return address


def _other_certificate(address: Address) -> CannotReach:
    return CannotReach(
        f"{address.url} shows another certificate than the one that was remembered. When it was changed on "
        "purpose, log in again; else somebody may stand in between."
    )


def _connector(address: Address) -> aiohttp.TCPConnector:
    if address.pin is not None:
        return aiohttp.TCPConnector(ssl=aiohttp.Fingerprint(bytes.fromhex(address.pin)))
    return aiohttp.TCPConnector(ssl=True)


async def _say_hello(address: Address, session: aiohttp.ClientSession) -> None:
    try:
        async with (
            asyncio.timeout(LOOK_S),
            session.get(f"{address.url}{API}/health", allow_redirects=False) as answer,
        ):
            await answer.read()
            is_ours = answer.status == 200 and answer.content_type == "application/json"
    except aiohttp.ServerFingerprintMismatch:
        raise _other_certificate(address) from None
    except (aiohttp.ClientConnectorCertificateError, ssl.SSLCertVerificationError):
        raise CannotReach(f"The certificate of {address.url} is not trusted any more.") from None
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise _away(address, error) from None
    if not is_ours:
        raise CannotReach(f"At {address.url} something else answers than a control room.")


def _away(address: Address, error: Exception) -> CannotReach:
    match error:
        case TimeoutError():
            why = "it does not answer"
        case socket.gaierror():
            why = "there is no such name"
        case ssl.SSLError() | aiohttp.ClientSSLError():
            why = "it does not speak TLS"
        case _:
            why = "nobody listens there"
    return CannotReach(f"{address.url} cannot be reached: {why}.")

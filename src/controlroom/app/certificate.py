"""The door's certificate: loaded, checked, and loaded anew when its files change.

What stands in it is asked of the TLS library: a client that trusts nothing but this certificate shakes hands
with a server that has it, all in memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from controlroom.kit.clock import Clock
from controlroom.kit.health import HealthBoard

_log = structlog.get_logger("door")

CHECK_EVERY_S: Final = 5.0
SOON_MS: Final = 7 * 24 * 3600 * 1000
TROUBLE: Final = "door_certificate"
_NO_CHECK_TIME: Final = 0x200000  # X509_V_FLAG_NO_CHECK_TIME: an expired one can be read too
_STEPS: Final = 10  # of a handshake in memory; it takes four


Stamp = tuple[tuple[int, int, int] | None, ...]


class CertificateError(Exception):
    """The certificate cannot be used; the text is one sentence for people."""


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """``names``: whom it is for, the first one best for people. ``expires_ms``: its end."""

    context: ssl.SSLContext
    names: tuple[str, ...]
    expires_ms: int


class Certificate:
    """A certificate with its key, as files of the person. ``load`` before anything else."""

    def __init__(self, cert: Path, key: Path, *, clock: Clock, health: HealthBoard) -> None:
        self._cert = cert
        self._key = key
        self._clock = clock
        self._health = health
        self._seen: Stamp = ()
        self._trouble: str | None = None
        self._loaded: Loaded | None = None

    def load(self) -> None:
        """Read the files. Raises CertificateError."""
        self._seen = self._stamp()
        self._loaded = loaded(self._cert, self._key)
        self._tell()

    @property
    def context(self) -> ssl.SSLContext:
        """For the next connection."""
        return self._now.context

    @property
    def names(self) -> tuple[str, ...]:
        return self._now.names

    @property
    def name(self) -> str:
        """The first name that people can open."""
        plain = [name for name in self.names if not name.startswith("*.")]
        return plain[0] if plain else "localhost"

    async def watch(self) -> None:
        """Follow the files for ever; connections that are open keep what they have."""
        while True:
            await asyncio.sleep(CHECK_EVERY_S)
            await self.check()

    async def check(self) -> None:
        """Load the files when they have changed, and tell what is wrong. What was good goes on meanwhile."""
        stamp = await asyncio.to_thread(self._stamp)
        if stamp != self._seen:
            self._seen = stamp
            try:
                self._loaded = await asyncio.to_thread(loaded, self._cert, self._key)
                self._trouble = None
                _log.info("a new certificate is used", names=self.names)
            except CertificateError as error:
                self._trouble = str(error)
                _log.error("the new certificate cannot be used", why=str(error))
        self._tell()

    @property
    def _now(self) -> Loaded:
        assert self._loaded is not None, "load comes first"
        return self._loaded

    def _stamp(self) -> Stamp:
        """What is different when a file was changed or another lies in its place."""
        found: list[tuple[int, int, int] | None] = []
        for path in (self._cert, self._key):
            try:
                state = path.stat()
                found.append((state.st_ino, state.st_size, state.st_mtime_ns))
            except OSError:
                found.append(None)
        return tuple(found)

    def _tell(self) -> None:
        left_ms = self._now.expires_ms - self._clock.now_ms()
        if self._trouble is not None:
            title = f"The door's new certificate cannot be used: {self._trouble}"
            do = "Correct the files; until then the certificate before is used."
        elif left_ms <= 0:
            title = "The door's certificate has expired, devices refuse it"
            do = f"Renew {self._cert}; a new file is taken up within seconds."
        elif left_ms < SOON_MS:
            title = f"The door's certificate ends in {left_ms // 86_400_000 + 1} days"
            do = f"Renew {self._cert}; a new file is taken up within seconds."
        else:
            self._health.clear(TROUBLE)
            return
        self._health.raise_(TROUBLE, title, do)


def loaded(cert: Path, key: Path) -> Loaded:
    """Read and check the pair. Raises CertificateError."""
    for path, what in ((cert, "certificate"), (key, "key")):
        try:
            with path.open("rb"):
                pass
        except OSError as error:
            raise CertificateError(f"the {what} {path} cannot be read: {error.strerror}") from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(cert, key, password=_no_password)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise CertificateError(f"{key} is not the key of {cert}") from None
        raise CertificateError(f"{cert} and {key} are not a PEM certificate and its key") from None
    except (OSError, ValueError) as error:
        raise CertificateError(str(error)) from None
    told = _told_by(context, cert)
    names = tuple(value for kind, value in told.get("subjectAltName", ()) if kind in {"DNS", "IP Address"})
    if not names:
        raise CertificateError(f"{cert} names no host (subjectAltName): no device would accept it")
    return Loaded(
        context=context,
        names=names,
        expires_ms=int(ssl.cert_time_to_seconds(told["notAfter"])) * 1000,
    )


def _no_password() -> str:
    raise ValueError("the key has a password; give one without")


def _told_by(server_context: ssl.SSLContext, cert: Path) -> dict[str, Any]:
    """The certificate's fields, as the library gives them to a client that trusts it. Raises
    CertificateError."""
    client_context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client_context.check_hostname = False
    client_context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
    client_context.verify_flags |= _NO_CHECK_TIME
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        client_context.load_verify_locations(cert)
        client = client_context.wrap_bio(to_client, to_server)
        server = server_context.wrap_bio(to_server, to_client, server_side=True)
        for _ in range(_STEPS):
            for side in (client, server):
                with contextlib.suppress(ssl.SSLWantReadError):
                    side.do_handshake()
        told = client.getpeercert()
    except (OSError, ValueError) as error:
        raise CertificateError(f"{cert} cannot serve TLS: {getattr(error, 'reason', error)}") from None
    return dict(told or {})

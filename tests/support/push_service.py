"""A push service on loopback: reads what browsers would read, checks who signed it, and answers as told."""

from __future__ import annotations

import asyncio
import base64
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import jwt
from aiohttp import web
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Receiver:
    """A browser's half of a subscription: makes keys, opens what was sealed for them (RFC 8291, 8188)."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._secret = os.urandom(16)

    @property
    def keys(self) -> dict[str, str]:
        return {"p256dh": _text(_point(self._key.public_key())), "auth": _text(self._secret)}

    def opened(self, body: bytes) -> bytes:
        salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        sender, sealed = body[21 : 21 + length], body[21 + length :]
        assert len(body) <= 4096 and len(sealed) <= size
        theirs = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        shared = self._key.exchange(ec.ECDH(), theirs)
        info = b"WebPush: info\0" + _point(self._key.public_key()) + sender
        material = HKDF(hashes.SHA256(), 32, self._secret, info).derive(shared)
        key = HKDF(hashes.SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(material)
        nonce = HKDF(hashes.SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(material)
        text = AESGCM(key).decrypt(nonce, sealed, None).rstrip(b"\0")
        assert text[-1:] == b"\x02"
        return text[:-1]


def _point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


class PushService:
    """``answers``: status and headers for the next requests, then 201. ``hangs``: say nothing."""

    def __init__(self) -> None:
        self.url = ""
        self._runner: web.AppRunner | None = None
        self.receiver = Receiver()
        self.answers: list[tuple[int, dict[str, str]]] = []
        self.hangs = False
        self.heard: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.signers: list[str] = []
        self.claims: list[dict[str, Any]] = []

    async def start(self) -> None:
        app = web.Application()
        app.router.add_post("/push/{secret}", self.take)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def aclose(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def endpoint(self) -> str:
        return f"{self.url}/push/a-secret-of-the-browser"

    async def take(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        if self.hangs:
            await asyncio.sleep(3600)
        assert request.headers["Content-Encoding"] == "aes128gcm"
        assert int(request.headers["TTL"]) >= 0 and len(request.headers["Topic"]) <= 32
        scheme, _, rest = request.headers["Authorization"].partition(" ")
        assert scheme == "vapid"
        said = dict(part.strip().split("=", 1) for part in rest.split(","))
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _bytes(said["k"]))
        # Its time is judged by the test, whose clock may be made up.
        claims = jwt.decode(
            said["t"], key, algorithms=["ES256"], audience=self.url, options={"verify_exp": False}
        )
        self.signers.append(said["k"])
        self.claims.append(claims)
        self.headers.append(dict(request.headers))
        status, headers = self.answers.pop(0) if self.answers else (201, {})
        if 200 <= status < 300:
            self.heard.append(json.loads(self.receiver.opened(body)))
        return web.Response(status=status, headers=headers)


@asynccontextmanager
async def push_service() -> AsyncIterator[PushService]:
    service = PushService()
    await service.start()
    try:
        yield service
    finally:
        await service.aclose()

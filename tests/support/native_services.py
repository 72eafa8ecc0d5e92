"""Apple's and Google's push services on loopback: HTTP/2 over TLS, with their checks of who sends."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded
from h2.exceptions import ProtocolError

from tests.support.certificates import Certificate

Reply = tuple[int, dict[str, str], bytes]
TOKEN = "an-access-token"
PEM = serialization.Encoding.PEM
PKCS8 = serialization.PrivateFormat.PKCS8


@cache
def account_key() -> rsa.RSAPrivateKey:
    """Takes a while to make."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class NativeServices:
    """``answers``: status, headers and body for the next notices, then 200. ``hangs``: say nothing."""

    def __init__(self, folder: Path) -> None:
        certificate = Certificate(folder)
        self._context = certificate.server()
        self._context.set_alpn_protocols(["h2"])
        self.trust = ssl.create_default_context(cafile=str(certificate.certificate))
        self._apns_key = ec.generate_private_key(ec.SECP256R1())
        self._fcm_key = account_key()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.url = ""
        self.answers: list[Reply] = []
        self.hangs = False
        self.heard: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.logins = 0

    def apns_key(self, path: Path) -> None:
        path.write_bytes(self._apns_key.private_bytes(PEM, PKCS8, serialization.NoEncryption()))

    def fcm_account(self, path: Path) -> None:
        key = self._fcm_key.private_bytes(PEM, PKCS8, serialization.NoEncryption()).decode()
        account = {
            "project_id": "room",
            "client_email": "hub@room.example.com",
            "private_key": key,
            "private_key_id": "k1",
            "token_uri": f"{self.url}/token",
        }
        path.write_text(json.dumps(account))

    def answer(self, headers: dict[str, str], body: bytes) -> Reply:
        path = headers[":path"]
        if path == "/token":
            return self._login(body)
        if path.startswith("/3/device/"):
            scheme, _, token = headers["authorization"].partition(" ")
            claims = jwt.decode(
                token, self._apns_key.public_key(), algorithms=["ES256"], options={"verify_iat": False}
            )
            assert (scheme, claims["iss"], headers["apns-topic"]) == ("bearer", "TEAM1", "com.example.room")
            assert jwt.get_unverified_header(token)["kid"] == "KEY1"
            assert len(body) <= 4096 and len(headers.get("apns-collapse-id", "")) <= 64
        else:
            assert path == "/v1/projects/room/messages:send"
            assert headers["authorization"] == f"Bearer {TOKEN}"
            data = json.loads(body)["message"]["data"]
            assert sum(len(name.encode()) + len(value.encode()) for name, value in data.items()) <= 4000
        reply = self.answers.pop(0) if self.answers else (200, {}, b"{}")
        self.headers.append(headers)
        if reply[0] == 200:
            self.heard.append(json.loads(body))
        return reply

    def _login(self, body: bytes) -> Reply:
        said = parse_qs(body.decode())
        claims = jwt.decode(
            said["assertion"][0],
            self._fcm_key.public_key(),
            algorithms=["RS256"],
            audience=f"{self.url}/token",
            options={"verify_exp": False, "verify_iat": False},
        )
        assert claims["iss"] == "hub@room.example.com" and claims["exp"] - claims["iat"] <= 3600
        self.logins += 1
        return 200, {}, json.dumps({"access_token": TOKEN, "expires_in": 3600}).encode()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._context)
        self.url = f"https://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def aclose(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._talk(reader, writer)
        except (ConnectionError, ProtocolError, ssl.SSLError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()
            with suppress(Exception):
                await writer.wait_closed()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        connection.initiate_connection()
        writer.write(connection.data_to_send())
        requests: dict[int, tuple[dict[str, str], bytearray]] = {}
        while data := await reader.read(65_536):
            for event in connection.receive_data(data):
                if isinstance(event, RequestReceived):
                    named = {str(name): str(value) for name, value in event.headers}
                    requests[event.stream_id] = (named, bytearray())
                elif isinstance(event, DataReceived):
                    requests[event.stream_id][1].extend(event.data)
                    connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, StreamEnded):
                    headers, body = requests.pop(event.stream_id)
                    if self.hangs and headers[":path"] != "/token":
                        continue
                    status, more, said = self.answer(headers, bytes(body))
                    fields = [(":status", str(status)), *((name.lower(), more[name]) for name in more)]
                    connection.send_headers(event.stream_id, fields)
                    connection.send_data(event.stream_id, said, end_stream=True)
            writer.write(connection.data_to_send())
            await writer.drain()


@asynccontextmanager
async def native_services(folder: Path) -> AsyncIterator[NativeServices]:
    services = NativeServices(folder)
    await services.start()
    try:
        yield services
    finally:
        await services.aclose()

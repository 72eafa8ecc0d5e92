"""Plays a recorded conversation against a running door and holds our answers to the recorded ones."""

from __future__ import annotations

import asyncio
import base64
import io
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import aiohttp
from yarl import URL

from tests.conformance.compare import Comparer, Different
from tests.conformance.recording import Recording, Row
from tests.support.relay_door import WAIT_S, Client, RelayDoor

BODIES = {
    "text 'not json'": b"not json",
    "'zz'": b"zz",
    "zz": b"zz",
    "x": b"x",
    "q": b"q",
    "'x'": b"x",
    "plain body": b"plain",
    '{"code":"SEC002"} as text/plain, a CORS simple request': b'{"code":"SEC002"}',
    "content of 1 MiB + 1 byte": b'{"content":"' + b"x" * (1024 * 1024 + 1) + b'"}',
    "body over 2 MiB client_max_size": b'{"content":"' + b"x" * 3 * 1024 * 1024 + b'"}',
    "JSON of 3066717 bytes, valid png magic": b'{"format":"png","bytes_base64":"' + b"x" * 3_066_000 + b'"}',
    "JSON of 3 MB": b'{"code":"' + b"A" * 3 * 1024 * 1024 + b'"}',
}
MULTIPART: Mapping[str, Sequence[tuple[str, bytes, str | None, str | None]]] = {
    "multipart: field other, then field file (s.png, image/png)": [
        ("other", b"x", None, None),
        ("file", b"\x89PNG\r\n\x1a\nrest", "s.png", "image/png"),
    ],
    "multipart without field 'file'": [("other", b"x", None, None)],
    "multipart file of 900008 bytes": [("file", b"\x89PNG\r\n\x1a\n" + b"x" * 900_000, "b.png", "image/png")],
    "multipart file of 1100008 bytes": [
        ("file", b"\x89PNG\r\n\x1a\n" + b"x" * 1_100_000, "b.png", "image/png")
    ],
}
LIVE_TYPES = {"terminal.output", "tui.rpc.event"}  # they come when they come

Hook = Callable[["Replayer"], Awaitable[None]]


class Replayer:
    """One pass over a recording.

    ``corrections``: line -> fields of the row that are ours instead (None: the row is left out).
    ``hooks``: line -> what happens right before it. ``shows``: line -> what a terminal must have shown then.
    """

    def __init__(
        self,
        door: RelayDoor,
        recording: Recording,
        *,
        corrections: Mapping[int, Row | None],
        hooks: Mapping[int, Hook],
        skipped: frozenset[str],
        names: Mapping[str, str],
        shows: Mapping[int, str],
    ) -> None:
        self.door = door
        self.compare = Comparer()
        self.compare.names.update(names)
        self._recording = recording
        self._corrections = corrections
        self._hooks = hooks
        self._skipped = skipped
        self._shows = shows
        self._clients: dict[str, Client] = {}
        self._early: dict[str, list[dict[str, Any]]] = {}
        self._output: dict[str, str] = {}
        self.background: list[asyncio.Task[None]] = []

    async def play(self) -> None:
        """Raises Different, with the file's name and the line."""
        for line, scenario, row in self._recording.rows:
            if scenario in self._skipped:
                continue
            if line in self._hooks:
                await self._hooks[line](self)
            corrected = self._corrections.get(line, {})
            if corrected is None:
                continue
            try:
                await self._row({**row, **corrected})
                if line in self._shows:
                    await self._until_shown(row["conn"], self._shows[line])
            except (Different, AssertionError, TimeoutError, aiohttp.ClientError) as error:
                raise Different(f"{self._recording.name}.jsonl:{line} ({scenario}): {error}") from error

    async def _row(self, row: Row) -> None:
        step = getattr(self, f"_{row['kind']}", None)
        if step is not None:
            await step(row)

    async def _http(self, row: Row) -> None:
        headers = dict(self.compare.ours(row.get("request_headers", {})))
        source = row.get("source_ip", "127.0.0.1")
        if source == "127.0.0.1" and "Authorization" not in headers:
            headers.update(self.door.secret)
        given: dict[str, Any] = {}
        if "request_body_description" in row:
            given["data"] = _described(row["request_body_description"])
        elif row.get("request_body"):
            given["data"] = self.compare.ours(row["request_body"]).encode()
        elif "request_json" in row:
            given["json"] = self.compare.ours(row["request_json"])
        if isinstance(given.get("data"), bytes):
            given["data"] = io.BytesIO(given["data"])
        path = self.compare.ours(row["path"])
        url = URL(f"http://127.0.0.1:{self.door.port}{path}", encoded=True)
        async with self.door.session(source).request(row["method"], url, headers=headers, **given) as answer:
            body: Any = await answer.read()
        if answer.status != row["status"]:
            raise Different(f"{answer.status} {body[:300]!r} instead of {row['status']}")
        if row.get("reason") and answer.reason != row["reason"]:
            raise Different(f"reason {answer.reason!r} instead of {row['reason']!r}")
        self._check_body(row, row["response_body"], body)

    def _check_body(self, row: Row, expected: Any, body: bytes) -> None:
        if expected is None:
            return
        if isinstance(expected, dict) and "base64" in expected:
            got = {"base64": base64.b64encode(body).decode(), "bytes": len(body)}
            self._check(row, expected, got)
        elif row["path"] == "/sessions" and isinstance(expected, dict):
            self._check_sessions(row, expected["sessions"], json.loads(body)["sessions"])
        elif isinstance(expected, (dict, list)):
            self._check(row, expected, json.loads(body))
        else:
            self._check(row, expected, body.decode())

    def _check_sessions(self, row: Row, recorded: list[Any], ours: list[Any]) -> None:
        """The recorded server had sessions of other runs too; the newest one is always this recording's."""
        self._check(row, {**recorded[0], "last_seen": 0}, {**ours[0], "last_seen": 0})

    async def _ws_open(self, row: Row) -> None:
        source = row.get("source_ip", "127.0.0.1")
        self._clients[row["conn"]] = await self.door.connect(row["path"], source=source)
        self._early[row["conn"]] = []

    async def _ws_upgrade_rejected(self, row: Row) -> None:
        try:
            client = await self.door.connect(row["path"], source=row.get("source_ip", "127.0.0.1"))
        except aiohttp.WSServerHandshakeError as error:
            if error.status != row["status"]:
                raise Different(f"upgrade answered {error.status} instead of {row['status']}") from None
        else:
            await client.ws.close()
            raise Different(f"upgrade was accepted instead of {row['status']}")

    async def _ws_send(self, row: Row) -> None:
        await self._clients[row["conn"]].ws.send_json(self.compare.ours(row["message"]))

    async def _ws_send_raw(self, row: Row) -> None:
        if row["text"] == "{}":  # how the recorder wrote a binary frame that it could not show
            await self._clients[row["conn"]].ws.send_bytes(b"\x00\x01")
        else:
            await self._clients[row["conn"]].ws.send_str(row["text"])

    async def _ws_recv(self, row: Row) -> None:
        expected = row["message"]
        if expected["type"] in LIVE_TYPES:
            return  # looked at by the tests of that channel
        got = await self.next_of(row["conn"], expected["channel"], expected["type"])
        self._check(row, {**expected, "id": ""}, {**got, "id": ""})
        if self._was_sent(expected["id"]):
            if got["id"] != expected["id"]:
                raise Different(f"id {got['id']!r} instead of {expected['id']!r}")
        elif not got["id"]:
            raise Different("no id")

    async def next_of(self, conn: str, channel: str, type_: str) -> dict[str, Any]:
        """The next frame of that kind; frames of other channels may come before it."""
        early = self._early[conn]
        for place, frame in enumerate(early):
            if (frame["channel"], frame["type"]) == (channel, type_):
                return early.pop(place)
        while True:
            frame = await self._receive(conn)
            if (frame["channel"], frame["type"]) == (channel, type_):
                return frame
            if frame["type"] not in LIVE_TYPES and frame["channel"] == channel:
                raise Different(f"{frame!r} instead of {channel}/{type_}")
            early.append(frame)

    async def _receive(self, conn: str) -> dict[str, Any]:
        frame = await self._clients[conn].receive()
        if frame["type"] == "terminal.output":
            self._output[conn] = self._output.get(conn, "") + frame["payload"]["data"]
        return frame

    async def _until_shown(self, conn: str, text: str) -> None:
        """Read on until the terminals of a socket have shown ``text``, and never half a character."""
        while text not in self._output.get(conn, ""):
            frame = await self._receive(conn)
            if frame["type"] not in LIVE_TYPES:
                self._early[conn].append(frame)
        if "\ufffd" in self._output[conn]:
            raise Different("the output has half characters")

    async def _ws_silence(self, row: Row) -> None:
        """Nothing came: what we say now is the next thing that is answered."""
        await self._clients[row["conn"]].send("system", "ping", {"ts": 424242}, "silence")
        while (frame := await self._receive(row["conn"]))["id"] != "silence":
            if frame["type"] not in LIVE_TYPES:
                raise Different(f"{frame!r} instead of silence")

    async def _ws_closed_by_server(self, row: Row) -> None:
        client = self._clients[row["conn"]]
        async with asyncio.timeout(WAIT_S):
            while (message := await client.ws.receive()).type is aiohttp.WSMsgType.TEXT:
                frame = json.loads(message.data)
                if frame["type"] not in LIVE_TYPES:
                    raise Different(f"{frame!r} instead of the close")
        if client.ws.close_code != row["close_code"]:
            raise Different(f"closed with {client.ws.close_code} instead of {row['close_code']}")

    async def _ws_close_by_client(self, row: Row) -> None:
        await self._clients[row["conn"]].ws.close()

    _ws_end = _ws_close_by_client

    def _check(self, row: Row, expected: Any, got: Any) -> None:
        now_s = self.door.clock.now_ms() / 1000
        recorded_s = self._recording.base_s + row.get("t_ms", 0) / 1000
        self.compare.check(expected, got, recorded_now=recorded_s, now=now_s)

    def _was_sent(self, id_: str) -> bool:
        return any(
            row["kind"] == "ws_send" and row["message"].get("id") == id_ for _, _, row in self._recording.rows
        )


def _described(words: str) -> Any:
    """The body that the recording only describes."""
    if words not in MULTIPART:
        return BODIES[words]
    form = aiohttp.FormData(default_to_multipart=True)
    for name, value, filename, content_type in MULTIPART[words]:
        form.add_field(name, io.BytesIO(value), filename=filename, content_type=content_type)
    return form

"""Relay sockets over real connections: login, order, flow control, ends."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import aiohttp
import pytest

from controlroom.gateway.outbox import WAIT_ABOVE
from controlroom.gateway.sockets import MOST_WAITING, MOST_WAITING_OF_PEER, SocketTimes
from controlroom.hub import device_memory
from controlroom.kit.clock import FakeClock
from tests.integration.gateway.parts import Echo, EchoPart
from tests.support.relay_door import RelayDoor
from tests.support.waiting import until

REFUSED = {"reason": "Invalid pairing code or session token"}


async def test_a_code_lets_a_device_in_and_its_token_brings_it_back(door: RelayDoor) -> None:
    first, paired = await door.paired()
    await first.ws.close()
    client = await door.connect("/")
    answer = await client.auth(session_token=paired["session_token"])
    assert answer["payload"]["session_token"] == paired["session_token"]
    assert "refresh_token" not in answer["payload"]


async def test_a_device_without_an_id_can_pair(door: RelayDoor) -> None:
    client = await door.connect()
    answer = await client.auth(pairing_code=(await door.code()).lower())
    assert answer["payload"]["client_surface"] == "unknown"
    assert answer["payload"]["transport_hint"] == "ws"


async def test_two_that_race_for_one_code_get_one_device(door: RelayDoor) -> None:
    code = await door.code()
    clients = [await door.connect() for _ in range(4)]
    answers = await asyncio.gather(*(client.auth(pairing_code=code) for client in clients))
    assert sorted(answer["type"] for answer in answers) == ["auth.fail"] * 3 + ["auth.ok"]


async def test_a_refused_device_is_told_why_and_closed(door: RelayDoor) -> None:
    client = await door.connect()
    assert (await client.auth(session_token="nope"))["payload"] == REFUSED
    assert await client.closed() == (1000, "")


async def test_silence_is_ended(tmp_path: Path) -> None:
    door = RelayDoor(tmp_path, times=SocketTimes(auth_s=0.05))
    await door.start()
    client = await door.connect()
    await client.ws.send_bytes(b"binary frames do not count")
    assert (await client.receive())["payload"] == {"reason": "Authentication timeout"}
    assert await client.closed() == (1000, "")
    await door.aclose()


async def test_a_device_that_answers_no_ping_is_dropped(tmp_path: Path) -> None:
    door = RelayDoor(tmp_path, times=SocketTimes(keepalive_s=1.0))
    await door.start()
    alive, _ = await door.paired("dev-1")
    dead, _ = await door.paired("dev-2")
    dead.ws._autoping = False
    assert (await dead.ws.receive(timeout=60)).type is aiohttp.WSMsgType.PING
    answering = asyncio.get_running_loop().create_task(alive.ws.receive())
    await until(lambda: door.gateway._sockets.clients == 1)
    answering.cancel()
    await door.aclose()


async def test_a_peer_that_failed_too_often_gets_429_and_others_do_not(door: RelayDoor) -> None:
    for _ in range(5):
        client = await door.connect(source="127.0.0.3")
        await client.auth(session_token="nope")
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await door.connect(source="127.0.0.3")
    assert refused.value.status == 429
    await door.connect(source="127.0.0.4")
    door.limiter.clear()  # as when the person at the host makes a new code
    await door.connect(source="127.0.0.3")


async def test_sockets_that_were_open_before_the_block_do_not_get_around_it(door: RelayDoor) -> None:
    early = await door.connect(source="127.0.0.3")
    for _ in range(5):
        await (await door.connect(source="127.0.0.3")).auth(session_token="nope")
    await early.send("system", "auth", {"pairing_code": await door.code()})
    assert await early.closed() == (1013, "rate limited")


async def test_messages_of_a_channel_keep_their_order(door: RelayDoor, echo: Echo) -> None:
    client, _ = await door.paired()
    for n in range(300):
        await client.send("terminal", "x.echo", {"n": n}, str(n))
    answers = [await client.receive() for _ in range(300)]
    assert [answer["payload"]["n"] for answer in answers] == list(range(300))
    assert [answer["id"] for answer in answers] == [str(n) for n in range(300)]


async def test_a_slow_channel_does_not_hold_up_another(door: RelayDoor, echo: Echo) -> None:
    client, _ = await door.paired()
    echo.gate.clear()
    await client.send("bridge", "x.slow", {"n": 1})
    await client.send("terminal", "x.echo", {"n": 2})
    assert (await client.receive())["payload"] == {"n": 2}
    echo.gate.set()
    assert (await client.receive())["payload"] == {"n": 1}


async def test_a_channel_that_fails_is_answered_and_goes_on(door: RelayDoor) -> None:
    client, _ = await door.paired()
    await client.send("terminal", "x.fail", id_="f")
    answer = await client.receive()
    assert (answer["type"], answer["id"], answer["payload"]) == ("error", "f", {"message": "Internal error"})
    await client.send("terminal", "x.echo", {"n": 1})
    assert (await client.receive())["type"] == "x.echoed"


async def test_what_was_received_before_the_close_is_still_handled(door: RelayDoor, echo: Echo) -> None:
    client, _ = await door.paired()
    echo.gate.clear()
    await client.send("terminal", "x.slow", {"n": "slow"})
    await client.send("terminal", "x.kill", {"n": "kill"})
    await client.ws.close()
    echo.gate.set()
    await until(lambda: echo.closed == ["socket closed:False"])
    assert echo.handled == ["terminal:slow", "terminal:kill"]


async def test_a_dropped_connection_closes_its_channels(door: RelayDoor, echo: Echo) -> None:
    client, _ = await door.paired()
    await client.send("terminal", "x.echo")
    await client.receive()
    transport = client.ws._response.connection.transport  # type: ignore[union-attr]  # the raw drop
    transport.abort()  # type: ignore[union-attr]
    await until(lambda: echo.closed == ["socket closed:False"])


async def test_a_device_that_reads_nothing_holds_a_bounded_amount(door: RelayDoor, echo: Echo) -> None:
    client, _ = await door.paired()
    await client.send("terminal", "x.flood")
    await until(lambda: bool(echo.links))
    outbox = echo.links[0]._socket._outbox  # type: ignore[attr-defined]  # the only way to see its size
    await until(lambda: outbox.size >= WAIT_ABOVE)
    assert outbox.size < WAIT_ABOVE + 8192
    other, _ = await door.paired("dev-2")  # and another device is served as ever
    await other.send("system", "ping", {"ts": 1})
    assert (await other.receive())["type"] == "pong"
    client.ws._response.connection.transport.abort()  # type: ignore[union-attr]


async def test_a_revoked_device_is_closed_at_once_even_when_it_reads_nothing(
    door: RelayDoor, echo: Echo
) -> None:
    stalled, _ = await door.paired("dev-1")
    await stalled.send("terminal", "x.flood")
    reading, paired = await door.paired("dev-2")
    for device in await door.book.all():
        await door.book.revoke(device, "host")
    assert await reading.closed() == (1008, "session revoked")
    await until(lambda: echo.closed == ["socket closed:False"])
    again = await door.connect()
    assert (await again.auth(session_token=paired["session_token"]))["payload"] == REFUSED


async def test_a_reduced_right_counts_on_the_open_socket(door: RelayDoor) -> None:
    client, _ = await door.paired()
    [device] = await door.book.all()
    await door.book.reduce(device, expires_ms=device.expires_ms, grants={"chat": None})
    await client.send("terminal", "x.echo", id_="t")
    answer = await client.receive()
    assert answer["payload"] == {"message": "Terminal grant expired for this device"}
    assert answer["id"] == "t"


async def test_a_session_that_runs_out_closes_its_socket_at_that_moment(
    door: RelayDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_memory, "ROUND_S", 3600.0)  # only its own timer can tell
    client, auth = await door.paired(ttl_s=1)
    assert await client.closed() == (1008, "session expired")
    assert door.clock.now_ms() / 1000 > auth["expires_at"]
    again = await door.connect()
    assert (await again.auth(session_token=auth["session_token"]))["payload"] == REFUSED


async def test_a_right_that_runs_out_ends_its_channel_and_no_other(tmp_path: Path) -> None:
    echo, clock = Echo(), FakeClock()
    door = RelayDoor(tmp_path, parts=lambda: [EchoPart(echo)], clock=clock)
    await door.start()
    client, _ = await door.paired(grants={"terminal": 60})
    for channel in ("terminal", "free"):
        await client.send(channel, "x.echo")
        await client.receive()
    clock.advance(61)
    await door.paired("dev-2")  # new terms: the book looks at the clock
    await until(lambda: echo.closed == ["grant expired:True"])
    await client.send("free", "x.echo", {"n": 2})
    assert (await client.receive())["payload"] == {"n": 2}
    device = next(one for one in await door.book.all() if one.device_id == "dev-1")
    await door.book.extend(device, None, {"terminal": 60}, "host")
    await client.send("terminal", "x.echo", {"n": 3})
    assert (await client.receive())["payload"] == {"n": 3}
    await door.aclose()


async def test_pairing_again_closes_the_earlier_sockets_of_the_device(door: RelayDoor) -> None:
    old, _ = await door.paired("dev-1")
    new, _ = await door.paired("dev-1")
    assert await old.closed() == (1008, "session revoked")
    await new.send("terminal", "x.echo", {"n": 1})
    assert (await new.receive())["payload"] == {"n": 1}


async def test_shutdown_lets_channels_say_good_bye(tmp_path: Path) -> None:
    echo = Echo()
    door = RelayDoor(tmp_path, parts=lambda: [EchoPart(echo)])
    await door.start()
    client, _ = await door.paired()
    waiting = await door.connect()
    await client.send("terminal", "x.echo")
    await client.receive()
    stopping = asyncio.get_running_loop().create_task(door.stop())
    assert (await client.receive())["payload"] == {"reason": "server shutdown"}
    assert await client.closed() == (1001, "server shutting down")
    assert await waiting.closed() == (1001, "server shutting down")
    await stopping
    assert echo.closed == ["server shutdown:True"]
    await door.start()
    await door.aclose()


async def test_half_open_sockets_are_bounded_and_do_not_stop_others(door: RelayDoor) -> None:
    refused = 0
    kept = []
    for _ in range(MOST_WAITING_OF_PEER + 20):
        try:
            kept.append(await door.connect(source="127.0.0.9"))
        except aiohttp.WSServerHandshakeError as error:
            assert error.status == 503
            refused += 1
    assert (len(kept), refused) == (MOST_WAITING_OF_PEER, 20)
    client, _ = await door.paired()
    await client.send("system", "ping", {"ts": 5})
    assert (await client.receive())["payload"] == {"ts": 5}
    for one in kept:
        await one.ws.close()
    await until(lambda: not any(one.is_waiting for one in door.gateway._sockets._all))


async def test_a_thousand_connections_that_say_nothing_leave_nothing_behind(door: RelayDoor) -> None:
    """They come at once, past any client that behaves; the service goes on beside them."""
    upgrade = (
        b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    crowd = asyncio.Semaphore(100)  # as many as the listener's queue takes

    async def stranger(number: int) -> tuple[bytes, asyncio.StreamWriter]:
        async with crowd:
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", door.port, local_addr=(f"127.0.1.{number % 50 + 1}", 0)
            )
            writer.write(upgrade)
            return await reader.readline(), writer

    answers = await asyncio.gather(*(stranger(number) for number in range(1000)))
    status = [line.split()[1] for line, _ in answers]
    assert status.count(b"101") == MOST_WAITING
    assert status.count(b"503") == 1000 - MOST_WAITING
    assert len(door.gateway._sockets._all) == MOST_WAITING
    for _, writer in answers:
        writer.close()
    await until(lambda: not door.gateway._sockets._all)
    client, _ = await door.paired()
    await client.send("terminal", "x.echo", {"n": 1})
    assert (await client.receive())["payload"] == {"n": 1}


async def test_profiles_are_told_to_devices_that_may_read_only(tmp_path: Path) -> None:
    class Rows:
        async def rows(self) -> list[dict[str, object]]:
            return [{"name": "default", "system_message": "private"}]

    door = RelayDoor(tmp_path, profiles=Rows())
    await door.start()
    _, reader = await door.paired("dev-1")
    _, other = await door.paired("dev-2", grants={"chat": -1})
    assert reader["profiles"] == [{"name": "default", "system_message": "private"}]
    assert other["profiles"] == []
    await door.aclose()


async def test_a_frame_over_the_limit_ends_only_its_socket(door: RelayDoor) -> None:
    client, _ = await door.paired("dev-1")
    other, _ = await door.paired("dev-2")
    with contextlib.suppress(ConnectionError):  # the door may hang up in the middle of it
        await client.ws.send_str("x" * (5 * 1024 * 1024))
    assert (await client.closed())[0] in {1006, 1009}
    await other.send("terminal", "x.echo", {"n": 1})
    assert (await other.receive())["payload"] == {"n": 1}


async def test_rubbish_on_the_wire_ends_only_its_connection(door: RelayDoor) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
    writer.write(
        b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    assert b"101" in await reader.readline()
    writer.write(b"\xff" * 4096)
    await asyncio.wait_for(reader.read(), 60)
    writer.close()
    client, _ = await door.paired()
    assert client.ws.closed is False


async def test_a_push_reaches_every_device_at_both_places(door: RelayDoor) -> None:
    client, _ = await door.paired()
    door.gateway.push("pairing", "profiles.updated", {"profiles": [{"name": "default"}]})
    got = await client.receive()
    assert got["profiles"] == got["payload"]["profiles"] == [{"name": "default"}]
    assert (got["channel"], got["type"]) == ("pairing", "profiles.updated")


async def test_a_device_book_that_cannot_write_shuts_no_known_device_out(
    door: RelayDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, paired = await door.paired()
    await client.ws.close()

    async def broken(*_: object) -> None:
        raise OSError("read-only database")

    monkeypatch.setattr(door.book, "update", broken)
    client = await door.connect()
    assert (await client.auth(session_token=paired["session_token"], device_name="x"))["type"] == "auth.ok"
    monkeypatch.setattr(door.book, "claim", broken)
    client = await door.connect()
    await client.send("system", "auth", {"pairing_code": "ABC123"})
    assert await client.closed() == (1013, "try again later")

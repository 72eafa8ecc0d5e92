"""The book of devices on real SQLite: pairing, coming back, ending, and what a restart keeps."""

from __future__ import annotations

import asyncio
import base64
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest

from controlroom.gateway.ports import Devices
from controlroom.hub.devices import GRACE_MS, REFRESH_MS, DeviceBook
from controlroom.hub.store import request_rows
from controlroom.hub.store.store import Store
from controlroom.kit.clock import FakeClock
from controlroom.kit.sql import DatabaseTrouble
from controlroom.wire.device import Device, DeviceEnd, DeviceHello, Issued, PairingPolicy
from tests.support.waiting import until

PHONE = DeviceHello(kind="relay", name="Pixel", device_id="dev-1", address="192.0.2.7", door="device")
BROWSER = DeviceHello(kind="web", name="Firefox on desk", device_id="")


class Desk:
    """A device book over a file, which may be closed and opened again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = FakeClock()
        self.ended: list[tuple[str, DeviceEnd]] = []
        self.changed: list[Device] = []
        self.store: Store
        self.book: DeviceBook

    async def open(self) -> None:
        self.store = Store.at(self.path, self.clock)
        await self.store.start()
        self.book = DeviceBook(self.store, self.clock)
        self.book.on_end(lambda device_id, why: self.ended.append((device_id, why)))
        self.book.on_change(self.changed.append)
        await self.book.start()

    async def close(self) -> None:
        await self.book.aclose()
        await self.store.aclose()

    async def restart(self) -> None:
        await self.close()
        await self.open()

    async def pair(self, who: DeviceHello = PHONE, policy: PairingPolicy | None = None) -> Issued:
        code = await self.book.mint(policy or PairingPolicy())
        issued = await self.book.claim(code.code, who)
        assert issued is not None
        return issued

    async def events(self) -> list[str]:
        return [event.name for event in await self.store.events_after(0, 1000)]

    async def receipts(self) -> list[tuple[str, str]]:
        found = await self.store.read(lambda c: request_rows.receipts_after(c, 0, 1000))
        return [(receipt.by, receipt.what) for receipt in found]


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    desk = Desk(tmp_path / "hub.sqlite")
    await desk.open()
    yield desk
    await desk.close()


async def test_the_book_is_what_the_relay_door_wants(desk: Desk) -> None:
    book: Devices = desk.book
    assert await book.all() == []


async def test_a_code_buys_a_device_once(desk: Desk) -> None:
    code = await desk.book.mint(PairingPolicy(name="My phone", ttl_s=3600, transport="wss"))
    assert code.expires_ms == desk.clock.at_ms + 600_000
    issued = await desk.book.claim(code.code.lower(), PHONE)
    assert issued is not None
    assert UUID(issued.token).version == 4
    assert len(base64.urlsafe_b64decode(f"{issued.refresh_token}=")) == 32
    assert issued.key is None
    device = issued.device
    assert (device.prefix, device.name, device.transport) == (issued.token[:8], "My phone", "wss")
    assert device.expires_ms == desk.clock.at_ms + 3_600_000
    assert await desk.book.by_token(issued.token) == device
    assert await desk.book.claim(code.code, PHONE) is None
    assert await desk.events() == ["device.changed", "receipt.added"]
    assert await desk.receipts() == [(f"device:{device.id}", "pair")]


async def test_of_two_that_race_for_one_code_one_wins(desk: Desk) -> None:
    code = await desk.book.mint(PairingPolicy())
    racers = [DeviceHello(kind="relay", name=str(number), device_id=f"d{number}") for number in range(8)]
    won = [one for one in await asyncio.gather(*(desk.book.claim(code.code, who) for who in racers)) if one]
    assert len(won) == 1
    assert await desk.book.all() == [won[0].device]


async def test_nothing_secret_is_stored(desk: Desk) -> None:
    phone, browser = await desk.pair(), await desk.pair(BROWSER)
    open_code = await desk.book.mint(PairingPolicy())
    assert await desk.book.claim("PHONE1", PHONE) is None
    await desk.close()
    stored = b"".join(part.read_bytes() for part in desk.path.parent.glob("hub.sqlite*"))
    assert phone.refresh_token and browser.key
    for secret in (phone.token, phone.refresh_token, browser.token, browser.key, open_code.code, "PHONE1"):
        assert secret.encode() not in stored
    await desk.open()


async def test_everything_survives_a_restart(desk: Desk) -> None:
    phone, browser = await desk.pair(), await desk.pair(BROWSER)
    code = await desk.book.mint(PairingPolicy(ttl_s=60))
    assert await desk.book.claim("ZZZZ99", PHONE) is None
    await desk.restart()
    assert await desk.book.by_token(phone.token) == phone.device
    assert browser.key and desk.book.by_cookie(browser.token) == browser.device
    assert desk.book.has_key(browser.device.id, browser.key)
    [waiting] = await desk.book.pending()
    approved = await desk.book.mint(PairingPolicy(), "zzzz99")
    assert approved.asked == waiting and await desk.book.pending() == []
    issued = await desk.book.claim(code.code, DeviceHello(kind="cli", name="laptop"))
    assert issued is not None and issued.device.expires_ms == desk.clock.at_ms + 60_000
    assert phone.refresh_token and await desk.book.refresh(phone.refresh_token, PHONE)


async def test_codes_end_after_ten_minutes_and_when_the_clock_goes_back(desk: Desk) -> None:
    late, early = await desk.book.mint(PairingPolicy()), await desk.book.mint(PairingPolicy())
    desk.clock.advance(600)
    assert await desk.book.claim(late.code, PHONE) is None
    desk.clock.advance(-3600)
    assert await desk.book.claim(early.code, PHONE) is None


async def test_the_same_code_again_gets_the_new_policy_and_a_fresh_clock(desk: Desk) -> None:
    await desk.book.mint(PairingPolicy(ttl_s=60), "abc123")
    desk.clock.advance(500)
    await desk.book.mint(PairingPolicy(ttl_s=90), "ABC123")
    desk.clock.advance(500)
    issued = await desk.book.claim("ABC123", PHONE)
    assert issued is not None and issued.device.expires_ms == desk.clock.at_ms + 90_000
    with pytest.raises(ValueError, match="6 letters"):
        await desk.book.mint(PairingPolicy(), "no")


async def test_pairing_the_same_client_again_replaces_it(desk: Desk) -> None:
    first, other = await desk.pair(), await desk.pair(DeviceHello(kind="relay", device_id="dev-2"))
    placeholder = [await desk.pair(DeviceHello(kind="relay", device_id="unknown")) for _ in range(2)]
    same_id_elsewhere = await desk.pair(DeviceHello(kind="cli", device_id="dev-1"))
    second = await desk.pair()
    assert desk.ended == [(first.device.id, "replaced")]
    assert await desk.book.by_token(first.token) is None
    assert first.refresh_token and await desk.book.refresh(first.refresh_token, PHONE) is None
    living = {device.id for device in await desk.book.all()}
    assert living == {one.device.id for one in (other, second, same_id_elsewhere, *placeholder)}


async def test_thirty_wrong_codes_end_all_open_codes(desk: Desk) -> None:
    code = await desk.book.mint(PairingPolicy())
    for number in range(30):
        who = DeviceHello(kind="web", address=f"192.0.2.{number}")
        assert await desk.book.claim(f"AAAA{number:02}", who) is None
    assert await desk.book.claim(code.code, PHONE) is None
    assert await desk.receipts() == [("policy", "pair")]
    fresh = await desk.book.mint(PairingPolicy())
    assert await desk.book.claim(fresh.code, PHONE) is not None


async def test_a_phone_that_made_its_code_waits_until_it_is_approved(desk: Desk) -> None:
    assert await desk.book.claim("PHONE1", PHONE) is None
    assert await desk.book.claim("PHONE1", PHONE) is None
    (pending,) = await desk.book.pending()
    assert (pending.device_name, pending.address) == ("Pixel", "192.0.2.7")
    assert (await desk.book.mint(PairingPolicy(), "OTHER1")).asked is None  # nobody has shown that one
    assert await desk.book.pending() == [pending]
    assert (await desk.book.mint(PairingPolicy(), "phone1")).asked == pending
    assert await desk.book.pending() == []
    assert await desk.book.claim("PHONE1", PHONE) is not None
    assert await desk.book.claim("PHONE1", PHONE) is None
    assert await desk.book.pending() == []  # a used code is no new one


async def test_strangers_cannot_flood_what_waits_for_approval(desk: Desk) -> None:
    for number in range(25):
        await desk.book.claim(f"AAAA{number:02}", PHONE)
        await desk.book.claim(f"BBBB{number:02}", BROWSER)
    assert len(await desk.book.pending()) == 3
    desk.clock.advance(601)
    assert await desk.book.pending() == []


# ---- coming back ------------------------------------------------------------------------------------------


async def test_a_refresh_gives_new_secrets_and_the_same_end(desk: Desk) -> None:
    first = await desk.pair(policy=PairingPolicy(ttl_s=3600))
    assert first.refresh_token
    desk.clock.advance(1000)
    second = await desk.book.refresh(first.refresh_token, PHONE)
    assert second is not None and second.refresh_token
    assert second.device.id == first.device.id
    assert second.device.expires_ms == first.device.expires_ms
    assert second.device.grants == first.device.grants
    assert await desk.book.by_token(first.token) is None
    assert await desk.book.by_token(second.token) is not None
    assert second.device.prefix == second.token[:8]


async def test_the_old_refresh_token_works_once_more_while_its_reply_may_be_lost(desk: Desk) -> None:
    first = await desk.pair()
    assert first.refresh_token
    lost = await desk.book.refresh(first.refresh_token, PHONE)
    desk.clock.advance(GRACE_MS / 1000)
    again = await desk.book.refresh(first.refresh_token, PHONE)
    assert lost is not None and again is not None
    assert await desk.book.by_token(lost.token) is None
    desk.clock.advance(1)  # asking again does not make the grace longer
    assert await desk.book.refresh(first.refresh_token, PHONE) is None
    assert await desk.book.by_token(again.token) is not None


async def test_a_reply_that_arrived_ends_the_grace(desk: Desk) -> None:
    first = await desk.pair()
    assert first.refresh_token
    second = await desk.book.refresh(first.refresh_token, PHONE)
    assert second is not None and await desk.book.by_token(second.token)
    assert await desk.book.refresh(first.refresh_token, PHONE) is None
    await desk.restart()
    assert await desk.book.refresh(first.refresh_token, PHONE) is None
    assert second.refresh_token and await desk.book.refresh(second.refresh_token, PHONE)


async def test_a_refresh_never_gives_back_what_was_given_up(desk: Desk) -> None:
    first = await desk.pair(policy=PairingPolicy(ttl_s=0))
    end = desk.clock.at_ms + 60_000
    less = await desk.book.reduce(first.device, expires_ms=end, grants={"chat": end})
    assert desk.changed == [less]
    await desk.restart()
    assert first.refresh_token
    second = await desk.book.refresh(first.refresh_token, PHONE)
    assert second is not None and second.refresh_token
    assert (second.device.expires_ms, second.device.grants) == (end, {"chat": end})
    desk.clock.advance(61)
    assert await desk.book.refresh(second.refresh_token, PHONE) is None


async def test_a_refresh_token_ends_after_180_days_however_often_it_was_used(desk: Desk) -> None:
    issued = await desk.pair(policy=PairingPolicy(ttl_s=0))
    for _ in range(2):
        desk.clock.advance(REFRESH_MS / 2000)
        assert issued.refresh_token
        again = await desk.book.refresh(issued.refresh_token, PHONE)
        assert again is not None
        issued = again
    assert issued.refresh_token
    desk.clock.advance(1)
    assert await desk.book.refresh(issued.refresh_token, PHONE) is None
    assert await desk.book.give_refresh_token(issued.device)


async def test_another_client_cannot_use_a_refresh_token_and_does_not_use_it_up(desk: Desk) -> None:
    first = await desk.pair()
    assert first.refresh_token
    other = DeviceHello(kind="relay", device_id="dev-other")
    assert await desk.book.refresh(first.refresh_token, other) is None
    nameless = await desk.book.refresh(first.refresh_token, DeviceHello(kind="relay", device_id=""))
    assert nameless is not None and nameless.device.device_id == "dev-1"


async def test_a_first_refresh_token_is_given_to_who_has_none(desk: Desk) -> None:
    laptop = await desk.pair(DeviceHello(kind="cli", name="laptop"))
    assert laptop.refresh_token is None
    given = await desk.book.give_refresh_token(laptop.device)
    assert given and await desk.book.give_refresh_token(laptop.device) is None
    assert await desk.book.refresh(given, DeviceHello(kind="cli"))


async def test_a_browser_s_token_is_no_bearer(desk: Desk) -> None:
    browser = await desk.pair(BROWSER)
    assert browser.key and browser.refresh_token is None
    assert await desk.book.by_token(browser.token) is None
    assert desk.book.by_cookie(browser.token) == browser.device
    assert not desk.book.has_key(browser.device.id, "")
    assert not desk.book.has_key(browser.device.id, "\ud800 wrong")
    phone = await desk.pair()
    assert desk.book.by_cookie(phone.token) is None
    assert not desk.book.has_key(phone.device.id, "x")


async def test_a_reconnect_says_only_what_it_gives(desk: Desk) -> None:
    phone = await desk.pair()
    who = DeviceHello(kind="relay", model="Pixel\x1b[31m 9", name="unknown", address="198.51.100.4")
    device = await desk.book.update(phone.device, who)
    assert (device.name, device.model, device.platform) == ("Pixel", "Pixel [31m 9", "unknown")
    assert device.address == "198.51.100.4"
    renamed = await desk.book.update(device, DeviceHello(kind="relay", name="Pixel nine"))
    assert renamed.name == "Pixel nine"
    await desk.book.rename(renamed, "Kitchen", "host")
    assert (await desk.book.update(renamed, PHONE)).name == "Kitchen"


async def test_when_a_device_was_seen_is_stored_now_and_then(desk: Desk) -> None:
    phone = await desk.pair()
    before = desk.store.seq
    for _ in range(100):
        desk.clock.advance(1)
        await desk.book.by_token(phone.token)
    assert (await desk.book.all())[0].last_seen_ms == desk.clock.at_ms
    assert desk.store.seq == before
    await desk.book.round()
    await desk.restart()
    assert (await desk.book.all())[0].last_seen_ms == desk.clock.at_ms


async def test_a_device_on_an_open_socket_is_seen_now_and_then(desk: Desk) -> None:
    phone, other = await desk.pair(), await desk.pair(BROWSER)
    desk.book.connected(lambda: [phone.device.id, "dev_gone"])
    made_ms = desk.clock.at_ms
    desk.clock.advance(59)
    await desk.book.round()
    assert {device.last_seen_ms for device in await desk.book.all()} == {made_ms}
    desk.clock.advance(1)
    await desk.book.round()
    await desk.restart()
    seen = {device.id: device.last_seen_ms for device in await desk.book.all()}
    assert seen == {phone.device.id: desk.clock.at_ms, other.device.id: made_ms}


# ---- ending -----------------------------------------------------------------------------------------------


async def test_a_revoked_device_is_gone_at_once_and_for_good(desk: Desk) -> None:
    phone = await desk.pair()
    await desk.book.revoke(phone.device, "device:dev_9")
    assert desk.ended == [(phone.device.id, "revoked")]
    assert await desk.book.by_token(phone.token) is None
    assert phone.refresh_token and await desk.book.refresh(phone.refresh_token, PHONE) is None
    await desk.book.revoke(phone.device, "host")  # twice is once
    assert (await desk.receipts())[1:] == [("device:dev_9", "revoke")]
    await desk.restart()
    assert await desk.book.all() == []


async def test_a_device_whose_time_is_over_is_out_until_the_host_extends_it(desk: Desk) -> None:
    phone = await desk.pair(policy=PairingPolicy(ttl_s=60))
    desk.clock.advance(61)
    assert await desk.book.by_token(phone.token) is None
    assert await desk.book.all() == []
    ends = asyncio.get_running_loop().create_task(desk.book.tell_ends())
    await until(lambda: desk.ended == [(phone.device.id, "expired")])
    known = desk.book.known(phone.device.id)
    assert known is not None
    longer = await desk.book.extend(known, 3600, {"answers": 60}, "host")
    assert longer.expires_ms == longer.grants["chat"] == desk.clock.at_ms + 3_600_000
    assert longer.grants["answers"] == desk.clock.at_ms + 60_000
    ends.cancel()
    assert await desk.book.by_token(phone.token) is not None


async def test_a_clock_that_jumps_ahead_for_a_while_loses_nobody(desk: Desk) -> None:
    phone = await desk.pair()
    desk.clock.advance(60 * 86400)
    await desk.book.round()
    assert await desk.book.by_token(phone.token) is None
    desk.clock.advance(-60 * 86400)
    assert await desk.book.by_token(phone.token) == phone.device
    desk.clock.advance(-10 * 86400)
    assert await desk.book.by_token(phone.token) is not None


async def test_long_ended_devices_are_forgotten(desk: Desk) -> None:
    phone = await desk.pair(policy=PairingPolicy(ttl_s=60))
    desk.clock.advance(91 * 86400)
    await desk.book.round()
    assert desk.book.known(phone.device.id) is None
    assert (await desk.events())[-1] == "device.gone"


# ---- trouble ----------------------------------------------------------------------------------------------


async def test_a_row_that_cannot_be_read_keeps_nobody_else_out(desk: Desk) -> None:
    phone, laptop = await desk.pair(), await desk.pair(DeviceHello(kind="cli", name="laptop"))
    await desk.close()
    with closing(sqlite3.connect(desk.path)) as database, database:
        database.execute("UPDATE devices SET device = X'7B' WHERE id = ?", (phone.device.id,))
    await desk.open()
    assert [device.id for device in await desk.book.all()] == [laptop.device.id]


async def test_a_caller_that_goes_away_leaves_memory_and_file_alike(desk: Desk) -> None:
    code = await desk.book.mint(PairingPolicy())
    claim = asyncio.ensure_future(desk.book.claim(code.code, PHONE))
    await asyncio.sleep(0)
    claim.cancel()
    await asyncio.gather(claim, return_exceptions=True)
    await desk.book.round()
    in_memory: list[Device] = await desk.book.all()
    assert len(in_memory) == 1
    await desk.restart()
    assert [device.id for device in await desk.book.all()] == [in_memory[0].id]


async def test_a_listener_that_fails_does_not_keep_the_others_from_closing(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "hub.sqlite")
    await desk.open()

    def broken(device_id: str, why: DeviceEnd) -> None:
        raise RuntimeError

    desk.book._memory.at_end.insert(0, broken)
    phone = await desk.pair()
    await desk.book.revoke(phone.device, "host")
    assert desk.ended == [(phone.device.id, "revoked")]
    await desk.close()


async def test_a_database_that_takes_nothing_more_costs_no_device_its_login(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone, code = await desk.pair(), await desk.book.mint(PairingPolicy())

    async def full(job: object) -> None:
        raise DatabaseTrouble("no space is left on the disk")

    with monkeypatch.context() as patch:
        patch.setattr(desk.store, "change", full)
        assert await desk.book.by_token(phone.token) is not None
        with pytest.raises(DatabaseTrouble):
            await desk.book.claim(code.code, BROWSER)
        with pytest.raises(DatabaseTrouble):
            await desk.book.revoke(phone.device, "host")
        assert phone.refresh_token
        with pytest.raises(DatabaseTrouble):
            await desk.book.refresh(phone.refresh_token, PHONE)
        await desk.book.round()
    assert await desk.book.by_token(phone.token) is not None  # nothing counts that was not stored
    assert await desk.book.refresh(phone.refresh_token, PHONE) is not None
    assert await desk.book.claim(code.code, BROWSER) is not None

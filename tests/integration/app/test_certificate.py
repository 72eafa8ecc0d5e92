"""HTTPS at the device door, with certificates made here: names, a change while it runs, errors in words."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import aiohttp
import pytest

from controlroom.app.certificate import Certificate, CertificateError, loaded
from controlroom.app.doors import Doors, DoorWish, WrongDoor
from controlroom.kit.clock import FakeClock
from controlroom.kit.health import HealthBoard
from controlroom.kit.settings import Door
from tests.integration.app.house import House, open_house

DAY_MS = 24 * 3600 * 1000
NAME = "room.home.example"


def make(folder: Path, *names: str, label: str = "room", days: int = 30) -> tuple[Path, Path]:
    """A certificate of its own for these names."""
    cert, key = folder / f"{label}.pem", folder / f"{label}.key"
    said = ",".join(f"DNS:{name}" for name in names) or "email:kim@home.example"
    wanted = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    files = ["-keyout", str(key), "-out", str(cert), "-days", str(days), "-subj", "/CN=room"]
    subprocess.run(
        ["openssl", *wanted, *files, "-addext", f"subjectAltName={said}"],
        check=True,
        capture_output=True,
        timeout=60,
    )
    return cert, key


def trusting(cert: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(cert))


@pytest.fixture
async def secure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    monkeypatch.setenv("HOME", str(tmp_path))
    cert, key = make(tmp_path, NAME, "*.wide.example")
    async with open_house(cert=cert, key=key) as house:
        yield house


async def get(house: House, cert: Path, name: str, path: str = "/health") -> tuple[int, str]:
    """Over TLS, as a device that trusts this certificate and asks for this name."""
    url = f"https://127.0.0.1:{house.doors.port}{path}"
    headers = {"Host": f"{name}:{house.doors.port}"}
    async with house.session.get(
        url, headers=headers, ssl=trusting(cert), server_hostname=name, allow_redirects=False
    ) as answer:
        return answer.status, await answer.text()


async def test_names_of_the_certificate_are_served(secure: House, tmp_path: Path) -> None:
    cert = tmp_path / "room.pem"
    assert secure.doors.url == f"https://{NAME}:{secure.doors.port}/app/"
    assert (await get(secure, cert, NAME))[0] == 200
    assert (await get(secure, cert, "a.wide.example"))[0] == 200
    reach = secure.doors.reach()
    assert (reach.relay.host, reach.relay.tls) == (NAME, True)
    async with secure.session.get(
        f"https://127.0.0.1:{secure.doors.port}/health",
        headers={"Host": "evil.example"},
        ssl=trusting(cert),
        server_hostname=NAME,
    ) as answer:
        assert answer.status == 421


async def test_a_device_pairs_over_tls_and_is_known_as_such(secure: House, tmp_path: Path) -> None:
    async with secure.session.ws_connect(
        f"wss://127.0.0.1:{secure.doors.port}/ws",
        headers={"Host": f"{NAME}:{secure.doors.port}"},
        ssl=trusting(tmp_path / "room.pem"),
        server_hostname=NAME,
    ) as ws:
        payload = {"pairing_code": await secure.code()}
        await ws.send_json({"channel": "system", "type": "auth", "id": "1", "payload": payload})
        answer = await ws.receive_json(timeout=60)
    assert (answer["type"], answer["payload"]["transport_hint"]) == ("auth.ok", "wss")


async def test_plain_http_and_old_tls_get_nothing(secure: House, tmp_path: Path) -> None:
    assert b"200" not in await secure.raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    old = trusting(tmp_path / "room.pem")
    old.check_hostname = False
    with pytest.warns(DeprecationWarning):
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(aiohttp.ClientConnectorError):
        await secure.session.get(f"https://127.0.0.1:{secure.doors.port}/health", ssl=old)
    assert (await get(secure, tmp_path / "room.pem", NAME))[0] == 200
    assert (await secure.ask("/health", door="proxy")).status == 200


async def test_a_new_certificate_is_used_and_open_sockets_stay(secure: House, tmp_path: Path) -> None:
    certificate = secure.doors.certificate
    assert certificate is not None
    old = tmp_path / "old.pem"
    old.write_bytes((tmp_path / "room.pem").read_bytes())
    async with secure.session.ws_connect(
        f"wss://127.0.0.1:{secure.doors.port}/ws",
        headers={"Host": f"{NAME}:{secure.doors.port}"},
        ssl=trusting(old),
        server_hostname=NAME,
    ) as ws:
        (tmp_path / "room.key").write_text("half a file")
        await certificate.check()
        assert [item.code for item in secure.health.items] == ["door_certificate"]
        assert (await get(secure, old, NAME))[0] == 200

        cert, _ = make(tmp_path, "new.home.example")
        await certificate.check()
        assert secure.health.items == ()
        assert (await get(secure, cert, "new.home.example"))[0] == 200
        with pytest.raises(aiohttp.ClientConnectorCertificateError):
            await get(secure, old, NAME)
        payload = {"pairing_code": await secure.code()}
        await ws.send_json({"channel": "system", "type": "auth", "id": "1", "payload": payload})
        assert (await ws.receive_json(timeout=60))["type"] == "auth.ok"


Broken = Callable[[Path], tuple[Path, Path]]


def _missing(folder: Path) -> tuple[Path, Path]:
    return folder / "none.pem", folder / "none.key"


def _mismatch(folder: Path) -> tuple[Path, Path]:
    return make(folder, NAME, label="one")[0], make(folder, NAME, label="two")[1]


def _garbage(folder: Path) -> tuple[Path, Path]:
    cert, key = make(folder, NAME)
    cert.write_bytes(b"\x00garbage")
    return cert, key


def _nameless(folder: Path) -> tuple[Path, Path]:
    return make(folder)


def _locked(folder: Path) -> tuple[Path, Path]:
    cert, key = make(folder, NAME)
    locked = folder / "locked.key"
    subprocess.run(
        ["openssl", "pkey", "-in", str(key), "-aes128", "-passout", "pass:secret", "-out", str(locked)],
        check=True,
        capture_output=True,
        timeout=60,
    )
    return cert, locked


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (_missing, "none.pem cannot be read: No such file"),
        (_mismatch, "two.key is not the key of"),
        (_garbage, "are not a PEM certificate and its key"),
        (_nameless, "names no host"),
        (_locked, "the key has a password"),
    ],
)
def test_a_pair_that_cannot_be_used_says_why(tmp_path: Path, broken: Broken, said: str) -> None:
    with pytest.raises(CertificateError, match=said):
        loaded(*broken(tmp_path))


async def test_an_end_that_comes_or_has_passed_is_told(tmp_path: Path) -> None:
    cert, key = make(tmp_path, NAME, days=30)
    clock = FakeClock()
    health = HealthBoard(clock)
    certificate = Certificate(cert, key, clock=clock, health=health)
    certificate.load()
    ends_ms = loaded(cert, key).expires_ms
    steps = ((20 * DAY_MS, None), (2 * DAY_MS, "ends in"), (-1, "has expired"), (20 * DAY_MS, None))
    for left_ms, said in steps:
        clock.at_ms = ends_ms - left_ms
        await certificate.check()
        titles = [item.title for item in health.items]
        assert (titles == []) if said is None else (said in titles[0])


def test_half_a_pair_is_wrong_use(tmp_path: Path) -> None:
    clock = FakeClock()
    with pytest.raises(WrongDoor, match="belong together"):
        Doors.opened(DoorWish(port=0, cert=tmp_path / "c"), Door(), clock=clock, health=HealthBoard(clock))


async def test_half_open_handshakes_are_counted_and_pushed_out(secure: House, tmp_path: Path) -> None:
    opened = [await asyncio.open_connection("127.0.0.1", secure.doors.port) for _ in range(300)]
    try:
        assert len(secure.doors.listeners[0]) <= 256
        assert (await get(secure, tmp_path / "room.pem", NAME))[0] == 200
    finally:
        for _, writer in opened:
            writer.close()

"""Tailscale through its command: a fake one that remembers what it was told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from controlroom.app import tailscale
from controlroom.app.tailscale import Tailscale, TailscaleError, ports_of, tailnet_of
from controlroom.kit.clock import FakeClock
from controlroom.kit.health import HealthBoard
from tests.integration.app.house import open_house

RUNNING = {
    "BackendState": "Running",
    "Self": {"DNSName": "Desk.tail0.example.", "TailscaleIPs": ["fd7a:115c:a1e0::9", "100.64.0.9"]},
}

SERVED = """'{"TCP":{"8642":{"HTTPS":true},"22":{"TCPForward":"x"},"x":7}}'"""

Fake = Callable[..., Path]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Put a ``tailscale`` into PATH; what it was told stands in ``calls``."""
    monkeypatch.setenv("HOME", str(tmp_path))

    def put(status: object = RUNNING, serve: str = "exit 0", before: str = "") -> Path:
        calls, said = tmp_path / "calls", tmp_path / "status.json"
        said.write_text(status if isinstance(status, str) else json.dumps(status))
        program = tmp_path / "tailscale"
        program.write_text(
            f'#!/bin/sh\necho "$*" >> {calls}\n{before}\n'
            f'case "$1 $2" in status*) cat {said};; "serve status") echo {SERVED};; serve*) {serve};; esac\n'
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        return calls

    return put


async def test_the_proxy_door_is_published_and_taken_back(fake: Fake) -> None:
    calls = fake()
    async with open_house(with_tailscale=True) as house:
        port, proxy = house.doors.port, house.doors.proxy_port
        assert house.doors.reach().tailnet is None
        assert (await house.ask("/health", door="proxy", host=f"desk.tail0.example:{port}")).status == 421
        assert await house.doors.publish() == f"https://desk.tail0.example:{port}"
        assert (await house.ask("/health", door="proxy", host=f"desk.tail0.example:{port}")).status == 200
        tailnet = house.doors.reach().tailnet
        assert tailnet is not None
        assert (tailnet.address, tailnet.served) == ("100.64.0.9", frozenset({port, 8642}))
        assert house.health.items == ()
    assert calls.read_text().splitlines() == [
        "status --json --peers=false",
        f"serve --bg --yes --https={port} http://127.0.0.1:{proxy}",
        "serve status --json",
        f"serve --yes --https={port} off",
    ]


@pytest.mark.parametrize(
    ("status", "serve", "said"),
    [
        ({"BackendState": "Stopped"}, "exit 0", "in no tailnet now"),
        ({"BackendState": "Running", "Self": {"DNSName": ""}}, "exit 0", "has no name"),
        ("no json", "exit 0", "no JSON"),
        ("[1]", "exit 0", "no JSON"),
        (RUNNING, "echo Serve is not enabled on your tailnet. >&2; exit 1", "Serve is not enabled"),
        (RUNNING, "exit 7", "status 7"),
    ],
)
async def test_what_does_not_work_is_said_and_nothing_is_promised(
    fake: Fake, status: object, serve: str, said: str
) -> None:
    fake(status, serve)
    health = HealthBoard(FakeClock())
    tail = Tailscale(health)
    with pytest.raises(TailscaleError, match=said):
        await tail.enable(8767, 8768)
    assert said in health.items[0].title
    assert tail.tailnet is None
    await tail.disable()
    fake()
    assert await tail.enable(8767, 8768) == "https://desk.tail0.example:8767"
    assert health.items == ()


async def test_without_the_program_everything_else_works(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    async with open_house(with_tailscale=True) as house:
        with pytest.raises(TailscaleError, match="no program tailscale"):
            await house.doors.publish()
        assert [item.code for item in house.health.items] == ["tailscale"]
        assert (await house.ask("/health")).status == 200


async def test_a_program_that_hangs_is_given_up(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(before="exec sleep 600")
    monkeypatch.setattr(tailscale, "ANSWER_S", 0.2)
    with pytest.raises(TailscaleError, match="did not answer"):
        await tailscale.look()


@pytest.mark.parametrize("served", [{}, {"TCP": []}, {"TCP": {"1": None, "-2": {"HTTPS": True}, "3": {}}}])
def test_an_odd_answer_publishes_nothing(served: dict[str, object]) -> None:
    assert ports_of(served) == frozenset()


@pytest.mark.parametrize("status", [{}, {"Self": []}, {"BackendState": "Running", "Self": 7}])
def test_an_odd_status_is_no_tailnet(status: dict[str, object]) -> None:
    assert tailnet_of(status) is None


def test_odd_fields_are_left_out() -> None:
    odd = {"BackendState": "Running", "Self": {"DNSName": 7, "TailscaleIPs": [1, None, "100.64.0.9"]}}
    tailnet = tailnet_of(odd)
    assert tailnet is not None
    assert (tailnet.name, tailnet.address) == (None, "100.64.0.9")

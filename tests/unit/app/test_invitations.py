"""Invitations: links in the order of the addresses, and a QR code that tells no more than it should."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controlroom.app.hermes import with_hermes
from controlroom.app.invitations import Invitations, api_address
from controlroom.core.endpoints import Tailnet
from controlroom.core.invite import HermesHost, Reach
from controlroom.core.qr import ApiAddress, verifies
from controlroom.wire.device import Invitation, MintPairing, PairingCode, PairingPolicy

SECRET = b"s" * 32
LAN = Reach(relay=ApiAddress(host="192.168.7.2", port=8767))
WIDE = Reach(
    relay=ApiAddress(host="192.168.7.2", port=8767),
    tailnet=Tailnet(address="100.64.0.9", name="desk.tail.example", served=frozenset({8767})),
)
HERMES = HermesHost(
    api=ApiAddress(host="192.168.7.2", port=8642), dashboard_url="http://192.168.7.2:9119", key="made-up"
)


async def made(reach: Reach, wish: MintPairing, policy: PairingPolicy | None = None) -> Invitation:
    code = PairingCode(code="AB12CD", expires_ms=1, policy=policy or PairingPolicy())
    return await Invitations(lambda: reach, lambda: SECRET).invite(code, wish)


async def test_links_come_best_first_with_the_code_in_the_fragment() -> None:
    invitation = await made(WIDE, MintPairing(public_url="https://room.example"))
    assert invitation.links == (
        "https://desk.tail.example:8767/app/#pair=AB12CD",
        "https://room.example/app/#pair=AB12CD",
        "http://192.168.7.2:8767/app/#pair=AB12CD",
    )
    (note,) = invitation.notes
    assert note.startswith("http://192.168.7.2:8767: plain HTTP")


async def test_the_qr_code_is_signed_and_repeats_the_policy_in_integers() -> None:
    policy = PairingPolicy(ttl_s=3600, grants={"terminal": 60, "answers": -1})
    invitation = await made(LAN, MintPairing(), policy)
    assert invitation.qr and invitation.relay_link
    payload = json.loads(invitation.qr)
    assert payload["hermes"] == 3
    assert payload["relay"]["ttl_seconds"] == 3600
    assert payload["relay"]["grants"] == {"terminal": 60}
    assert verifies(payload, payload.pop("sig"), SECRET)


async def test_the_key_of_a_hermes_host_goes_along_only_when_asked_for() -> None:
    reach = Reach(relay=LAN.relay, hermes=HERMES)
    silent, told = await made(reach, MintPairing()), await made(reach, MintPairing(with_api_key=True))
    assert silent.qr and "made-up" not in silent.qr
    assert told.qr and json.loads(told.qr)["key"] == "made-up"
    assert json.loads(silent.qr)["dashboard_url"] == "http://192.168.7.2:9119"
    assert any("show it to nobody" in note for note in told.notes)
    assert any("carries none" in note for note in (await made(LAN, MintPairing(with_api_key=True))).notes)


async def test_an_api_server_may_be_named() -> None:
    invitation = await made(LAN, MintPairing(api_url="https://api.example:9000"))
    assert invitation.qr
    payload = json.loads(invitation.qr)
    assert (payload["host"], payload["port"], payload["tls"]) == ("api.example", 9000, True)
    assert api_address("http://[::1]") == ApiAddress(host="::1", port=80)


@pytest.mark.parametrize(
    ("wish", "why"),
    [
        (MintPairing(mode="tailscale"), "no such address"),
        (MintPairing(mode="public"), "public URL"),
        (MintPairing(public_url="ftp://x"), "http"),
        (MintPairing(api_url="x"), "http"),
        (MintPairing(api_url="http://[::"), "not an address"),
    ],
)
async def test_what_cannot_be_is_said(wish: MintPairing, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        await made(LAN, wish)


async def test_loopback_alone_is_pointed_out() -> None:
    here = Reach(relay=ApiAddress(host="127.0.0.1", port=8767))
    assert any("Only this machine" in note for note in (await made(here, MintPairing())).notes)


async def test_a_hermes_host_of_this_machine_is_found(tmp_path: Path) -> None:
    reach = with_hermes(lambda: LAN, {}, tmp_path)
    assert reach() == LAN
    home = tmp_path / ".hermes"
    home.mkdir()
    (home / ".env").write_text("API_SERVER_PORT=9000\nAPI_SERVER_KEY=made-up\n")
    hermes = reach().hermes
    assert hermes is not None and hermes.key == "made-up"
    assert hermes.api == ApiAddress(host="192.168.7.2", port=9000)
    invitation = await made(reach(), MintPairing())
    assert invitation.qr and "made-up" not in invitation.qr
    assert json.loads(invitation.qr)["port"] == 9000

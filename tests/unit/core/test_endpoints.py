"""Endpoint candidates and duration words, against vectors made by the original."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.durations import parse_duration, parse_grants
from controlroom.core.endpoints import Tailnet, candidates, refreshed
from controlroom.core.invite import Reach, Terms, invite
from controlroom.core.qr import ApiAddress

VECTORS = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "relay" / "pairing_payload_vectors.json").read_text("utf-8")
)
UNSERVED = Tailnet(address="100.64.0.9", name="box.tail0.ts.net")
SERVED = Tailnet(address="100.64.0.9", name="box.tail0.ts.net", served=frozenset({8642, 8767}))
TAILNETS = {
    "ts_no_serve": UNSERVED,
    "ts_serve": SERVED,
    "stale_ts_rewritten_to_serve": SERVED,
    "stale_ts_rewritten_to_ip": UNSERVED,
}


@pytest.mark.parametrize("vector", VECTORS["endpoint_candidates"], ids=lambda vector: str(vector["name"]))
def test_candidates_are_the_originals(vector: dict[str, Any]) -> None:
    given_ = vector["input"]

    def made() -> object:
        return candidates(
            given_["mode"],
            api=ApiAddress(host=given_["api_host"], port=given_["api_port"], tls=given_["api_tls"]),
            relay=ApiAddress(host=given_["relay_host"], port=given_["relay_port"], tls=given_["relay_tls"]),
            tailnet=TAILNETS.get(vector["name"]),
            public_url=given_.get("public_url"),
            prefer=given_.get("prefer"),
        )

    if "error" in vector:
        with pytest.raises(ValueError, match="mode"):
            made()
    else:
        assert made() == vector["result"]


@pytest.mark.parametrize("vector", VECTORS["normalize"], ids=lambda vector: str(vector["name"]))
def test_stale_tailnet_entries_are_rewritten(vector: dict[str, Any]) -> None:
    assert refreshed(vector["input"], TAILNETS[vector["name"]]) == vector["result"]


def test_a_list_of_odd_entries_is_kept_as_given() -> None:
    odd: list[dict[str, object]] = [
        {"role": "tailscale"},
        {"role": "tailscale", "api": {"port": 1}, "relay": {"url": "ws://x:99999999"}},
        {"role": "tailscale", "api": {"port": 1}, "relay": {"url": "ws://x"}},
        {"role": "tailscale", "api": {"port": "1"}, "relay": {"url": 5}},
    ]
    assert refreshed(odd, SERVED) == odd
    assert refreshed(odd, None) == odd


@pytest.mark.parametrize(
    "url", ["ftp://h.example", "https://", "https://u@h.example", "https://h:x", "https://[x"]
)
def test_a_public_url_that_is_none_is_refused(url: str) -> None:
    where = ApiAddress(host="192.0.2.10", port=1)
    with pytest.raises(ValueError, match="public URL"):
        candidates("public", api=where, relay=where, public_url=url)


def test_addresses_of_version_6_stand_in_brackets() -> None:
    where = ApiAddress(host="fd00::1", port=8767)
    [only] = candidates("lan", api=where, relay=where)
    assert only["relay"] == {"url": "ws://[fd00::1]:8767", "transport_hint": "ws"}


@pytest.mark.parametrize("vector", VECTORS["parse_duration"], ids=lambda vector: repr(vector["input"]))
def test_duration_words(vector: dict[str, Any]) -> None:
    if vector["seconds"] == "ValueError":
        with pytest.raises(ValueError, match="not a duration"):
            parse_duration(vector["input"])
    else:
        assert parse_duration(vector["input"]) == vector["seconds"]


@pytest.mark.parametrize("vector", VECTORS["parse_grants"], ids=lambda vector: repr(vector["input"]))
def test_grant_words(vector: dict[str, Any]) -> None:
    if vector["grants"] == "ValueError":
        with pytest.raises(ValueError, match="not a grant"):
            parse_grants(vector["input"])
    else:
        assert parse_grants(vector["input"]) == vector["grants"]


@given(st.text(max_size=30))
def test_any_text_is_a_bounded_duration_or_a_clear_refusal(text: str) -> None:
    try:
        seconds = parse_duration(text)
    except ValueError as error:
        assert "write" in str(error)
    else:
        assert 0 <= seconds <= 100 * 365 * 86400


def test_a_machine_that_only_the_tailnet_reaches_offers_no_loopback_address() -> None:
    here = ApiAddress(host="127.0.0.1", port=8767)
    tailnet = Tailnet(address="100.64.0.9", name="box.tail0.ts.net", served=frozenset({8767}))
    made = invite(Terms(code="ABC123"), Reach(relay=here, tailnet=tailnet), secret=None)
    assert made.relay_url == "wss://box.tail0.ts.net:8767"
    assert (made.payload["host"], made.payload["tls"]) == ("box.tail0.ts.net", True)
    assert "127.0.0.1" not in made.qr_text


def test_an_api_server_that_is_not_published_keeps_its_bare_address() -> None:
    tailnet = Tailnet(address="100.64.0.9", name="box.tail0.ts.net", served=frozenset({8767}))
    api, relay = ApiAddress(host="192.0.2.2", port=8642), ApiAddress(host="192.0.2.2", port=8767)
    [only] = candidates("tailscale", api=api, relay=relay, tailnet=tailnet)
    assert only["api"] == {"host": "100.64.0.9", "port": 8642, "tls": False}
    assert only["relay"] == {"url": "wss://box.tail0.ts.net:8767", "transport_hint": "wss"}


@pytest.mark.parametrize(
    ("url", "relay"),
    [
        ("https://room.example", "wss://room.example"),
        ("https://room.example:444/", "wss://room.example:444"),
        ("https://room.example/desk/", "wss://room.example/desk"),
    ],
)
def test_an_exact_public_url_leads_to_the_proxy_and_not_to_our_own_port(url: str, relay: str) -> None:
    address = ApiAddress(host="10.0.0.5", port=8767, tls=False)
    (found,) = candidates("public", api=address, relay=address, public_url=url, is_exact=True)
    assert found["relay"] == {"url": relay, "transport_hint": "wss"}


def test_a_public_address_of_the_settings_stands_in_every_invitation() -> None:
    here = ApiAddress(host="127.0.0.1", port=8767)
    made = invite(Terms(code="ABC123"), Reach(relay=here, public_url="https://room.example/acr"), secret=None)
    assert made.relay_url == "wss://room.example/acr"

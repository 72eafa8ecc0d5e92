"""Addresses as people type and paste them, and which of them may be used."""

from __future__ import annotations

import base64
import json

import pytest

from controlroom.client import ClientError
from controlroom.client.addresses import (
    INVITE,
    Address,
    check_plain,
    is_private_way,
    read_address,
    read_invite,
)


@pytest.mark.parametrize(
    ("typed", "url", "code"),
    [
        ("https://desk.example:8767", "https://desk.example:8767", None),
        ("https://desk.example/", "https://desk.example", None),
        ("desk.example:8767", "https://desk.example:8767", None),
        ("http://localhost:8767/app/#pair=AB12CD", "http://localhost:8767", "AB12CD"),
        ("https://x.example/room/app/#pair=AB12CD", "https://x.example/room", "AB12CD"),
        (" https://[::1]:9/ ", "https://[::1]:9", None),
        ("https://x.example/#other", "https://x.example", None),
    ],
)
def test_what_a_person_types(typed: str, url: str, code: str | None) -> None:
    assert read_address(typed) == (Address(url=url), code)


@pytest.mark.parametrize(
    "typed",
    ["", "ftp://x", "https://", "https://user@x", "https://x?token=1", "https://x:port", "https://[::"],
)
def test_what_is_no_address(typed: str) -> None:
    with pytest.raises(ClientError, match="is not an address"):
        read_address(typed)


def invite(payload: object) -> str:
    return INVITE + base64.urlsafe_b64encode(json.dumps(payload).encode()).decode().rstrip("=")


def test_an_invite_gives_its_addresses_in_order_and_its_code() -> None:
    payload = {
        "hermes": 3,
        "relay": {"url": "ws://192.168.7.2:8767", "code": "AB12CD"},
        "endpoints": [
            {"priority": 1, "relay": {"url": "ws://192.168.7.2:8767"}},
            {"priority": 0, "relay": {"url": "wss://desk.tail.example:8767"}},
        ],
    }
    urls = ["https://desk.tail.example:8767", "http://192.168.7.2:8767"]
    for text in (invite(payload), json.dumps(payload)):
        addresses, code = read_invite(text)
        assert ([address.url for address in addresses], code) == (urls, "AB12CD")
    del payload["endpoints"]
    assert read_invite(invite(payload))[0] == [Address(url="http://192.168.7.2:8767")]


@pytest.mark.parametrize("text", [INVITE, INVITE + "!!", INVITE + "e30", "{}", '{"relay":7}', "{"])
def test_what_is_no_invite(text: str) -> None:
    with pytest.raises(ClientError, match="cannot be read"):
        read_invite(text)


@pytest.mark.parametrize(
    ("host", "is_private"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("::1", True),
        ("100.64.0.9", True),
        ("desk.tail1.ts.net", True),
        ("100.128.0.1", False),
        ("192.168.7.2", False),
        ("ts.net.evil.example", False),
        ("desk", False),
    ],
)
def test_where_nobody_can_listen(host: str, is_private: bool) -> None:
    assert is_private_way(host) is is_private


def test_plain_http_over_a_network_needs_a_word() -> None:
    plain = [Address(url="https://x.example"), Address(url="http://192.168.7.2:8767")]
    with pytest.raises(ClientError, match=r"192\.168\.7\.2.*--plain-http"):
        check_plain(plain, is_allowed=False)
    check_plain(plain, is_allowed=True)
    check_plain([Address(url="http://localhost:8767")], is_allowed=False)

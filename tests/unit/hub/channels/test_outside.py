"""Which addresses of browsers are called."""

from __future__ import annotations

import socket

import pytest

from controlroom.hub.channels.outside import (
    BadEndpoint,
    OutsideOnly,
    PrivateAddress,
    checked_endpoint,
    is_outside,
)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("8.8.8.8", True),
        ("2001:4860:4860::8888", True),
        ("127.0.0.1", False),
        ("0.0.0.0", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),  # a tailnet
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1%eth0", False),
        ("fd7a:115c:a1e0::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::7f00:1", False),  # 127.0.0.1 behind a translator
        ("64:ff9b::808:808", True),
        ("2002:7f00:1::", False),
        ("no address", False),
        ("", False),
    ],
)
def test_what_is_outside(address: str, expected: bool) -> None:
    assert is_outside(address) is expected


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "push.example.com/x",
        "ftp://push.example.com/x",
        "http://push.example.com/x",
        "https:///x",
        "https://user:secret@push.example.com/x",
        "https://push.example.com/x#y",
        "https://push.example.com:99999/x",
        "https://127.0.0.1/x",
        "https://[::1]/x",
        "https://[::ffff:10.0.0.1]/x",
        "https://localhost/x",
        "https://2130706433/x",
        "https://127.1/x",
        "https://0x7f.0.0.1/x",
        "https://printer.local/x",
        "https://nas.lan./x",
        "https://push.example.com/" + "x" * 2048,
        "https://push.example.com/\n",
        "https://[half/x",
    ],
)
def test_an_endpoint_that_is_none(endpoint: str) -> None:
    with pytest.raises(BadEndpoint, match=r"^endpoint: .*[^.]$"):
        checked_endpoint(endpoint, allow_private=False)


def test_good_endpoints_stay_as_they_are() -> None:
    outside = "https://push.example.com/wpush/v2/gAAA?x=1"
    assert checked_endpoint(outside, allow_private=False) == outside
    inside = "http://127.0.0.1:8080/x"
    assert checked_endpoint(inside, allow_private=True) == inside


async def test_a_name_that_leads_inside_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """One address inside among others outside is a trick too. Decimal and octal forms of addresses are names
    until they are looked up, and come out as what they are."""
    with pytest.raises(PrivateAddress):
        await OutsideOnly().resolve("localhost", 443)
    with pytest.raises(PrivateAddress):
        await OutsideOnly().resolve("2130706433", 443)

    def both(*_: object, **__: object) -> list[object]:
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (number, 443)) for number in ("8.8.8.8", "10.0.0.1")
        ]

    monkeypatch.setattr(socket, "getaddrinfo", both)
    with pytest.raises(PrivateAddress):
        await OutsideOnly().resolve("two.example.com", 443)

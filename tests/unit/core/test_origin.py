"""Names, origins and forwarding headers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.origin import (
    LONGEST_USER,
    Names,
    connection_of,
    forwarded,
    host_name,
    is_forwarded,
    is_loopback_number,
    is_same_origin,
    tailnet_user,
)
from controlroom.core.text import clean_line


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("localhost:8767", "localhost"),
        ("LocalHost", "localhost"),
        ("[::1]:8767", "[::1]"),
        ("[::1]", "[::1]"),
        ("127.0.0.1:1", "127.0.0.1"),
        ("localhost.", "localhost"),
        ("localhost.evil.example:80", "localhost.evil.example"),
        ("", ""),
    ],
)
def test_the_name_of_a_host_header(header: str, name: str) -> None:
    assert host_name(header) == name


NAMES = Names(["Desk.tail.example.", "*.room.example", "fd00::5", "192.168.1.5"])


@pytest.mark.parametrize(
    ("header", "local", "is_allowed"),
    [
        ("localhost:1", None, True),
        ("desk.tail.example:8767", None, True),
        ("a.room.example", None, True),
        ("room.example", None, False),
        ("a.b.room.example", None, False),
        ("[fd00::5]:8767", None, True),
        ("192.168.1.5", None, True),
        ("192.168.1.6", None, False),
        ("192.168.1.6:8767", "192.168.1.6", True),
        ("[fd00::6]", "fd00::6", True),
        ("evil.example", "192.168.1.6", False),
        ("", "192.168.1.6", False),
        ("xdesk.tail.example", None, False),
    ],
)
def test_names_that_are_ours(header: str, local: str | None, is_allowed: bool) -> None:
    assert NAMES.allow(header, local) is is_allowed


@pytest.mark.parametrize(
    ("origin", "is_same"),
    [
        ("http://localhost:8767", True),
        ("http://LOCALHOST:8767", True),
        ("https://localhost:8767", False),
        ("http://localhost", False),
        ("http://localhost:8767/", False),
        ("http://localhost:8767.evil.example", False),
        ("http://u@localhost:8767", False),
        ("http://127.0.0.1:8767", False),
        ("null", False),
        ("", False),
        ("http://[", False),
    ],
)
def test_an_origin_is_the_same_or_foreign(origin: str, is_same: bool) -> None:
    assert is_same_origin(origin, "http", "localhost:8767") is is_same


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1:8767", True),
        ("127.9.9.9", True),
        ("[::1]:1", True),
        ("localhost", False),
        ("10.0.0.1", False),
    ],
)
def test_loopback_numbers(host: str, expected: bool) -> None:
    assert is_loopback_number(host) is expected


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("100.64.0.7", "100.64.0.7"),
        ("203.0.113.9, 100.64.0.7", "100.64.0.7"),
        ("100.64.0.7:51234", "100.64.0.7"),
        ("[fd00::7]:51234", "fd00::7"),
        ("FD00:0::7", "fd00::7"),
        ("fe80::1%eth0", "fe80::1"),
        ("unknown", None),
        ("", None),
        ("100.64.0.7,", None),
        ("x" * 100_000, None),
    ],
)
def test_the_last_entry_is_the_client(said: str, address: str | None) -> None:
    assert forwarded({"X-Forwarded-For": said}).address == address


def test_https_is_what_the_proxy_calls_so() -> None:
    assert forwarded({"X-Forwarded-Proto": "https"}).is_secure
    assert not forwarded({"X-Forwarded-Proto": "https,http"}).is_secure
    assert not forwarded({}).is_secure


def test_headers_of_proxies_are_known_by_their_names() -> None:
    for name in (
        "X-Forwarded-For",
        "x-forwarded-host",
        "Forwarded",
        "Via",
        "X-Real-IP",
        "Tailscale-User-Login",
    ):
        assert is_forwarded(["Host", name]), name
    assert not is_forwarded(["Host", "X-Forward", "Authorization"])


@pytest.mark.parametrize(
    ("login", "name", "said"),
    [
        (["kim@example.com"], ["Kim Example"], ("kim@example.com", "Kim Example")),
        (["kim@example.com"], [], ("kim@example.com", "")),
        ([], ["=?utf-8?q?Zo=C3=AB_=C5=BBak?="], ("", "Zoë Żak")),
        (["a@example.com", "b@example.com"], ["A", "B"], ("", "")),
        ([" \x1b[31mred\u202e "], ["=?utf-8?q?a=1B=5B31m=0Ab?="], ("[31mred", "a [31m b")),
        (["=?no-such-charset?q?a?="], ["=?utf-8?q?=FF?="], ("=?no-such-charset?q?a?=", "=?utf-8?q?=FF?=")),
    ],
)
def test_whom_the_tailnet_names(login: list[str], name: list[str], said: tuple[str, str]) -> None:
    found = tailnet_user({"Tailscale-User-Login": login, "Tailscale-User-Name": name})
    assert (found.login, found.name) == said


def test_a_very_long_person_is_cut() -> None:
    assert len(tailnet_user({"Tailscale-User-Name": ["x" * 100_000]}).name) == LONGEST_USER


@given(st.text(max_size=80))
def test_no_person_breaks_a_line(text: str) -> None:
    for said in (text, f"=?utf-8?q?{text}?=", f"=?utf-8?b?{text}?="):
        name = tailnet_user({"Tailscale-User-Name": [said]}).name
        assert name == clean_line(name, LONGEST_USER)


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_text_breaks_it(one: str, other: str) -> None:
    NAMES.allow(one, other)
    is_same_origin(one, "http", other)
    is_loopback_number(one)
    forwarded({"X-Forwarded-For": one, "X-Forwarded-Proto": other})


@pytest.mark.parametrize(
    ("is_secure", "address", "door", "connection"),
    [
        (True, "100.64.0.9", "proxy", "secure"),
        (False, "127.0.0.1", "device", "secure"),  # it crosses no network
        (False, "::1", "device", "secure"),
        (False, "127.0.0.1", "proxy", "plain"),  # the proxy is here, its client is not
        (False, "192.168.1.7", "device", "plain"),
        (False, "fd00::7", "device", "plain"),
        (None, "192.168.1.7", "device", "unknown"),
        (False, "", "device", "plain"),
    ],
)
def test_how_a_client_is_connected(is_secure: bool | None, address: str, door: str, connection: str) -> None:
    assert connection_of(is_secure, address, door) == connection

"""Where the device door may listen."""

from __future__ import annotations

import pytest

from controlroom.core.binding import LOOPBACK, binding


@pytest.mark.parametrize(
    ("host", "flags", "addresses", "beyond"),
    [
        ("127.0.0.1", "", LOOPBACK, ""),
        ("localhost", "", LOOPBACK, ""),
        ("::1", "", LOOPBACK, ""),
        ("127.0.0.5", "", ("127.0.0.5",), ""),
        ("100.64.0.9", "", ("100.64.0.9", *LOOPBACK), "100.64.0.9"),
        ("fd7a:115c:a1e0::9", "", ("fd7a:115c:a1e0::9", *LOOPBACK), "fd7a:115c:a1e0::9"),
        ("192.168.1.5", "tls", ("192.168.1.5", *LOOPBACK), "192.168.1.5"),
        ("10.0.0.5", "plain", ("10.0.0.5", *LOOPBACK), "10.0.0.5"),
        ("172.31.255.1", "plain", ("172.31.255.1", *LOOPBACK), "172.31.255.1"),
        ("[fd00::5]", "tls", ("fd00::5", *LOOPBACK), "fd00::5"),
        ("203.0.113.5", "tls public", ("203.0.113.5", *LOOPBACK), "203.0.113.5"),
        ("203.0.113.5", "plain public", ("203.0.113.5", *LOOPBACK), "203.0.113.5"),
        ("0.0.0.0", "tls public", ("0.0.0.0", "::1"), "0.0.0.0"),
        ("::", "tls public", ("0.0.0.0", "::"), "::"),
    ],
)
def test_what_may_be_bound(host: str, flags: str, addresses: tuple[str, ...], beyond: str) -> None:
    made = binding(host, has_tls="tls" in flags, plain_http="plain" in flags, is_public="public" in flags)
    assert (made.addresses, made.beyond) == (addresses, beyond)


@pytest.mark.parametrize(
    ("host", "flags", "said"),
    [
        ("192.168.1.5", "", "--plain-http"),
        ("192.168.1.5", "public", "--plain-http"),
        ("fd00::5", "", "--cert and --key"),
        ("203.0.113.5", "tls", "--public"),
        ("203.0.113.5", "public", "--plain-http"),
        ("172.32.0.1", "tls", "an address of the Internet"),
        ("100.128.0.1", "tls", "an address of the Internet"),
        ("0.0.0.0", "tls", "every address of this machine"),
        ("::", "plain", "every address of this machine"),
        ("169.254.1.1", "tls", "--public"),
        ("desk.local", "tls", "is not an address"),
        ("", "tls", "is not an address"),
        ("192.168.1", "tls", "is not an address"),
    ],
)
def test_what_may_not_says_the_flag(host: str, flags: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        binding(host, has_tls="tls" in flags, plain_http="plain" in flags, is_public="public" in flags)


def test_plain_http_is_readable_beyond_the_machine_and_the_tailnet() -> None:
    def of(host: str) -> bool:
        return binding(host, has_tls=False, plain_http=True, is_public=True).is_readable

    assert [of(host) for host in ("localhost", "100.64.0.9", "192.168.1.5", "0.0.0.0")] == [
        False,
        False,
        True,
        True,
    ]

"""Names in a Host header."""

from __future__ import annotations

import pytest

from controlroom.hub.api.door import host_name


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

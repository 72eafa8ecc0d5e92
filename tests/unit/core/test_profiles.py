"""What profiles say, and what they never say."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.profiles import (
    MASK,
    ApiServer,
    TooMuch,
    active_name,
    api_server,
    api_url,
    avatar_of,
    clipped,
    description_of,
    front_matter,
    is_profile_name,
    masked,
    memory_order,
    model_of,
    public_config,
)


@pytest.mark.parametrize(
    ("name", "is_name"),
    [
        ("researcher", True), ("a.b", True), ("Ä", True), ("..", False), (".", False), (".hidden", False),
        ("a/b", False), ("a\\b", False), ("", False), ("a\0", False), ("a\nb", False), ("x" * 65, False),
    ],
)  # fmt: skip
def test_names_are_plain_folder_names(name: str, is_name: bool) -> None:
    assert is_profile_name(name) is is_name


@pytest.mark.parametrize(
    ("text", "name"),
    [("coder\n", "coder"), ("a-b_1", "a-b_1"), ("", None), ("../x", None), ("Coder", None), ("a b", None)],
)
def test_the_active_profile(text: str, name: str | None) -> None:
    assert active_name(text) == name


def test_a_device_sees_the_description_and_the_model_only() -> None:
    config: dict[str, object] = {
        "description": "Root agent",
        "model": {"default": "test/model-a", "api_key": "should-not-leak"},
        "tts": {"provider": "edge"},
    }
    assert public_config(config) == {"description": "Root agent", "model": {"default": "test/model-a"}}
    assert public_config({"model": "text", "description": 5}) == {}


@pytest.mark.parametrize(
    ("config", "soul", "said"),
    [
        ({"description": "Mine"}, "# Soul", "Mine"),
        ({}, "\n\n## Researcher persona\n\nReads.", "Researcher persona"),
        ({"description": " "}, "#\n\nx", "x"),
        ({"description": ["x"]}, None, ""),
    ],
)
def test_descriptions(config: dict[str, object], soul: str | None, said: str) -> None:
    assert description_of(config, soul) == said


def test_every_secret_of_a_config_is_covered() -> None:
    config: dict[str, object] = {
        "model": {"default": "m", "api_key": "k1", "max_tokens": 4096, "temperature": 0.5},
        "platforms": {"api_server": {"enabled": True, "port": 18643, "key": "k2"}},
        "servers": [{"env": {"ANYTHING": "k3"}, "headers": {"X": "k4"}, "url": "https://user:k5@host/"}],
        "bot_token": 12345678,
        "nested": {"credentials": {"a": ["k6"]}},
        "args": ["--flag", "sk-abcdefghijklmnop"],
        "note": "Authorization: Bearer k7",
        "empty_key": None,
    }
    shown = masked(config)
    text = msgspec.json.encode(shown).decode()
    assert not [
        secret for secret in ["k1", "k2", "k3", "k4", "k5", "k6", "k7", "12345678", "sk-a"] if secret in text
    ]
    assert shown["model"] == {"default": "m", "api_key": MASK, "max_tokens": 4096, "temperature": 0.5}
    assert shown["platforms"] == {"api_server": {"enabled": True, "port": 18643, "key": MASK}}
    assert shown["empty_key"] is None


def test_a_config_that_unfolds_without_end_is_not_shown() -> None:
    bomb: Any = ["x"] * 10
    for _ in range(9):
        bomb = [bomb] * 10
    with pytest.raises(TooMuch):
        masked({"a": bomb})
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(TooMuch):
        masked({"a": loop})


KEYS = st.text(max_size=8)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.dates()
VALUES = st.recursive(
    SCALARS | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_whatever_a_config_holds_it_can_be_sent(config: dict[str, object]) -> None:
    msgspec.json.encode(masked(config))
    msgspec.json.encode(public_config(config))
    api_server(config, {})
    model_of(config)


@pytest.mark.parametrize(
    ("config", "env", "result"),
    [
        ({}, {}, ApiServer(False, None, None, False)),
        (
            {"platforms": {"api_server": {"enabled": True, "host": "127.0.0.1", "port": 18643, "key": "k"}}},
            {},
            ApiServer(True, "127.0.0.1", 18643, True),
        ),
        (
            {"platforms": {"api_server": {"extra": {"key": "k"}}}},
            {},
            ApiServer(True, "127.0.0.1", 8642, True),
        ),
        ({"api_server": {"enabled": False, "key": "k"}}, {}, ApiServer(False, None, None, True)),
        ({}, {"API_SERVER_KEY": "k", "API_SERVER_PORT": "9000"}, ApiServer(True, "127.0.0.1", 9000, True)),
        ({}, {"API_SERVER_ENABLED": "off", "API_SERVER_KEY": "k"}, ApiServer(False, None, None, True)),
        ({"api_server": {"enabled": True, "port": True}}, {}, ApiServer(True, "127.0.0.1", 8642, False)),
        ({"api_server": {"enabled": True, "port": 99999}}, {}, ApiServer(True, "127.0.0.1", 8642, False)),
        ({"platforms": [], "api_server": "x"}, {}, ApiServer(False, None, None, False)),
    ],
)
def test_where_the_api_server_is(config: dict[str, object], env: dict[str, str], result: ApiServer) -> None:
    assert api_server(config, env) == result


def test_a_loopback_address_is_told_as_the_machines_name_when_it_is_known() -> None:
    here = ApiServer(True, "127.0.0.1", 8642, True)
    assert api_url(here, None) == "http://127.0.0.1:8642"
    assert api_url(here, "box.example") == "http://box.example:8642"
    assert api_url(ApiServer(True, "192.0.2.1", 1, False), "box.example") == "http://192.0.2.1:1"
    assert api_url(ApiServer(True, "::1", 1, False), None) == "http://[::1]:1"
    assert api_url(ApiServer(False, None, None, False), None) is None


def test_texts_are_cut_at_characters() -> None:
    assert clipped("ääää".encode(), 3) == ("äää", True)
    assert clipped("äää".encode(), 3) == ("äää", False)
    assert clipped(b"a\xff", 3).text == "a\ufffd"


def test_the_order_of_memories() -> None:
    assert memory_order(["b.md", "USER.md", "x.txt", "MEMORY.md", "a.md"]) == [
        "MEMORY.md", "USER.md", "a.md", "b.md",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("---\nname: a\n---\nbody", "name: a"),
        ("\ufeff---\r\nname: a\r\n---\r\n", "name: a\r"),
        ("name: a", None),
        ("---\nname: a", None),
        ("", None),
    ],
)
def test_front_matter(text: str, result: str | None) -> None:
    assert front_matter(text) == result


def test_the_avatar_is_found_whatever_its_case() -> None:
    assert avatar_of(["Icon.PNG", "x.png"]) == "Icon.PNG"
    assert avatar_of(["profile.png", "AVATAR.gif"]) == "AVATAR.gif"
    assert avatar_of(["avatar.svg", "avatar"]) is None


def test_numbers_that_json_does_not_know_become_text() -> None:
    assert masked({"a": math.inf, "b": 10**30, "c": b"x"}) == {"a": "inf", "b": str(10**30), "c": "b'x'"}

"""What real clients sent, damaged at random: no parser of the door fails with anything but its own error."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlroom.client.addresses import read_address, read_invite
from controlroom.client.errors import ClientError
from controlroom.core.media import byte_range, check_path, content_type
from controlroom.core.origin import Names, forwarded, is_same_origin, tailnet_user
from controlroom.core.pairing import normalised
from controlroom.core.profiles import front_matter, masked, public_config
from controlroom.core.relay import Accepted, Rights, Socket, Text, Try, step
from controlroom.core.secret_names import is_secret
from controlroom.core.terminal import check_name, parse_sessions, read_size
from controlroom.core.typed import NotKeys, TypedInput
from controlroom.gateway.bodies import BadRequest, json_object, pairing_policy, reduction, registration
from controlroom.gateway.hermes_host import env_values
from controlroom.gateway.profiles.yaml_text import BadYaml, mapping
from controlroom.wire.client import decode_from_client

RECORDINGS = Path(__file__).parents[2] / "fixtures" / "relay"
CHANNELS = {"terminal": "terminal", "bridge": "bridge", "tui": "tui", "chat": "chat"}


def recorded() -> list[bytes]:
    """Each different message and body of the recordings, as the client sent it."""
    found = set()
    for path in sorted(RECORDINGS.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            row = json.loads(line)
            for field in ("message", "request_json"):
                if isinstance(row.get(field), dict):
                    found.add(json.dumps(row[field]).encode()[:4000])
    return sorted(found)


SAMPLES = recorded()
SAMPLES += [
    b"hermes-relay://pair?payload=eyJoZXJtZXMiOjMsInJlbGF5Ijp7InVybCI6IndzOi8vMTkyLjAuMi4xOjg3NjciLCJjb2RlIjoiQUIxMkNEIn19",
    b"https://desk.example:8767/app/#pair=AB12CD",
    b"model: x\nplatforms:\n  api: &a {key: [1, 2]}\n  b: *a\n",
    b"---\nname: coder\n---\n# Soul\n",
    b"export API_SERVER_KEY='k'\nAPI_SERVER_PORT=8642\n",
    b"$0\x1fhermes-w1\x1f1\x1f1796057418\x1f1\n",
    b"\x1b[A\x1b[200~pasted\x1b[201~\x03\r",
    b'{"type":"keys","agent_id":"agt_1","keys":["a"],"request_id":"r"}',
    b"bytes=0-99,-5",
]
ODD = [
    b"", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud800", b"[" * 3000, b'{"a":' * 500, b"9" * 400,
    b"1e999", b"-0", b"NaN", b"null", b"\x1b]", b"\x1b[200~", b"\r\n", "\u202e".encode(), b"A" * 5000,
    b'":"', b"<<: *a",
]  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    data = draw(st.sampled_from(SAMPLES))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.sampled_from([0, 0, 1, 2, 7, 60])))
        data = data[:start] + draw(st.sampled_from(ODD) | st.binary(max_size=6)) + data[end:]
    return data


def socket(data: bytes) -> None:
    """The first frame of a socket, and one of an open socket."""
    for text in (data, data.decode(errors="surrogateescape")):
        after, effects = step(Socket(channels=CHANNELS), Text(text, 1))
        assert after.state in {"trying", "closed"}
        assert after.state == "closed" or isinstance(effects[-1], Try)
        opened = Socket(channels=CHANNELS, state="trying")
        opened, _ = step(opened, Accepted(Rights(None, {"terminal": None}), {}))
        after, _ = step(opened, Text(text, 1))
        assert after == opened


def bodies(data: bytes) -> None:
    for read in (registration, reduction, pairing_policy):
        with contextlib.suppress(BadRequest):
            read(json_object(data))


def live(data: bytes) -> None:
    with contextlib.suppress(msgspec.ValidationError, msgspec.DecodeError):
        decode_from_client(data.decode(errors="replace"))


def addresses(data: bytes) -> None:
    text = data.decode(errors="replace")
    for read in (read_address, read_invite):
        with contextlib.suppress(ClientError):
            read(text)


def headers(data: bytes) -> None:
    text = data.decode(errors="surrogateescape")
    forwarded({"X-Forwarded-For": text, "X-Forwarded-Proto": text})
    tailnet_user({"Tailscale-User-Login": [text], "Tailscale-User-Name": [text]}).name.encode()
    Names([text]).allow(text, text)
    is_same_origin(text, "https", text)
    byte_range(text, 100)
    content_type(text)


def files(data: bytes) -> None:
    text = data.decode(errors="surrogateescape")
    check_path(text)
    is_secret(text)


def terminal(data: bytes) -> None:
    text = data.decode(errors="replace")
    parse_sessions(text, text)
    for read in (check_name, lambda said: read_size(said, data)):
        with contextlib.suppress(ValueError):
            read(text)
    with contextlib.suppress(NotKeys):
        TypedInput().feed(text)


def profiles(data: bytes) -> None:
    text = data.decode(errors="replace")
    env_values(text)
    front_matter(text)
    with contextlib.suppress(BadYaml):
        config = mapping(text)
        json.dumps([masked(config), public_config(config)], default=str)


def codes(data: bytes) -> None:
    code = normalised(data.decode(errors="replace"))
    assert code is None or len(code) == 6


@pytest.mark.parametrize(
    "parse",
    [socket, bodies, live, addresses, headers, files, terminal, profiles, codes],
    ids=lambda p: p.__name__,
)
@given(data=damaged())
@settings(max_examples=150, deadline=None)
def test_no_parser_is_surprised(parse: Callable[[bytes], None], data: bytes) -> None:
    parse(data)

"""The machine of one relay socket, as playbooks (relay contract sections 4 and 5)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from controlroom.core.relay import (
    BAD_FORMAT,
    NOT_AUTH,
    REFUSED,
    TIMED_OUT,
    Accepted,
    AuthTimeout,
    Changed,
    Close,
    CountFailure,
    Credential,
    Deliver,
    Effect,
    Ended,
    Event,
    Hello,
    IllegalTransition,
    Refused,
    Rights,
    Send,
    ShuttingDown,
    Socket,
    Text,
    Try,
    Unavailable,
    read_auth,
    step,
)

NOW = 1_796_000_000_000
CHANNELS = {"terminal": "terminal", "bridge": "bridge", "tui": "tui", "notes": None}
ALL = Rights(None, {"terminal": None, "bridge": NOW + 1000, "tui": NOW - 1})
OK = Send("system", "auth.ok", {"session_token": "t"})


class Play:
    """A socket and what its last event caused."""

    def __init__(self) -> None:
        self.socket = Socket(channels=CHANNELS)
        self.effects: tuple[Effect, ...] = ()

    def __rshift__(self, event: Event) -> Play:
        self.socket, self.effects = step(self.socket, event)
        return self

    def __lshift__(self, expected: tuple[Effect, ...] | Effect) -> Play:
        assert self.effects == (expected if isinstance(expected, tuple) else (expected,))
        return self


def says(channel: Any, type_: Any, payload: Any = None, id_: Any = "i-1", now_ms: int = NOW) -> Text:
    return Text(json.dumps({"channel": channel, "type": type_, "id": id_, "payload": payload or {}}), now_ms)


def auth(**payload: object) -> Text:
    return says("system", "auth", payload)


def failed(reason: str) -> tuple[Effect, ...]:
    return (Send("system", "auth.fail", {"reason": reason}), Close(1000))


def opened(rights: Rights = ALL) -> Play:
    play = Play() >> auth(session_token="t")
    return play >> Accepted(rights, OK.payload) << OK


def test_a_session_token_opens_the_socket() -> None:
    play = Play() >> auth(session_token=" t ") << Try(Credential("session_token", "t"), Hello())
    play >> Accepted(ALL, OK.payload) << OK
    assert play.socket.state == "open"


def test_credentials_are_tried_in_order_and_each_refusal_is_counted() -> None:
    hello = Hello(sent_refresh_token=True)
    play = Play() >> auth(pairing_code=" ab12cd ", session_token="s", refresh_token="r")
    play << Try(Credential("session_token", "s"), hello)
    play >> Refused() << (CountFailure("session"), Try(Credential("refresh_token", "r"), hello))
    play >> Refused() << (CountFailure("session"), Try(Credential("pairing_code", "AB12CD"), hello))
    play >> Refused() << (CountFailure("pairing"), *failed(REFUSED))


def test_a_later_credential_is_not_used_up_when_an_earlier_one_works() -> None:
    play = Play() >> auth(session_token="s", pairing_code="AB12CD") >> Accepted(ALL, OK.payload)
    assert play.socket.untried == ()
    play << OK


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"session_token": ""},
        {"pairing_code": 123456},
        {"pairing_code": ["A"], "session_token": None, "refresh_token": {}},
        {"session_token": "x" * 513},
        {"pairing_code": " \n "},
    ],
    ids=["nothing", "empty", "number", "wrong types", "too long", "blank"],
)
def test_no_credential_counts_once_and_fails(payload: dict[str, object]) -> None:
    Play() >> auth(**payload) << (CountFailure("session"), *failed(REFUSED))


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        ("hello", BAD_FORMAT),
        ("", BAD_FORMAT),
        ("[1,2]", BAD_FORMAT),
        ('"text"', BAD_FORMAT),
        ("[" * 20_000, BAD_FORMAT),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, BAD_FORMAT),
        ('{"channel":"system","type":"auth","payload":{"x":"\\ud800"', BAD_FORMAT),
        ('{"channel":"system","type":"auth","x":"' + "y" * 70_000 + '"}', BAD_FORMAT),
        ("{}", NOT_AUTH),
        ('{"channel":["system"],"type":{"auth":1}}', NOT_AUTH),
        ('{"channel":"terminal","type":"terminal.attach","payload":{}}', NOT_AUTH),
        ('{"channel":"system","type":"ping"}', NOT_AUTH),
    ],
)
def test_a_bad_first_frame_gets_its_reason_and_is_not_counted(frame: str, reason: str) -> None:
    Play() >> Text(frame, NOW) << failed(reason)


@pytest.mark.parametrize("payload", ["[1]", "null", '"x"', "7"])
def test_a_payload_that_is_no_object_is_an_empty_one(payload: str) -> None:
    frame = f'{{"channel":"system","type":"auth","payload":{payload}}}'
    Play() >> Text(frame, NOW) << (CountFailure("session"), *failed(REFUSED))


def test_silence_ends_a_socket_that_waits_and_no_other() -> None:
    Play() >> AuthTimeout() << failed(TIMED_OUT)
    assert (opened() >> AuthTimeout() << ()).socket.state == "open"


def test_the_introduction_is_limited_and_on_one_line() -> None:
    hello, _ = read_auth(
        {"device_hostname": "box\n\x1b[31m", "device_id": "d" * 9999, "device_model": 7, "client_surface": ""}
    )
    assert hello.name == "box  [31m"
    assert len(hello.device_id) == 256
    assert (hello.model, hello.surface) == ("", "")


def test_ping_gets_its_own_time_back() -> None:
    opened() >> says("system", "ping", {"ts": 12.5}) << Send("system", "pong", {"ts": 12.5}, "i-1")


@pytest.mark.parametrize("payload", [{}, {"ts": None}, {"ts": "x" * 300}, {"ts": [1]}])
def test_ping_without_a_time_gets_ours(payload: dict[str, object]) -> None:
    opened() >> says("system", "ping", payload) << Send("system", "pong", {"ts": NOW / 1000}, "i-1")


@pytest.mark.parametrize("kind", ["pong", "auth", "whatever", ""])
def test_other_system_messages_are_ignored(kind: str) -> None:
    opened() >> says("system", kind) << ()


@pytest.mark.parametrize("frame", ["not json at all", "[1]", "7", "[" * 9_999, '{"a"'])
def test_what_is_no_envelope_is_ignored(frame: str) -> None:
    opened() >> Text(frame, NOW) << ()


def test_unknown_channels_are_named() -> None:
    opened() >> says("nope", "x") << Send("system", "error", {"message": "Unknown channel: nope"}, "i-1")
    opened() >> says(7, "x", id_=7) << Send("system", "error", {"message": "Unknown channel: "}, None)


def test_a_message_with_its_right_reaches_the_channel() -> None:
    play = opened() >> says("terminal", "terminal.input", {"data": "ls"})
    play << Deliver("terminal", "terminal.input", "i-1", {"data": "ls"})
    opened() >> says("notes", 3, id_=None) << Deliver("notes", "", "", {})


def test_rights_are_checked_at_each_message() -> None:
    gone = Send("system", "error", {"message": "Bridge grant expired for this device"}, "i-1")
    play = opened() >> says("bridge", "bridge.status", now_ms=NOW + 1000)
    play << Deliver("bridge", "bridge.status", "i-1", {})
    play >> says("bridge", "bridge.status", now_ms=NOW + 1001) << gone
    (
        play
        >> says("tui", "x")
        << Send("system", "error", {"message": "Tui grant expired for this device"}, "i-1")
    )


def test_a_reduced_right_counts_at_once() -> None:
    play = opened() >> Changed(Rights(None, {})) << ()
    (
        play
        >> says("terminal", "terminal.input")
        << Send("system", "error", {"message": "Terminal grant expired for this device"}, "i-1")
    )


def test_an_expired_session_has_no_rights() -> None:
    play = opened(Rights(NOW, {"terminal": None}))
    play >> says("terminal", "a") << Deliver("terminal", "a", "i-1", {})
    (
        play
        >> says("terminal", "a", now_ms=NOW + 1)
        << Send("system", "error", {"message": "Terminal grant expired for this device"}, "i-1")
    )


def test_an_end_by_time_says_so() -> None:
    opened() >> Ended(is_expired=True) << Close(1008, "session expired")


def test_revoking_closes_at_once_and_nothing_follows() -> None:
    play = opened() >> Ended() << Close(1008, "session revoked")
    for late in (says("terminal", "terminal.input"), AuthTimeout(), Ended(), ShuttingDown()):
        play >> late << ()


def test_shutdown_says_good_bye() -> None:
    opened() >> ShuttingDown() << Close(1001, "server shutting down")
    Play() >> ShuttingDown() << Close(1001, "server shutting down")


def test_a_broken_device_book_costs_no_client_its_token() -> None:
    play = Play() >> auth(session_token="s") >> Unavailable()
    play << Close(1013, "try again later")


@pytest.mark.parametrize("event", [Accepted(ALL, {}), Refused(), Unavailable()])
def test_nobody_is_accepted_without_having_been_tried(event: Event) -> None:
    for play in (Play(), opened()):
        before = play.socket
        with pytest.raises(IllegalTransition):
            play >> event
        assert play.socket is before

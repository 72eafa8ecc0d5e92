"""Whatever a client sends in whatever order, the machine of a relay socket keeps its promises."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from controlroom.core.relay import (
    Accepted,
    AuthTimeout,
    Changed,
    Close,
    CountFailure,
    Deliver,
    Ended,
    Event,
    Refused,
    Rights,
    Send,
    ShuttingDown,
    Socket,
    Text,
    Try,
    step,
)

CHANNELS = {"terminal": "terminal", "free": None}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
words = st.sampled_from(["system", "auth", "ping", "terminal", "free", "nope", ""]) | json_values
payloads = json_values | st.fixed_dictionaries(
    {},
    optional={
        "session_token": json_values,
        "refresh_token": json_values,
        "pairing_code": json_values,
        "device_name": json_values,
        "ts": json_values,
    },
)
envelopes = st.fixed_dictionaries(
    {}, optional={"channel": words, "type": words, "id": json_values, "payload": payloads}
).map(json.dumps)
auths = payloads.map(lambda payload: json.dumps({"channel": "system", "type": "auth", "payload": payload}))
frames = envelopes | auths | json_values.map(json.dumps) | st.text(max_size=50) | st.binary(max_size=50)
times = st.integers(0, 100)
rights = st.builds(
    Rights,
    st.none() | times,
    st.dictionaries(st.sampled_from(["terminal", "chat"]), st.none() | times),
)


class RelaySocket(RuleBasedStateMachine):
    """A model that only knows: how many credentials there were, and what is allowed in each state."""

    def __init__(self) -> None:
        super().__init__()
        self.socket = Socket(channels=CHANNELS)
        self.sent_ok = 0
        self.closed = 0
        self.current: Rights | None = None

    def feed(self, event: Event) -> None:
        before = self.socket
        self.socket, effects = step(self.socket, event)
        if before.state == "closed":
            assert effects == ()
        for place, effect in enumerate(effects):
            match effect:
                case Close():
                    self.closed += 1
                    assert place == len(effects) - 1, "nothing follows a close"
                case Send(type="auth.ok"):
                    assert isinstance(event, Accepted)
                    self.sent_ok += 1
                case Send(type="auth.fail"):
                    assert self.sent_ok == 0
                case Send(channel=channel):
                    assert channel == "system"
                    assert before.state == "open"
                    json.dumps(effect.payload, allow_nan=False).encode()
                case Deliver(channel=channel):
                    assert before.state == "open" and isinstance(event, Text) and self.current is not None
                    assert self.current.may(CHANNELS[channel], event.now_ms)
                case Try():
                    assert before.state in {"waiting", "trying"}
                case CountFailure():
                    assert before.state in {"waiting", "trying"}

    @precondition(lambda self: self.socket.state != "trying")
    @rule(data=frames, now_ms=times)
    def frame(self, data: str | bytes, now_ms: int) -> None:
        self.feed(Text(data, now_ms))

    @precondition(lambda self: self.socket.state == "trying")
    @rule(given_rights=rights)
    def accepted(self, given_rights: Rights) -> None:
        self.current = given_rights
        self.feed(Accepted(given_rights, {"session_token": "t"}))

    @precondition(lambda self: self.socket.state == "trying")
    @rule()
    def refused(self) -> None:
        left = len(self.socket.untried)
        self.feed(Refused())
        assert self.socket.state == "closed" or len(self.socket.untried) == left - 1

    @rule(given_rights=rights)
    def changed(self, given_rights: Rights) -> None:
        if self.socket.state == "open":
            self.current = given_rights
        self.feed(Changed(given_rights))

    @rule(event=st.sampled_from([AuthTimeout(), Ended(), Ended(is_expired=True), ShuttingDown()]))
    def outside(self, event: Event) -> None:
        self.feed(event)

    @invariant()
    def promises(self) -> None:
        assert self.closed == (self.socket.state == "closed")
        assert self.sent_ok <= 1
        assert (self.socket.trying is not None) == (self.socket.state == "trying")


TestRelaySocket = RelaySocket.TestCase
TestRelaySocket.settings = settings(max_examples=150, stateful_step_count=12, deadline=None)


@given(frames, times)
@settings(max_examples=400)
def test_no_frame_breaks_an_open_socket(data: str | bytes, now_ms: int) -> None:
    socket = Socket(channels=CHANNELS, state="open", rights=Rights(None, {"terminal": None}))
    after, effects = step(socket, Text(data, now_ms))
    assert after == socket
    assert len(effects) <= 1

"""The lock of a browser: what it asks for, how long an unlock lasts, and what a challenge is good for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core import unlock
from controlroom.core.access import RIGHTS, Right
from controlroom.core.unlock import CHALLENGE_MS, Challenge, Lock, Site, State

NOW = 1_796_000_000_000
SITE = Site("http://localhost:8767", "localhost")
APP, TERMINAL = Lock(app=True), Lock(terminal=True)


@pytest.mark.parametrize(
    ("lock", "passkeys", "right", "is_open", "is_due"),
    [
        (Lock(), 1, "chat", False, False),
        (Lock(), 1, "terminal", False, False),
        (APP, 1, "chat", False, True),
        (APP, 1, "paired", False, True),
        (APP, 1, "terminal", False, True),
        (APP, 1, "chat", True, False),
        (APP, 0, "chat", False, False),  # nothing could open it again
        (TERMINAL, 1, "chat", False, False),
        (TERMINAL, 1, "terminal", False, True),
        (TERMINAL, 1, "terminal", True, False),
        (TERMINAL, 0, "terminal", False, False),
        (Lock(app=True, terminal=True), 2, "answers", False, True),
    ],
)
def test_what_waits_for_the_passkey(
    lock: Lock, passkeys: int, right: Right, is_open: bool, is_due: bool
) -> None:
    assert unlock.is_due(lock, passkeys, right, is_open) is is_due


@pytest.mark.parametrize(
    ("since_ms", "is_open"),
    [
        (0, True),
        (299_999, True),
        (300_000, False),
        (10**9, False),
        (-60_000, True),  # the clock was set back a little
        (-60_001, False),  # far: the idle time would be longer than it was told
    ],
)
def test_an_unlock_lasts_as_long_as_was_told(since_ms: int, is_open: bool) -> None:
    state = unlock.unlocked(State(), NOW)
    assert unlock.is_open(state, APP, NOW + since_ms) is is_open
    assert (unlock.open_until_ms(state, APP, NOW + since_ms) == NOW + 300_000) is is_open


def test_an_act_moves_the_end_and_never_opens() -> None:
    state = unlock.acted(unlock.unlocked(State(), NOW), APP, NOW + 200_000)
    assert unlock.open_until_ms(state, APP, NOW + 400_000) == NOW + 500_000
    late = unlock.acted(state, APP, NOW + 500_000)
    assert late.idle_from_ms is None
    assert unlock.acted(late, APP, NOW + 500_001).idle_from_ms is None
    assert unlock.acted(State(), APP, NOW).idle_from_ms is None


def test_a_shorter_idle_time_counts_at_once() -> None:
    state = unlock.unlocked(State(), NOW)
    assert not unlock.is_open(state, Lock(app=True, idle_s=15), NOW + 15_000)


@pytest.mark.parametrize(
    ("old", "new", "is_less"),
    [
        (Lock(), APP, False),
        (APP, Lock(), True),
        (APP, Lock(app=True, terminal=True), False),
        (Lock(app=True, terminal=True), APP, True),
        (APP, Lock(app=True, idle_s=301), True),
        (APP, Lock(app=True, idle_s=60), False),
        (Lock(), Lock(idle_s=3600), False),  # nothing is locked
        (APP, TERMINAL, True),
        (APP, APP, False),
    ],
)
def test_what_asks_for_less(old: Lock, new: Lock, is_less: bool) -> None:
    assert unlock.loosens(old, new) is is_less


@pytest.mark.parametrize(
    ("scheme", "host", "site"),
    [
        ("http", "localhost:8767", Site("http://localhost:8767", "localhost")),
        ("http", "LOCALHOST", Site("http://localhost", "localhost")),
        ("https", "studio.tail1234.ts.net", Site("https://studio.tail1234.ts.net", "studio.tail1234.ts.net")),
        ("https", "studio.example:443", Site("https://studio.example", "studio.example")),
        ("https", "studio.example:8443", Site("https://studio.example:8443", "studio.example")),
        ("http", "studio.example", None),
        ("http", "127.0.0.1:8767", None),
        ("https", "192.168.1.7", None),
        ("https", "[::1]:8767", None),
        ("https", "", None),
        ("https", "a:b:c", None),
        ("https", "studio.example:99999", None),
        ("ftp", "studio.example", None),
    ],
)
def test_where_passkeys_are_possible(scheme: str, host: str, site: Site | None) -> None:
    assert unlock.site_of(scheme, host) == site


# ---- challenges ------------------------------------------------------------------------------------------


def challenge(value: str, purpose: unlock.Purpose = "unlock", at_ms: int = NOW) -> Challenge:
    return Challenge(value, purpose, SITE, at_ms)


def test_a_challenge_is_good_once() -> None:
    state = unlock.asked(State(), challenge("a"))
    state, found = unlock.taken(state, "a", "unlock", NOW + 1)
    assert found == challenge("a")
    assert unlock.taken(state, "a", "unlock", NOW + 2) == (state, None)


@pytest.mark.parametrize("late_ms", [CHALLENGE_MS, CHALLENGE_MS * 9, -60_001])
def test_a_challenge_ends(late_ms: int) -> None:
    state = unlock.asked(State(), challenge("a"))
    state, found = unlock.taken(state, "a", "unlock", NOW + late_ms)
    assert found is None and not state.challenges


def test_a_challenge_of_another_purpose_stays() -> None:
    state = unlock.asked(State(), challenge("a", "renew"))
    assert unlock.taken(state, "a", "unlock", NOW) == (state, None)
    assert unlock.taken(state, "a", "renew", NOW)[1] is not None


def test_half_a_login_pushes_out_no_challenge_of_a_whole_one() -> None:
    state = unlock.asked(State(), challenge("ours"))
    for number in range(50):
        state = unlock.asked(state, challenge(f"r{number}", "renew"))
    assert unlock.taken(state, "ours", "unlock", NOW)[1] is not None
    assert len(state.challenges) == 1 + unlock.MOST_CHALLENGES


steps = st.lists(
    st.tuples(st.sampled_from(["unlock", "shut", "act", "ask", "wait", "back"]), st.integers(0, 400_000)),
    max_size=30,
)


@given(steps, st.integers(unlock.SHORTEST_IDLE_S, 600))
def test_nothing_but_an_unlock_opens(played: list[tuple[str, int]], idle_s: int) -> None:
    """Whatever happens: open means an unlock, and never a whole idle time without an act since."""
    lock, state, now = Lock(app=True, idle_s=idle_s), State(), NOW
    last: int | None = None
    for what, ms in played:
        was_open = unlock.is_open(state, lock, now)
        match what:
            case "unlock":
                state, last = unlock.unlocked(state, now), now
            case "shut":
                state, last = unlock.shut(state), None
            case "act":
                state = unlock.acted(state, lock, now)
                last = now if was_open else None
            case "ask":
                state = unlock.asked(state, challenge(str(ms), at_ms=now))
            case "wait":
                now += ms
            case "back":
                now -= ms
        if what in ("act", "ask", "shut"):
            assert not unlock.is_open(state, lock, now) or was_open
        if unlock.is_open(state, lock, now):
            assert last is not None and now - last < idle_s * 1000
        assert len(state.challenges) <= unlock.MOST_CHALLENGES


def test_a_locked_device_may_unlock_leave_and_say_that_it_lives() -> None:
    assert {subject for subject, rule in RIGHTS.items() if rule.locked} == {
        "POST /api/v1/unlock/options",
        "POST /api/v1/unlock",
        "POST /api/v1/lock",
        "DELETE /api/v1/devices/{device}",
        "live pong",
    }

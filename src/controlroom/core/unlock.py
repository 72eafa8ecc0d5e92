"""The lock of a browser: what a passkey opens, until when, and the challenges of its ceremonies.

Theory: a device is *open* from an unlock on, and stays so while the person does something at least every
``idle_s`` seconds; then, or when it is told to, it is *shut* until the next unlock. Nothing but an unlock
opens it, an act never does. What is shut depends on its settings: everything (``app``), or what needs the
right ``terminal``. A device without a passkey cannot be shut: nothing could open it again.

A challenge is good for one try, within a few minutes, for the device and the purpose it was made for, at the
origin it was made for. Renewing a lost key has challenges of its own, so that whoever holds half of a login
cannot push out those of the whole one.

A clock that was set back by more than a minute shuts: an idle time must not become longer than it was told.
Source: house.md section 3; Web Authentication Level 3, section 7. Times are Unix milliseconds.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple
from urllib.parse import urlsplit

from controlroom.core.access import Right
from controlroom.core.origin import PORTS, host_name, is_number

IDLE_S: Final = 300
SHORTEST_IDLE_S, LONGEST_IDLE_S = 15, 24 * 3600
CHALLENGE_MS: Final = 300_000
CLOCK_SLACK_MS: Final = 60_000
MOST_CHALLENGES: Final = 4  # of one device and purpose: its windows
MOST_PASSKEYS: Final = 10  # of one device

Purpose = Literal["register", "unlock", "renew"]


class Lock(NamedTuple):
    """What a device wants to be asked for. ``idle_s``: how long nothing may happen before it shuts."""

    app: bool = False
    idle_s: int = IDLE_S
    terminal: bool = False


class Site(NamedTuple):
    """Where a page lies: its origin, and the name that its passkeys belong to."""

    origin: str
    name: str


class Challenge(NamedTuple):
    """``value`` is random, as URL-safe text."""

    value: str
    purpose: Purpose
    site: Site
    made_ms: int


class State(NamedTuple):
    """``idle_from_ms``: the last thing that the person did, None = shut."""

    idle_from_ms: int | None = None
    challenges: tuple[Challenge, ...] = ()


def site_of(scheme: str, host: str) -> Site | None:
    """The site of a request to ``host``; None where browsers allow no passkeys: numbers, and plain HTTP
    anywhere but on this machine."""
    name = host_name(host)
    if scheme not in PORTS or not name or is_number(name):
        return None
    if scheme != "https" and name != "localhost" and not name.endswith(".localhost"):
        return None
    try:
        port = urlsplit(f"{scheme}://{host}").port
    except ValueError:
        return None
    shown = name if port in (None, PORTS[scheme]) else f"{name}:{port}"
    return Site(f"{scheme}://{shown}", name)


def is_open(state: State, lock: Lock, now_ms: int) -> bool:
    """Whether an unlock is present."""
    since = state.idle_from_ms
    if since is None:
        return False
    return since - CLOCK_SLACK_MS <= now_ms < since + lock.idle_s * 1000


def open_until_ms(state: State, lock: Lock, now_ms: int) -> int | None:
    """When it shuts if nothing happens; None when it is shut."""
    if state.idle_from_ms is None or not is_open(state, lock, now_ms):
        return None
    return state.idle_from_ms + lock.idle_s * 1000


def is_due(lock: Lock, passkeys: int, right: Right, is_open: bool) -> bool:
    """Whether something that needs ``right`` has to wait for an unlock."""
    if is_open or not passkeys:
        return False
    return lock.app or (lock.terminal and right == "terminal")


def unlocked(state: State, now_ms: int) -> State:
    """The passkey was shown."""
    return state._replace(idle_from_ms=now_ms)


def shut(state: State) -> State:
    return state._replace(idle_from_ms=None)


def acted(state: State, lock: Lock, now_ms: int) -> State:
    """The person did something: the idle time begins anew, if it has not ended."""
    if not is_open(state, lock, now_ms):
        return shut(state)
    return state._replace(idle_from_ms=now_ms)


def loosens(old: Lock, new: Lock) -> bool:
    """Whether ``new`` asks for less: that needs a present unlock."""
    is_longer = new.idle_s > old.idle_s and (old.app or old.terminal)
    return (old.app and not new.app) or (old.terminal and not new.terminal) or is_longer


# ---- challenges ------------------------------------------------------------------------------------------


def asked(state: State, challenge: Challenge) -> State:
    """A ceremony begins. The oldest of too many challenges of one purpose ends."""
    living = [one for one in state.challenges if _is_good(one, challenge.made_ms)]
    same = [one for one in living if one.purpose == challenge.purpose]
    others = [one for one in living if one.purpose != challenge.purpose]
    return state._replace(challenges=(*others, *same[1 - MOST_CHALLENGES :], challenge))


def taken(state: State, value: str, purpose: Purpose, now_ms: int) -> tuple[State, Challenge | None]:
    """A ceremony ends with this challenge, which is used up whatever comes of it; None: it cannot be used."""
    found = next((one for one in state.challenges if one.value == value and one.purpose == purpose), None)
    if found is None:
        return state, None
    rest = tuple(one for one in state.challenges if one is not found)
    return state._replace(challenges=rest), found if _is_good(found, now_ms) else None


def _is_good(challenge: Challenge, now_ms: int) -> bool:
    return challenge.made_ms - CLOCK_SLACK_MS <= now_ms < challenge.made_ms + CHALLENGE_MS

"""The usage of one machine: finds its profiles, reads every source in its turn, and says what is known.

Every half minute what lies in files is looked at (transcripts that grew, status lines, identities); the usage
endpoint is asked for each account every ``usage.every_s`` with jitter, two seconds apart, and backs off by
itself (``core.attempts``). What is known survives a restart in the journal.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, tzinfo
from pathlib import Path

import msgspec
import structlog

from controlroom.core.attempts import Attempt, after, is_due
from controlroom.core.prices import report
from controlroom.core.tokens import Sum
from controlroom.core.usage import FRESH_MS, LoginState, Paid, Reading, freshest, login_state
from controlroom.kit.clock import Clock, wait_at_most
from controlroom.kit.health import HealthBoard
from controlroom.kit.settings import Settings
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.zone import zone_here, zone_of
from controlroom.node.journal.usage import SumsBy, UsageJournal
from controlroom.node.profiles import Profile, find_profiles, named_folders
from controlroom.node.usage import status_lines
from controlroom.node.usage.asking import Asked, ask
from controlroom.node.usage.identity import Identity, claude_identity, codex_identity
from controlroom.node.usage.login import LoginTimes, LoginUnreadable, login_stamp, read_times
from controlroom.node.usage.scan import Scanner
from controlroom.wire.usage import (
    AccountState,
    ProfileState,
    UsageAnswer,
    UsageBy,
    UsageRow,
    UsageState,
)

_log = structlog.get_logger("usage")

LOOK_S = 30.0
APART_S = 2.0  # between two questions to the endpoint
LIVED = 32  # folders of agents that are remembered, beside those that are found at other places
SAY_S = 2.0  # how often the progress of a long reading is told
SKEW_MS = 120_000  # a clock that is wrong by more misjudges resets
MOST_IDENTITY_BYTES = 64 * 1024 * 1024  # .claude.json of years of projects has megabytes

_COLUMNS: Mapping[UsageBy, SumsBy] = {
    "agent": "session_id",
    "day": "day",
    "model": "model",
    "profile": "profile_id",
}

Living = Callable[[], Iterable[tuple[str, str]]]
Sessions = Callable[[], Mapping[str, str]]


class _Known(msgspec.Struct):
    """What the journal keeps between starts."""

    readings: tuple[Reading, ...] = ()
    paid: dict[str, Paid] = {}
    owners: dict[str, tuple[str, int]] = {}  # profile id → account id, since when
    lived: tuple[tuple[str, str], ...] = ()  # kind and folder of agents, newest first: they may come back


class _Found(msgspec.Struct, frozen=True):
    """One profile of this round, with whose it is."""

    profile: Profile
    identity: Identity | None
    login: LoginState
    ends_ms: int | None
    stamp: str
    problem: str


class UsagePart:
    """Everything about usage on this machine. ``state`` is what the snapshot shows."""

    def __init__(
        self,
        *,
        machine_id: str,
        settings: Settings,
        journal: UsageJournal,
        spool: Path,
        living: Living,
        sessions: Sessions,
        changed: Callable[[UsageState], Awaitable[None]],
        home: Path | None,
        environ: Mapping[str, str],
        clock: Clock,
        health: HealthBoard,
    ) -> None:
        """``living``: kind and folder of the agents that run; ``sessions``: the agent of each session;
        ``home`` None: the home folder is not looked through."""
        self._machine_id = machine_id
        self._settings = settings
        self._journal = journal
        self._spool = spool
        self._living = living
        self._sessions = sessions
        self._changed = changed
        self._home = home
        self._environ = environ
        self._clock = clock
        self._health = health
        self._named = named_folders(settings.profiles.folders)
        self._scanner = Scanner(journal, _zone)
        self._known = _Known()
        self._attempts: dict[str, Attempt] = {}
        self._problems: dict[str, str] = {}  # by account id, from the endpoint
        self._found: list[_Found] = []
        self._identities: dict[str, Identity] = {}  # by profile id, as they were read last
        self._logins: dict[str, tuple[str, LoginTimes | None]] = {}  # by profile id, with the file's stamp
        self._saved = b""
        self._said_s = float("-inf")
        self._wished = asyncio.Event()
        self._random = secrets.SystemRandom()
        self.state = UsageState()
        self._is_told = False  # also a machine without any profile has to say so once

    async def run(self) -> None:
        """Read for ever."""
        await self.load()
        while True:
            try:
                await self.look()
            except DatabaseTrouble as error:  # the database shows it in Health
                _log.warning("usage cannot be kept", error=str(error))
            await wait_at_most(self._wished, LOOK_S * self._random.uniform(0.9, 1.1))

    def read_again(self) -> None:
        """Look at every source soon: a person wants to know."""
        self._wished.set()

    async def load(self) -> None:
        """Remember what the journal holds. Raises DatabaseTrouble."""
        kept = await self._journal.kept("known")
        if kept is not None:
            try:
                self._known = msgspec.json.decode(kept, type=_Known)
            except msgspec.MsgspecError:  # another version's
                self._known = _Known()
        await self._scanner.load()

    async def look(self) -> None:
        """One round over all sources. Raises DatabaseTrouble."""
        is_wished = self._wished.is_set()
        self._wished.clear()
        self._found = await asyncio.to_thread(self._find)
        self._note_owners()
        await self._say()
        await self._read_files()
        await self._ask_all(is_wished=is_wished)
        await self._save()
        await self._say()

    async def _save(self) -> None:
        known = msgspec.json.encode(self._known)
        if known != self._saved:
            await self._journal.keep("known", known)
            self._saved = known

    async def report(self, by: UsageBy) -> UsageAnswer:
        """What agents used, by what is asked for. Raises DatabaseTrouble."""
        parts = await self._journal.sums(_COLUMNS[by])
        if by == "agent":
            agents = self._sessions()
            parts = [(agents.get(session, ""), model, part) for session, model, part in parts]
        made = report(parts)
        rows = tuple(_row(line.key, line.sum, line.cost_usd, line.is_partly_priced) for line in made.lines)
        return UsageAnswer(rows=rows, unpriced=made.unpriced, reading=self._scanner.progress)

    # ---- profiles and whose they are -------------------------------------------------------------------

    def _find(self) -> list[_Found]:
        lived = dict.fromkeys((*self._living(), *self._known.lived))
        self._known.lived = tuple(lived)[:LIVED]
        profiles = find_profiles(
            self._machine_id,
            named=self._named,
            living=self._known.lived,
            home=self._home,
            environ=self._environ,
        )
        return [self._look_at(profile) for profile in profiles]

    def _look_at(self, profile: Profile) -> _Found:
        identity, problem = _identity(profile)
        if problem:  # a file that is just being written, perhaps: whose it was last
            identity = self._identities.get(profile.id)
        elif identity is not None:
            self._identities[profile.id] = identity
        if profile.kind == "codex":
            # Its file does not say when the login ends.
            return _Found(profile, identity, "ok" if identity is not None else "out", None, "", problem)
        stamp = login_stamp(Path(profile.real))
        try:
            times = self._times_of(profile, stamp)
        except LoginUnreadable as error:
            problem = problem or f"Its login cannot be read: {error}."
            # A file that is just being written, perhaps: it stands as it did, and is not asked with.
            stamp, times = "", self._logins.get(profile.id, ("", None))[1]
        now_ms = self._clock.now_ms()
        ends_ms = None if times is None else times.ends_ms
        state = login_state(
            is_there=times is not None,
            is_idle=times is not None and times.is_idle(now_ms),
            ends_ms=ends_ms,
            now_ms=now_ms,
        )
        return _Found(profile, identity, state, ends_ms, stamp, problem)

    def _times_of(self, profile: Profile, stamp: str) -> LoginTimes | None:
        """When a login ends. Its file is opened only when it has changed. Raises LoginUnreadable."""
        known = self._logins.get(profile.id)
        if known is None or known[0] != stamp:
            known = self._logins[profile.id] = (stamp, read_times(Path(profile.real)))
        return known[1]

    def _note_owners(self) -> None:
        """Since when each profile belongs to its account: what was written before is another one's."""
        for found in self._found:
            if found.identity is None:
                continue
            known = self._known.owners.get(found.profile.id)
            if known is None:
                self._known.owners[found.profile.id] = (found.identity.id, 0)
            elif known[0] != found.identity.id:
                self._known.owners[found.profile.id] = (found.identity.id, self._clock.now_ms())

    # ---- files -----------------------------------------------------------------------------------------

    async def _read_files(self) -> None:
        owners = {
            found.profile.id: (found.identity, self._known.owners[found.profile.id][1])
            for found in self._found
            if found.identity is not None
        }
        profiles = [found.profile for found in self._found]
        seen = await self._scanner.round(profiles, owners, self._say_sometimes)
        for account_id, (_, is_in_use) in seen.paid.items():
            known = self._known.paid.get(account_id, Paid())
            self._known.paid[account_id] = msgspec.structs.replace(known, is_in_use=is_in_use)
        folders = {
            found.profile.real: self._known.owners[found.profile.id]
            for found in self._found
            if found.identity is not None and found.profile.kind == "claude"
        }
        now_ms = self._clock.now_ms()
        lines = await asyncio.to_thread(status_lines.kept_readings, self._spool, folders, now_ms)
        self._take([*seen.readings, *lines])

    def _take(self, readings: Iterable[Reading]) -> None:
        accounts = {account_id for account_id, _ in self._known.owners.values()}
        merged = freshest([*self._known.readings, *readings], self._clock.now_ms())
        self._known.readings = tuple(one for one in merged.readings if one.account_id in accounts)
        if merged.from_future:
            _log.info("readings from the future were left out", readings=merged.from_future)

    # ---- the endpoint ----------------------------------------------------------------------------------

    async def _ask_all(self, *, is_wished: bool) -> None:
        """Ask for each account that is due, with one of its logins."""
        if not self._settings.usage.endpoint:
            return
        is_first = True
        for account_id, found in self._to_ask().items():
            attempt = self._attempts.get(account_id, Attempt())
            if not is_due(attempt, self._clock.monotonic(), found.stamp, is_wished=is_wished):
                continue
            if not is_first:
                await asyncio.sleep(APART_S)
            is_first = False
            await self._ask(account_id, found, attempt)

    def _to_ask(self) -> dict[str, _Found]:
        """Of each Claude account the profile with the best login; one that works is enough."""
        best: dict[str, _Found] = {}
        for found in self._found:
            if found.identity is None or found.profile.kind != "claude" or found.login == "out":
                continue
            known = best.get(found.identity.id)
            if known is None or (known.login == "idle" and found.login != "idle"):
                best[found.identity.id] = found
        return {id: found for id, found in best.items() if found.login != "idle" and found.stamp}

    async def _ask(self, account_id: str, found: _Found, attempt: Attempt) -> None:
        assert found.identity is not None
        url, every_s = self._settings.usage.claude_url, self._settings.usage.every_s
        began_ms = self._clock.now_ms()
        asked = await ask(url, Path(found.profile.real), found.identity.version, began_ms)
        self._attempts[account_id] = after(
            attempt,
            asked.answered.outcome if asked.answered is not None else "no_right",
            now_s=self._clock.monotonic(),
            every_s=every_s,
            login=found.stamp,
            retry_after_s=asked.answered.retry_after_s if asked.answered is not None else None,
            jitter=self._random.uniform(-1, 1),
        )
        self._problems[account_id] = asked.problem
        self._note_clock(asked)
        if asked.answered is None or asked.answered.outcome != "ok":
            return
        if asked.answered.paid is not None:
            known = self._known.paid.get(account_id, Paid())
            self._known.paid[account_id] = msgspec.structs.replace(
                asked.answered.paid, is_in_use=known.is_in_use
            )
        skew_ms = asked.skew_ms if asked.skew_ms is not None and abs(asked.skew_ms) > SKEW_MS else 0
        self._take(
            Reading(
                account_id=account_id,
                length_minutes=window.length_minutes,
                taken_at_ms=began_ms,
                source="endpoint",
                scope=window.scope,
                used_pct=window.used_pct,
                # The service's time in our clock: whether it has passed is decided by ours.
                resets_at_ms=None if window.resets_at_ms is None else window.resets_at_ms + skew_ms,
            )
            for window in asked.answered.windows
        )

    def _note_clock(self, asked: Asked) -> None:
        if asked.skew_ms is None:
            return
        if abs(asked.skew_ms) <= SKEW_MS:
            self._health.clear("clock:skew")
            return
        side = "ahead" if asked.skew_ms > 0 else "behind"
        self._health.raise_(
            "clock:skew",
            f"This machine's clock is {abs(asked.skew_ms) // 60_000} minutes {side} of the usage service's",
            "Set the clock; until then ages and resets may be shown wrongly.",
        )

    # ---- what is said ----------------------------------------------------------------------------------

    async def _say_sometimes(self) -> None:
        if self._clock.monotonic() - self._said_s >= SAY_S:
            await self._say()

    async def _say(self) -> None:
        self._said_s = self._clock.monotonic()
        profiles = tuple(self._profile_state(found) for found in self._found)
        self._report_failing(profiles)
        state = UsageState(
            profiles=profiles,
            accounts=tuple(self._account_states()),
            readings=self._known.readings,
            reading=self._scanner.progress,
        )
        if state != self.state or not self._is_told:
            self.state, self._is_told = state, True
            await self._changed(state)

    def _report_failing(self, profiles: Iterable[ProfileState]) -> None:
        """A health item for each account, or folder without one, that cannot be read though it should be: not
        where nobody is signed in, the login is idle, it has no right to read usage, or its agents tell it."""
        failing: dict[str, tuple[str, str, str]] = {}
        fresh_ms = self._clock.now_ms() - FRESH_MS
        told = {
            reading.account_id
            for reading in self._known.readings
            if reading.source != "endpoint" and reading.taken_at_ms >= fresh_ms
        }
        for one in profiles:
            attempt = self._attempts.get(one.account_id or "")
            has_no_right = attempt is not None and attempt.outcome == "no_right"
            if not one.problem or has_no_right or one.login in ("idle", "out") or one.account_id in told:
                continue
            code = f"usage:{one.account_id or one.id}"
            title = f"Usage of {one.name} ({one.kind}) cannot be read: {one.problem}"
            failing.setdefault(code, (code, title, "It is tried again by itself; the last reading is shown."))
        self._health.replace("usage:", list(failing.values()))

    def _profile_state(self, found: _Found) -> ProfileState:
        id = None if found.identity is None else found.identity.id
        attempt = self._attempts.get(id or "")
        login = found.login
        if attempt is not None and attempt.login == found.stamp and attempt.outcome == "stale_login":
            login = "idle"
        return ProfileState(
            id=found.profile.id,
            name=found.profile.name,
            kind=found.profile.kind,
            folder=found.profile.folder,
            account_id=id,
            login=login,
            login_ends_ms=found.ends_ms,
            problem=found.problem or self._problems.get(id or "", ""),
        )

    def _account_states(self) -> Iterable[AccountState]:
        told: dict[str, AccountState] = {}
        for found in self._found:
            identity = found.identity
            if identity is None or identity.id in told:
                continue
            paid = self._known.paid.get(identity.id)
            if paid is None and identity.has_paid is not None:
                paid = Paid(is_enabled=identity.has_paid)
            told[identity.id] = AccountState(
                id=identity.id, kind=identity.kind, name=identity.name, plan=identity.plan, paid=paid
            )
        return told.values()


def _identity(profile: Profile) -> tuple[Identity | None, str]:
    """Whose a profile is, and what is wrong with the file that says it. Blocks."""
    folder = Path(profile.real)
    if profile.kind == "codex":
        paths, read = [folder / "auth.json"], codex_identity
    else:
        # With the usual folder the file lies beside it, with a folder of one's own inside.
        paths, read = [folder / ".claude.json"], claude_identity
        if folder.name == ".claude":
            paths.append(folder.parent / ".claude.json")
    for path in sorted((path for path in paths if path.is_file()), key=_modified, reverse=True):
        try:
            with path.open("rb") as file:
                return read(file.read(MOST_IDENTITY_BYTES)), ""
        except OSError as error:
            return None, f"{path.name} cannot be read: {error.strerror}."
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None, f"{path.name} is not in the form that is known."  # never its contents
    return None, ""


def _modified(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _zone() -> tzinfo:
    return zone_of(zone_here()) or UTC


def _row(key: str, used: Sum, cost_usd: float | None, is_partly_priced: bool) -> UsageRow:
    tokens = used.tokens
    return UsageRow(
        key=key,
        input_tokens=tokens.input,
        cache_read_tokens=tokens.cache_read,
        cache_write_tokens=tokens.cache_write + tokens.cache_write_long,
        output_tokens=tokens.output,
        answers=used.answers,
        cost_usd=cost_usd,
        partly_priced=is_partly_priced,
    )

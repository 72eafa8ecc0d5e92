"""Notifications: looks at what is so, lets ``core.notify`` decide, keeps why, and hands on what goes out.

Nothing here waits for an event: each look decides anew on everything that may be worth a push, and the desk
of decisions is stored with the records, before anything goes out. So an event that is lost costs a
second, and a restart repeats nothing. While the database fails the desk lives in memory: that it fails is
told too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import tzinfo
from typing import Protocol

import structlog
from msgspec.structs import replace

from controlroom.core.notify.desk import new_desk, step, woken
from controlroom.core.notify.model import Desk, Entry, Outcome, Push, Rules, Snooze
from controlroom.core.notify.quiet import read_quiet, said
from controlroom.core.text import clean_line
from controlroom.hub.channels.base import Action, Notice, Target
from controlroom.hub.errors import HubError
from controlroom.hub.notify_facts import ItemPlace, facts_of, place_of
from controlroom.hub.postman import Postman
from controlroom.hub.store import notification_rows
from controlroom.hub.store.notification_rows import Sending
from controlroom.hub.store.store import Change, Event, Store
from controlroom.kit.clock import Clock, wait_at_most
from controlroom.kit.settings import Notify
from controlroom.kit.sql import DatabaseTrouble
from controlroom.wire.codec import decode
from controlroom.wire.model import Fleet, Health, Screen
from controlroom.wire.notification import (
    Notification,
    Notifications,
    NotificationSettings,
    NotificationSnooze,
    PatchNotificationSettings,
    SnoozeNotifications,
)
from controlroom.wire.question import Question

_log = structlog.get_logger("notifications")

LOOK_S = 1.0  # how late a change without an event (health, a clock that was set) is noticed
SCREEN_S = 2.0  # a push does not wait longer for what the screen shows
LINES = 14
LINE_LIMIT = 200
PRUNE_EVERY_MS = 3_600_000
MOST_UNSAVED = 1_000  # records that wait in memory for a database that fails; of more the oldest go
MOST_AGENTS = 1_000
LONGEST_ID = 100
LONGEST_SNOOZE_MS = 31 * 24 * 3_600_000

HEARS = frozenset({"agent.changed", "agent.gone", "machine.changed", "question.changed"})


class Sees(Protocol):
    """What the hub knows now."""

    def fleet(self) -> Fleet: ...

    def health(self) -> Sequence[Health]: ...

    async def screen(self, agent_id: str) -> Screen:
        """Raises HubError."""

    def is_open(self, chat_id: str) -> bool:
        """Whether a chat is open on some device now."""

    def targets(self) -> Iterable[tuple[Target, bool]]:
        """Whoever may be told, and whether an answer may be given there from a notification."""

    def zone(self) -> tzinfo: ...


class NotificationBook:
    """All notifications. ``run`` it for ever; ``badge`` is the number at the app's icon."""

    def __init__(self, store: Store, clock: Clock, sees: Sees, postman: Postman, settings: Notify) -> None:
        self._store = store
        self._clock = clock
        self._sees = sees
        self._postman = postman
        self._settings = settings
        self._desk: Desk = new_desk(clock.now_ms())
        self._rules = Rules()
        self._questions: dict[str, Question] = {}
        self._unsaved: dict[str, Notification] = {}
        self._next_ms: int | None = None
        self._pruned_ms = 0
        self._poked = asyncio.Event()
        self._wishes = asyncio.Lock()  # each is made of the one before
        self.badge = 0

    async def start(self, open_questions: Callable[[], Awaitable[Sequence[Question]]]) -> None:
        now = self._clock.now_ms()
        desk = await self._store.read(notification_rows.desk)
        self._desk = new_desk(now) if desk is None else woken(desk, now)
        if desk is None:
            fresh = self._desk
            await self._store.change(lambda change: notification_rows.put_desk(change, fresh))
        self._rules = self._timed(await self._store.read(lambda c: notification_rows.rules(c) or Rules()))
        self._store.subscribe(self._event)
        read = {question.id: question for question in await open_questions()}
        self._questions = read | self._questions  # what was heard meanwhile is newer

    def _timed(self, rules: Rules) -> Rules:
        return replace(
            rules,
            finished_after_ms=int(self._settings.finished_after_s * 1000),
            waiting_after_ms=int(self._settings.waiting_after_s * 1000),
        )

    def _event(self, event: Event) -> None:
        if event.name == "question.changed":
            question = decode(event.data, Question)
            self._questions[question.id] = question
        if event.name in HEARS:
            self._poked.set()

    # ---- looking ---------------------------------------------------------------------------------------

    async def run(self) -> None:
        while True:
            self._poked.clear()
            await self.look()
            self._postman.begin()
            left_s = LOOK_S
            if self._next_ms is not None:
                left_s = min(left_s, max(0.01, (self._next_ms - self._clock.now_ms()) / 1000))
            await wait_at_most(self._poked, left_s)

    async def look(self) -> None:
        """Decide what can be decided now, and hand on what goes out."""
        read = await self._read_items()
        self._questions = {id: one for id, one in self._questions.items() if one.state == "open"}
        facts = facts_of(
            self._sees.fleet(), self._questions.values(), read, self._sees.health(), self._sees.is_open
        )
        outcome = step(self._desk, facts, self._rules, self._clock.now_ms(), self._sees.zone())
        self.badge, self._next_ms = outcome.badge, outcome.next_ms
        if not (outcome.changed or outcome.pushes or outcome.gone or self._unsaved):
            self._desk = outcome.desk
            return
        screens = await self._screens(outcome.pushes)
        sendings = [one for push in outcome.pushes for one in self._sendings(push, screens.get(push.id, ()))]
        records = self._unsaved | _records(outcome, screens)
        try:
            await self._store.change(lambda change: self._keep(change, outcome.desk, records, sendings))
        except DatabaseTrouble as error:  # the database shows it in Health, and that is told from memory
            _log.warning("notifications cannot be stored", error=str(error))
            self._unsaved = dict(list(records.items())[-MOST_UNSAVED:])
        else:
            self._unsaved = {}
        self._desk = outcome.desk
        self._postman.add(sendings)
        if outcome.gone:
            self._postman.take_away(outcome.gone, outcome.badge)

    async def _read_items(self) -> set[ItemPlace]:
        places = [place for one in self._questions.values() if (place := place_of(one)) is not None]
        if not places:
            return set()
        try:
            return await self._store.read(lambda c: notification_rows.read_items(c, places))
        except DatabaseTrouble:
            return set()

    async def _screens(self, pushes: Sequence[Push]) -> dict[str, tuple[str, ...]]:
        """By push, the last lines of the screen it is about; without those that cannot be read now."""
        wanted = [push for push in pushes if push.wants_screen]

        async def of(push: Push) -> tuple[str, ...]:
            try:
                async with asyncio.timeout(SCREEN_S):
                    return last_lines((await self._sees.screen(push.wants_screen)).rows)
            except (HubError, TimeoutError):
                return ()

        found = await asyncio.gather(*(of(push) for push in wanted))
        return {push.id: lines for push, lines in zip(wanted, found, strict=True) if lines}

    def _sendings(self, push: Push, lines: tuple[str, ...]) -> list[Sending]:
        return [
            Sending(
                notice=self._notice(push, lines, may_answer=may_answer),
                target_id=target.id,
                due_ms=push.at_ms,
            )
            for target, may_answer in self._sees.targets()
        ]

    def _notice(self, push: Push, lines: tuple[str, ...], *, may_answer: bool) -> Notice:
        body = push.text
        if lines and self._rules.previews == "all":
            body = "\n".join((body, "", *lines))
        return Notice(
            id=push.id,
            kind=push.kind,
            tag=push.tag,
            title=push.title,
            body=body,
            open=push.place,
            at_ms=push.at_ms,
            badge=push.badge,
            urgency=push.urgency,
            ttl_s=push.ttl_ms // 1000,
            actions=tuple(Action(id=one.key, label=one.label) for one in push.choices) if may_answer else (),
            question_id=push.question_id or None,
            agent_id=push.agent_id or None,
            chat_id=push.chat_id or None,
        )

    def _keep(
        self, change: Change, desk: Desk, records: dict[str, Notification], sendings: Sequence[Sending]
    ) -> None:
        notification_rows.put_desk(change, desk)
        known = notification_rows.records(change.connection, records)
        for id, record in records.items():
            old = known.get(id)
            if old is not None:
                record = replace(
                    record,
                    sends=old.sends,
                    lines=record.lines or old.lines,
                    told_by=record.told_by or old.told_by,
                    badge=record.badge or old.badge,
                )
            if record != old:
                notification_rows.put_record(change, record)
        for sending in sendings:
            notification_rows.put_sending(change, sending)
        if not 0 <= change.now_ms - self._pruned_ms < PRUNE_EVERY_MS:
            notification_rows.forget_old(change)
            self._pruned_ms = change.now_ms

    # ---- what is asked ---------------------------------------------------------------------------------

    async def page(
        self, *, before: str | None, limit: int, agent_id: str | None, question_id: str | None
    ) -> Notifications:
        """The newest first. Raises HubError ``bad_request``."""
        if before is not None and not (before.isascii() and before.isdigit() and len(before) < 16):
            raise HubError("bad_request", "before: no cursor of this list.")
        found = await self._store.read(
            lambda c: notification_rows.newest(
                c,
                before=None if before is None else int(before),
                limit=limit + 1,
                agent_id=agent_id,
                question_id=question_id,
            )
        )
        older = str(found[limit - 1][0]) if len(found) > limit else None
        return Notifications(notifications=tuple(one for _, one in found[:limit]), before=older)

    async def get(self, id: str) -> Notification:
        """Raises HubError ``not_found``."""
        found = await self._store.read(lambda c: notification_rows.record(c, id))
        if found is None:
            raise HubError("not_found", "There is no such notification.")
        return found

    def settings(self) -> NotificationSettings:
        rules, now = self._rules, self._clock.now_ms()
        return NotificationSettings(
            question=rules.question,
            waiting=rules.waiting,
            finished=rules.finished,
            trouble=rules.trouble,
            only_blocking=rules.only_blocking,
            quiet=said(rules.quiet),
            previews=rules.previews,
            agents=dict(rules.agents),
            snoozes=tuple(
                NotificationSnooze(what=one.what, until_ms=one.until_ms)
                for one in rules.snoozes
                if one.until_ms > now
            ),
            finished_after_s=self._settings.finished_after_s,
            waiting_after_s=self._settings.waiting_after_s,
            zone=str(self._sees.zone()),
        )

    async def patch(self, wish: PatchNotificationSettings) -> NotificationSettings:
        """Raises HubError ``bad_request``."""
        async with self._wishes:
            await self._set(_patched(self._rules, wish))
        return self.settings()

    async def snooze(self, wish: SnoozeNotifications) -> NotificationSettings:
        """Raises HubError ``bad_request``."""
        now = self._clock.now_ms()
        if len(wish.what) > LONGEST_ID or wish.until_ms > now + LONGEST_SNOOZE_MS:
            raise HubError("bad_request", "A snooze lasts 31 days at most.")
        async with self._wishes:
            others = tuple(
                one for one in self._rules.snoozes if one.what != wish.what and one.until_ms > now
            )[-MOST_AGENTS:]
            mine = (Snooze(what=wish.what, until_ms=wish.until_ms),) if wish.until_ms > now else ()
            await self._set(replace(self._rules, snoozes=others + mine))
        return self.settings()

    async def _set(self, rules: Rules) -> None:
        await self._store.change(lambda change: notification_rows.put_rules(change, rules))
        self._rules = rules
        self._poked.set()


def _patched(rules: Rules, wish: PatchNotificationSettings) -> Rules:
    """Raises HubError ``bad_request``."""
    agents = {id: rule for id, rule in {**rules.agents, **(wish.agents or {})}.items() if rule != "all"}
    if len(agents) > MOST_AGENTS or any(not id or len(id) > LONGEST_ID for id in agents):
        raise HubError("bad_request", f"agents: at most {MOST_AGENTS}, each by its id.")
    quiet = rules.quiet
    if wish.quiet is not None:
        try:
            quiet = read_quiet(wish.quiet)
        except ValueError as error:
            raise HubError("bad_request", f"quiet: {error}.") from None
    return replace(
        rules,
        question=wish.question or rules.question,
        waiting=wish.waiting or rules.waiting,
        finished=wish.finished or rules.finished,
        trouble=wish.trouble or rules.trouble,
        only_blocking=rules.only_blocking if wish.only_blocking is None else wish.only_blocking,
        quiet=quiet,
        previews=wish.previews or rules.previews,
        agents=agents,
    )


def last_lines(rows: Sequence[str]) -> tuple[str, ...]:
    """The last lines of a screen that show something, as people may read them."""
    lines = [clean_line(row.rstrip(), LINE_LIMIT) for row in rows]
    while lines and not lines[-1]:
        lines.pop()
    return tuple(lines[-LINES:])


def _records(outcome: Outcome, screens: dict[str, tuple[str, ...]]) -> dict[str, Notification]:
    """What is kept of a step: a record for each entry that was decided, and for each push of many."""
    many = [push for push in outcome.pushes if push.kind in ("group", "digest")]
    told_by = {id: push.id for push in many for id in push.members}
    badges = {push.id: push.badge for push in outcome.pushes}
    made = [
        _record(entry, told_by.get(entry.id), badges.get(entry.id, 0), screens.get(entry.id, ()))
        for entry in outcome.changed
    ]
    made += [
        Notification(
            id=push.id,
            kind=push.kind,
            state="pushed",
            began_ms=push.at_ms,
            at_ms=push.at_ms,
            title=push.title,
            text=push.text,
            why=f"It tells of {len(push.members)} at once.",
            open=push.place,
            members=len(push.members),
            badge=push.badge,
        )
        for push in many
    ]
    return {one.id: one for one in made}


def _record(entry: Entry, told_by: str | None, badge: int, lines: tuple[str, ...]) -> Notification:
    episode = entry.episode
    return Notification(
        id=entry.id,
        kind=episode.kind,
        state=entry.state,
        began_ms=episode.began_ms,
        at_ms=entry.at_ms,
        title=episode.title,
        text=episode.text,
        why=entry.why,
        open=episode.place,
        blocking=episode.is_blocking,
        until_ms=entry.until_ms,
        agent_id=episode.agent_id or None,
        chat_id=episode.chat_id or None,
        question_id=episode.question_id or None,
        told_by=told_by,
        badge=badge,
        lines=lines,
    )

"""The desk where it is decided: one look at everything that may be worth a push, after the other.

Theory. Nothing here depends on having seen an event. Each step compares what is so now with what was decided
before, so an event that comes twice, a snapshot that is replayed and a restart change nothing: an episode
has one entry, by its key, and an entry is pushed once. What is over before its time is never pushed; what
is over afterwards is taken away from the devices. An entry is kept a while after its episode ended, so that
one that blinks (a reader that fails and recovers, a machine that comes and goes) is the same episode.

What must never happen: two pushes of one episode; a push of an end that is long past, or was there before
notifications were; a push of what was read, answered or is over; a push out of facts that are as old as the
sleep that the machine woke from. What is not pushed has an entry too, and says why.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import tzinfo

from msgspec.structs import replace

from controlroom.core.notify.badge import badge_of
from controlroom.core.notify.episodes import episodes_of, owner_of
from controlroom.core.notify.model import (
    Desk,
    Entry,
    Episode,
    Facts,
    Outcome,
    Push,
    Rules,
    Seen,
    Switch,
)
from controlroom.core.notify.quiet import quiet_until
from controlroom.core.notify.words import moment, nameless, together_words

BURST = 3
"""So many single pushes in ``BURST_MS``; what comes more is gathered for ``GATHER_MS`` and told in one."""

BURST_BLOCKING = 5
BURST_MS = 60_000
GATHER_MS = 20_000

KEPT_OVER_MS = {"question": 60_000, "waiting": 60_000, "finished": 60_000, "trouble": 600_000}
"""How long an episode may be gone and still be the same when it comes back."""

KEPT_DIALOG_MS = 600_000  # a question that a dialog asked: longer than a dialog may stand after its answer

SLEPT_MS = 90_000  # the hub steps each second: a break so long was a sleep of the machine, or a stop

OPEN = ("waiting", "held", "gathered")


def new_desk(now_ms: int) -> Desk:
    """The desk of the very first start: whatever has ended by then is no news."""
    return Desk(since_ms=now_ms, awake_ms=now_ms, stepped_ms=now_ms)


def woken(desk: Desk, now_ms: int) -> Desk:
    """The desk after a restart."""
    return replace(desk, awake_ms=now_ms, stepped_ms=now_ms)


def step(desk: Desk, facts: Facts, rules: Rules, now_ms: int, zone: tzinfo) -> Outcome:
    """Decide what can be decided now. The same facts again change nothing."""
    if not 0 <= now_ms - desk.stepped_ms < SLEPT_MS:
        desk = replace(desk, awake_ms=now_ms, since_ms=min(desk.since_ms, now_ms))
    desk = replace(desk, stepped_ms=now_ms)
    work = _Step(desk, facts, rules, now_ms, zone)
    work.end_what_is_over()
    work.decide()
    return work.outcome()


class _Step:
    """One step: a copy of the desk, on which it is decided."""

    def __init__(self, desk: Desk, facts: Facts, rules: Rules, now_ms: int, zone: tzinfo) -> None:
        self._desk = desk
        self._facts = facts
        self._rules = rules
        self._now = now_ms
        self._zone = zone
        self._agents: Mapping[str, Seen] = {agent.id: agent for agent in facts.agents}
        self._now_there = episodes_of(facts, rules, now_ms, zone, desk.awake_ms)
        self._entries = dict(desk.entries)
        self._shown = dict(desk.shown)
        self._changed: dict[str, Entry] = {}
        self._pushes: list[Push] = []
        self._gone: list[str] = []
        self._spent = _lately(desk.spent, now_ms)
        self._spent_blocking = _lately(desk.spent_blocking, now_ms)
        self._gathering_ms = None if desk.gathering_ms is None else min(desk.gathering_ms, now_ms)
        self._badge = badge_of(facts)

    # ---- ends ------------------------------------------------------------------------------------------

    def end_what_is_over(self) -> None:
        for key, entry in self._desk.entries.items():
            if key in self._now_there:
                continue
            if entry.over_ms is not None:
                if self._is_forgotten(entry, entry.over_ms):
                    del self._entries[key]
            elif self._may_be_over(key):
                self._end(entry)

    def _may_be_over(self, key: str) -> bool:
        """Whether its absence says something: what is not known now is not over."""
        agent = self._agents.get(owner_of(key))
        is_away = any(key.startswith(f"trouble:{machine.machine_id}:") for machine in self._facts.silent)
        is_seen = agent is None or (agent.is_known and agent.activity not in ("unknown", "starting"))
        return not is_away and is_seen

    def _is_forgotten(self, entry: Entry, over_ms: int) -> bool:
        kept_ms = KEPT_DIALOG_MS if entry.episode.dialog else KEPT_OVER_MS[entry.episode.kind]
        return not entry.is_kept and not 0 <= self._now - over_ms <= kept_ms

    def _end(self, entry: Entry) -> None:
        agent = self._agents.get(entry.episode.agent_id)
        went_on = entry.episode.kind == "finished" and _is_busy(agent)
        if entry.state == "pushed":
            self._put(replace(entry, state="over", over_ms=self._now, why=entry.why), is_told=True)
        elif entry.state in OPEN and went_on and entry.was_held:
            self._put(replace(entry, over_ms=self._now, is_kept=True))
        elif entry.state in OPEN:
            is_carded = entry.episode.kind == "waiting" and entry.episode.dialog in self._carded()
            why = _CARDED if is_carded else _ended_words(entry.episode, went_on=went_on)
            if agent is None and entry.episode.agent_id:
                why = "Its agent has left."
            ended = replace(entry, state="dropped", over_ms=self._now, why=why, until_ms=None)
            self._put(ended, is_told=not _is_blip(entry))
        else:
            self._put(replace(entry, over_ms=self._now))
        self._take_away(entry)

    def _carded(self) -> set[str]:
        """Dialogs that are shown as questions."""
        return {one.dialog for one in self._now_there.values() if one.kind == "question" and one.dialog}

    def _take_away(self, entry: Entry) -> None:
        """Off the devices, when nobody is needed any more by what stands there under that tag."""
        for tag, ids in tuple(self._shown.items()):
            if entry.id not in ids:
                continue
            left = tuple(id for id in ids if id != entry.id)
            if left:
                self._shown[tag] = left
            else:
                del self._shown[tag]
                self._gone.append(tag)

    # ---- decisions -------------------------------------------------------------------------------------

    def decide(self) -> None:
        ready: list[Entry] = []
        freed: list[Entry] = []
        closed_ms = self._closed_dialogs()
        for key, episode in self._now_there.items():
            if episode.kind == "waiting" and episode.dialog in closed_ms:
                again_ms = closed_ms[episode.dialog] + self._rules.waiting_after_ms
                episode = replace(episode, due_ms=max(episode.due_ms, again_ms))
            entry = self._taken_up(key, episode)
            if entry.state not in OPEN:
                continue
            entry = self._judged(entry)
            if entry.state == "gathered" and entry.was_held:
                freed.append(entry)
            elif entry.state == "gathered":
                ready.append(entry)
        freed += self._kept_ready()
        self._push_freed(freed)
        self._push_ready(ready)

    def _closed_dialogs(self) -> dict[str, int]:
        """Dialogs whose question was closed lately, and when: they stand a moment longer on the screen."""
        return {
            entry.episode.dialog: entry.over_ms
            for entry in self._entries.values()
            if entry.episode.kind == "question" and entry.episode.dialog and entry.over_ms is not None
        }

    def _taken_up(self, key: str, episode: Episode) -> Entry:
        """The entry of an episode: the one that it has, or a new one."""
        known = self._entries.get(key)
        if known is None:
            return Entry(
                id=_entry_id(key, episode.began_ms), episode=episode, state="waiting", at_ms=self._now, why=""
            )
        if known.over_ms is None and known.state == "pushed" and episode.is_read:
            self._take_away(known)
            known = replace(known, state="over", why=f"{known.why} You have read it since.")
            self._put(known, is_told=True)
            return known
        if known.over_ms is None:
            return replace(known, episode=episode) if known.state in OPEN else known
        if known.state == "dropped" and known.why in _BLINKED:
            if episode.key.startswith("trouble:"):  # a part that crashes, recovers and crashes lasts
                lasts_ms = known.at_ms + episode.due_ms - episode.began_ms
                episode = replace(episode, due_ms=min(episode.due_ms, lasts_ms))
            return replace(known, episode=episode, state="waiting", over_ms=None)
        state = "pushed" if known.state == "over" else known.state
        back = replace(known, state=state, over_ms=None, is_kept=False)
        self._put(back, is_told=state != known.state)
        return back

    def _judged(self, entry: Entry) -> Entry:
        """The entry as it stands by the rules of now; ``gathered``: it may go out."""
        episode = entry.episode
        if (why := self._why_never(entry)) is not None:
            judged = replace(entry, state="dropped", why=why, until_ms=None)
        elif episode.due_ms > self._now:
            judged = replace(entry, state="waiting", until_ms=episode.due_ms, why=_due_words(episode))
        elif (held := self._held(episode)) is not None:
            until_ms, why = held
            judged = replace(entry, state="held", until_ms=until_ms, why=why, was_held=True)
        else:
            judged = replace(entry, state="gathered", until_ms=None)
            self._entries[episode.key] = judged
            return judged
        is_told = (judged.state, judged.why, judged.until_ms) != (entry.state, entry.why, entry.until_ms)
        self._put(judged, is_told=is_told and not _is_blip(judged))
        return judged

    def _why_never(self, entry: Entry) -> str | None:
        episode = entry.episode
        rules, agent = self._rules, self._agents.get(episode.agent_id)
        if episode.refused:
            return episode.refused
        if episode.stale_ms is not None and episode.began_ms < self._desk.since_ms:
            return "It was there before notifications were."
        if episode.stale_ms is not None and entry.at_ms - episode.began_ms > episode.stale_ms:
            return "It was old news when the Control Room heard of it."
        if _switch(rules, episode) == "off":
            return f"Notifications of this kind ({episode.kind}) are off."
        if agent is not None and agent.is_archived:
            return "The agent is archived."
        wish = rules.agents.get(episode.agent_id, "all")
        if (agent is not None and agent.is_muted) or wish == "off":
            return "The agent is muted."
        if not episode.is_blocking and episode.kind != "trouble":
            if rules.only_blocking:
                return "Only what blocks is told."
            if wish == "blocking":
                return "Of this agent only what blocks is told."
        return None

    def _held(self, episode: Episode) -> tuple[int, str] | None:
        """Until when it is held back, and by what."""
        found: list[tuple[int, str]] = []
        is_always = _switch(self._rules, episode) == "always"
        for snooze in self._rules.snoozes:
            is_meant = snooze.what in (episode.agent_id, episode.question_id) and snooze.what != ""
            if (is_meant or (snooze.what == "" and not is_always)) and snooze.until_ms > self._now:
                found.append((snooze.until_ms, f"Snoozed until {self._clock(snooze.until_ms)}."))
        quiet_ms = None if is_always else quiet_until(self._rules.quiet, self._now, self._zone)
        if quiet_ms is not None:
            found.append((quiet_ms, f"Quiet hours, until {self._clock(quiet_ms)}."))
        return max(found, default=None)

    def _clock(self, at_ms: int) -> str:
        return moment(at_ms, self._now, self._zone)

    def _kept_ready(self) -> list[Entry]:
        """What happened while it was quiet and went on since: told in the digest alone."""
        ready: list[Entry] = []
        for key, entry in tuple(self._entries.items()):
            if not entry.is_kept or key in self._now_there:
                continue
            held = self._held(entry.episode)
            if held is None:
                ready.append(entry)
            elif (entry.until_ms, entry.why) != held:
                self._put(replace(entry, state="held", until_ms=held[0], why=held[1]), is_told=True)
        return ready

    # ---- pushes ----------------------------------------------------------------------------------------

    def _push_freed(self, freed: list[Entry]) -> None:
        """What quiet hours or a snooze held back: one by itself, more as one digest."""
        present = [entry for entry in freed if not entry.is_kept]
        if len(freed) == 1 and present:
            self._push_one(freed[0], "It was held, and still waits.")
        elif present or freed:
            self._push_many("digest", freed, "It came in the digest of what was held.")

    def _push_ready(self, ready: list[Entry]) -> None:
        blocking = [entry for entry in ready if entry.episode.urgency == "high"]
        others = [entry for entry in ready if entry.episode.urgency != "high"]
        self._push_burst(blocking, BURST_BLOCKING - len(self._spent_blocking), others)

    def _push_burst(self, blocking: list[Entry], room_blocking: int, others: list[Entry]) -> None:
        is_flush = self._gathering_ms is None or self._now - self._gathering_ms >= GATHER_MS
        gathered: list[Entry] = []
        for entries, room, spent in (
            (blocking, room_blocking, self._spent_blocking),
            (others, BURST - len(self._spent), self._spent),
        ):
            if len(entries) <= room and (self._gathering_ms is None or entries is blocking):
                for entry in entries:
                    spent.append(self._now)
                    self._push_one(entry, "It was told at once.")
            else:
                gathered += entries
        if not gathered:
            self._gathering_ms = None
            return
        has_calm = not self._spent and self._gathering_ms is None
        if has_calm or (self._gathering_ms is not None and is_flush):
            self._gathering_ms = None
            self._spent.append(self._now)
            if len(gathered) == 1:
                self._push_one(gathered[0], "It was told after others.")
            else:
                self._push_many("group", gathered, "It came with others in one notification.")
            return
        if self._gathering_ms is None:
            self._gathering_ms = self._now
        for entry in gathered:
            self._put(
                replace(entry, why="Many came at once: it is told with the others."),
                is_told=entry.why != "Many came at once: it is told with the others.",
            )

    def _push_one(self, entry: Entry, why: str) -> None:
        episode = entry.episode
        is_nameless = self._rules.previews == "none"
        self._pushes.append(
            Push(
                id=entry.id,
                kind=episode.kind,
                tag=episode.tag,
                title=self._nameless(episode) if is_nameless else episode.title,
                text="" if is_nameless else episode.text,
                place=episode.place,
                urgency=episode.urgency,
                ttl_ms=episode.ttl_ms,
                badge=self._badge,
                at_ms=self._now,
                members=(entry.id,),
                choices=episode.choices,
                agent_id=episode.agent_id,
                chat_id=episode.chat_id,
                question_id=episode.question_id,
                wants_screen=episode.agent_id if episode.kind == "waiting" else "",
            )
        )
        self._show(episode.tag, (entry,))
        self._put(replace(entry, state="pushed", at_ms=self._now, until_ms=None, why=why), is_told=True)

    def _nameless(self, episode: Episode) -> str:
        if episode.kind == "finished":
            return "Something finished"
        if episode.kind == "trouble":
            return "The Control Room has trouble"
        return nameless(max(self._badge, 1))

    def _push_many(self, kind: str, members: list[Entry], why: str) -> None:
        standing = self._shown.get(kind, ())
        still = [entry for entry in self._entries.values() if entry.id in standing]
        episodes = [entry.episode for entry in (*still, *members)]
        title, text = together_words(episodes, self._rules.previews)
        is_digest = kind == "digest"
        if is_digest and self._rules.previews != "none":
            title = f"While it was quiet: {title}"
        questions = [one for one in episodes if one.kind == "question"]
        is_urgent = any(one.urgency == "high" for one in episodes)
        self._pushes.append(
            Push(
                id=_entry_id(kind, self._now, *(entry.id for entry in members)),
                kind="digest" if is_digest else "group",
                tag=kind,
                title=title,
                text=text,
                place="inbox" if len(questions) == len(episodes) else "agents",
                urgency="high" if is_urgent and not is_digest else "normal",
                ttl_ms=max(one.ttl_ms for one in episodes),
                badge=self._badge,
                at_ms=self._now,
                members=tuple(entry.id for entry in members),
            )
        )
        still += [entry for entry in members if entry.over_ms is None]
        if still:
            self._show(kind, still)
        for entry in members:
            state = "pushed" if entry.over_ms is None else "over"
            self._put(
                replace(entry, state=state, at_ms=self._now, until_ms=None, why=why, is_kept=False),
                is_told=True,
            )

    def _show(self, tag: str, entries: Iterable[Entry]) -> None:
        self._shown[tag] = tuple(entry.id for entry in entries)
        if tag in self._gone:
            self._gone.remove(tag)

    # ---- what comes of it ------------------------------------------------------------------------------

    def _put(self, entry: Entry, *, is_told: bool = False) -> None:
        self._entries[entry.episode.key] = entry
        if is_told:
            self._changed[entry.id] = entry

    def outcome(self) -> Outcome:
        desk = replace(
            self._desk,
            entries=self._entries,
            shown=self._shown,
            spent=tuple(self._spent),
            spent_blocking=tuple(self._spent_blocking),
            gathering_ms=self._gathering_ms,
        )
        return Outcome(
            desk=desk,
            changed=tuple(self._changed.values()),
            pushes=tuple(self._pushes),
            gone=tuple(self._gone),
            badge=self._badge,
            next_ms=self._next(),
        )

    def _next(self) -> int | None:
        moments = [
            entry.until_ms
            for entry in self._entries.values()
            if entry.until_ms is not None and (entry.episode.key in self._now_there or entry.is_kept)
        ]
        if self._gathering_ms is not None:
            moments.append(self._gathering_ms + GATHER_MS)
        return min(moments, default=None)


_CARDED = "It is shown as a question, which is told by itself."
_BLINKED = ("It was over before its time.", _CARDED)


def _ended_words(episode: Episode, *, went_on: bool) -> str:
    if episode.kind == "finished":
        return "It went on working." if went_on else "You have read it on one of your devices."
    if episode.kind == "question":
        return "It was closed before it was told."
    return _BLINKED[0]


def _due_words(episode: Episode) -> str:
    if episode.kind == "finished":
        return "It is told when it stays finished."
    if episode.kind == "question":
        return "Its chat is open on a device: it is told when nobody reads it there."
    return "It is told when it lasts."


def _switch(rules: Rules, episode: Episode) -> Switch:
    match episode.kind:
        case "question":
            return rules.question
        case "waiting":
            return rules.waiting
        case "finished":
            return rules.finished
        case "trouble":
            return rules.trouble


def _is_blip(entry: Entry) -> bool:
    """Trouble that does not last yet needs no record: each start of the Control Room would leave some."""
    return entry.episode.kind == "trouble" and entry.state == "waiting"


def _is_busy(agent: Seen | None) -> bool:
    return agent is not None and agent.activity in ("working", "helpers", "blocked")


def _lately(spent: Iterable[int], now_ms: int) -> list[int]:
    return [at_ms for at_ms in spent if 0 <= now_ms - at_ms < BURST_MS]


def _entry_id(*parts: object) -> str:
    digest = hashlib.blake2b("\0".join(map(str, parts)).encode(errors="replace"), digest_size=12)
    return f"ntf_{digest.hexdigest()}"

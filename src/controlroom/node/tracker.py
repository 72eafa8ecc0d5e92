"""Keeps the truth of one machine: which agents live, what they do, since when, and how we know.

Once a second (right after our own acts, and more often while they take effect) it lists the panes, asks each
driver what it finds, ties processes to durable agents, derives each agent's activity from its facts, and
publishes a snapshot.
Everything decided here is decided by pure functions of ``core``; this part carries facts to them and results
away.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec
import structlog

from controlroom.core import finished, strays
from controlroom.core.facts import AgentFacts, Fact, Fault, Reported
from controlroom.core.identity import KnownAgent, SeenProcess, Tie, tie_processes
from controlroom.core.server_ends import ServerEnd, ends_now
from controlroom.kit.clock import Clock, new_id, wait_at_most
from controlroom.kit.health import HealthBoard
from controlroom.node.agents.base import Driver, Found, Sighting
from controlroom.node.agents.launching import Launch
from controlroom.node.branch import Branches
from controlroom.node.chats import ChatBook
from controlroom.node.journal.journal import Chat, Journal
from controlroom.node.journal.records import AgentRecord
from controlroom.node.mux.base import PaneBusy, PaneGone, PaneRef
from controlroom.node.portrait import Portrait, paint
from controlroom.node.snapshot import SnapshotBoard
from controlroom.node.world import PaneWorld
from controlroom.wire.model import Activity, Health
from controlroom.wire.node import AgentState

_log = structlog.get_logger("tracker")

GONE_SHOWN_MS = 24 * 3600 * 1000
"""An agent that ended stays in the list for a day; its id and chats are kept for ever."""

LOOKS_AT_ONCE = 8
LOOK_S = 5.0
"""One agent's facts may take this long; beyond it the agent is shown as not known and holds up nobody."""

OFTEN_S = 0.3  # between two looks, while something is on its way that no multiplexer tells

SUSPENDED = "It is suspended (Ctrl-Z) and does nothing: type fg in its pane."

_SAID: Mapping[str, Reported] = {"working": "busy", "blocked": "waiting"}
"""What an opinion of a multiplexer is worth: that it has recognised nothing ("idle") is no evidence."""

_LOOK = "controlroom doctor names the fix; as soon as it is made, this goes on by itself."
_SERVER_HELP = {
    "unreadable": "Make it yours again, or name those to look at in tmux.sockets or herdr.sockets.",
    "too_old": "End that server when you can, or name the others in tmux.sockets or herdr.sockets.",
    "failing": "Look what runs there; it is tried again by itself.",
}
"""What to do about a server, by its state."""

_SERVER_ENDED = "Start it again; agents that ended with it can be started anew from the app."


class Tracker:
    """All agents of this machine. ``tick`` is one look; the node calls it."""

    def __init__(
        self,
        *,
        drivers: Sequence[Driver],
        world: PaneWorld,
        journal: Journal,
        board: SnapshotBoard,
        health: HealthBoard,
        clock: Clock,
    ) -> None:
        self._drivers = {driver.kind: driver for driver in drivers}
        self._world = world
        self._journal = journal
        self._board = board
        self._health = health
        self._clock = clock
        self._branches = Branches()
        self._chats = ChatBook()
        self._records: dict[str, AgentRecord] = {}
        self._saved: dict[str, AgentRecord] = {}
        self._living: dict[str, Sighting] = {}
        self._portraits: dict[str, Portrait] = {}
        self._last_facts: dict[str, AgentFacts] = {}
        self._last_seen: dict[str, Sighting] = {}
        self._now_of: dict[str, str] = {}
        self._suspended: dict[str, int] = {}  # since when
        self._strayed: dict[str, int] = {}
        self._ended_servers: tuple[ServerEnd, ...] = ()
        self._expected: Callable[[], Mapping[PaneRef, str]] = dict
        self._ours: Mapping[PaneRef, str] = {}  # what was expected at this look
        self._poked = asyncio.Event()
        self._often_until = 0.0
        self._watching_ms = clock.now_ms()
        self._looked_ms = self._watching_ms  # when the look before the present one began

    async def load(self) -> None:
        """Remember what the journal holds."""
        self._records = {record.id: record for record in await self._journal.agents()}
        self._saved = dict(self._records)
        self._chats.load(await self._journal.chats())
        self._now_of = {id: record.id for record in self._records.values() for id in record.former}

    # ---- what others ask -------------------------------------------------------------------------------

    def present_id(self, agent_id: str) -> str:
        """The id of the agent to which this one gave way, else its own."""
        while (later := self._now_of.get(agent_id)) is not None:
            agent_id = later
        return agent_id

    def sighting(self, agent_id: str) -> Sighting | None:
        """The living process of an agent, None when it does not run now."""
        return self._living.get(agent_id)

    def folder(self, agent_id: str) -> str:
        """The folder in which an agent works, or worked last; "" when it has none."""
        record = self._records.get(self.present_id(agent_id))
        return "" if record is None else record.folder

    def activity(self, agent_id: str) -> Activity | None:
        """Its present activity, None for an agent that was never known."""
        portrait = self._portraits.get(agent_id)
        if portrait is not None:
            return portrait.state.activity
        return "gone" if agent_id in self._records else None

    def facts(self, agent_id: str) -> AgentFacts | None:
        return self._last_facts.get(agent_id)

    def driver_of(self, agent_id: str) -> Driver:
        """Raises KeyError for an agent that was never known, or whose kind has no driver any more."""
        return self._drivers[self._records[agent_id].kind]

    def driver_for(self, kind: str) -> Driver | None:
        """The driver of a kind of agent, None when there is none here."""
        return self._drivers.get(kind)

    def record(self, agent_id: str) -> AgentRecord | None:
        """What is remembered of an agent."""
        return self._records.get(self.present_id(agent_id))

    def living(self) -> Iterable[Sighting]:
        """All agents that live now."""
        return self._living.values()

    def agent_in(self, pane: PaneRef) -> str | None:
        return next((id for id, who in self._living.items() if who.pane == pane), None)

    def chat(self, chat_id: str) -> Chat | None:
        return self._chats.get(chat_id)

    def has_spoken(self, chat_id: str) -> bool:
        return self._chats.has_spoken(chat_id)

    def living_profiles(self) -> tuple[tuple[str, str], ...]:
        """Kind and config folder of the agents that live now."""
        return tuple(dict.fromkeys((who.kind, who.profile) for who in self._living.values()))

    def agents_of_sessions(self) -> dict[str, str]:
        """The agent of each session that was ever seen here."""
        return {
            session: self.present_id(record.id)
            for record in self._records.values()
            for session in record.sessions
        }

    # ---- what operations say ---------------------------------------------------------------------------

    def expect(self, expected: Callable[[], Mapping[PaneRef, str]]) -> None:
        """Who tells, at each look, in which panes we started which agent."""
        self._expected = expected

    def free_name(self, base: str, agent_id: str = "") -> str:
        """This name, numbered when another listed agent has it already."""
        taken = {r.name for r in self._records.values() if r.id != agent_id and self._is_listed(r)}
        name, number = base, 2
        while name in taken:
            name, number = f"{base} {number}", number + 1
        return name

    def name(self, agent_id: str, name: str) -> None:
        """Call an agent so, whatever it calls itself. It is shown and stored with the next look."""
        record = self._records[agent_id]
        self._records[agent_id] = msgspec.structs.replace(record, name=name, named=name)
        if not record.is_alive:
            self._portraits.pop(agent_id, None)

    def remember_launch(self, agent_id: str, launch: Launch) -> None:
        """How an agent runs that is going to be ended: so it can be started again."""
        self._records[agent_id] = msgspec.structs.replace(self._records[agent_id], launch=launch)

    def belongs_to(self, agent_id: str, profile: str) -> None:
        """Where an agent that does not run now would go on: it may have been tried elsewhere since."""
        record = self._records.get(agent_id)
        if record is not None and not record.is_alive:
            self._records[agent_id] = msgspec.structs.replace(record, profile=profile)

    def close(self, agent_id: str) -> None:
        """An agent that has ended leaves the list; its id and chats are kept."""
        record = self._records[agent_id]
        if not record.is_alive:
            self._records[agent_id] = msgspec.structs.replace(record, is_closed=True)

    def poke(self) -> None:
        """Something was done to an agent: look again soon."""
        self._poked.set()

    def hurry(self, within_s: float) -> None:
        """Something was begun whose effect comes within this time: until then look more often. 0: no more."""
        self._often_until = self._clock.monotonic() + within_s

    # ---- the loop --------------------------------------------------------------------------------------

    async def wait_for_poke(self, at_most_s: float) -> None:
        """Until something was done to an agent, or the time has passed."""
        is_often = self._clock.monotonic() < self._often_until
        await wait_at_most(self._poked, min(OFTEN_S, at_most_s) if is_often else at_most_s)

    async def tick(self) -> None:
        """One look at everything."""
        self._poked.clear()
        began = self._clock.now_ms()
        await self._world.refresh()
        self._report_multiplexers()
        sightings = await self._find()
        now = self._clock.now_ms()
        ties = self._tie(sightings)
        living: dict[str, Sighting] = {}
        for tie, who in zip(ties, sightings, strict=True):
            record = self._adopt(tie, who, now)
            living[record.id] = who
        self._drop_newcomers_without_a_past(living)
        missing = [id for id, record in self._records.items() if record.is_alive and id not in living]
        unseen = [id for id in missing if self._lives_on(self._records[id])]
        departed = [id for id in missing if id not in unseen]
        twice = {tie.incarnation for tie in ties if tie.is_open_twice}
        todo = iter(living.items())
        await asyncio.gather(
            *(self._look_at_each(todo, twice) for _ in range(LOOKS_AT_ONCE)),
            *(self._say_farewell(id, now) for id in departed),
        )
        for id in unseen:
            self._lose_sight(id)
        self._living = living
        self._looked_ms = began
        await self._save()
        await self._publish(now)
        for id, who in living.items():
            await self._hint(id, who)

    async def _find(self) -> list[Sighting]:
        sightings: list[Sighting] = []
        for kind, driver in self._drivers.items():
            try:
                found = await driver.find()
                self._health.clear(f"agents:{kind}:failing")
            except Exception as error:  # noqa: BLE001 - one kind's trouble must not hide the others
                _log.warning("looking for agents failed", kind=kind, exc_info=error)
                self._health.raise_(
                    f"agents:{kind}:failing",
                    f"Agents of kind {kind} cannot be looked for",
                    "They are shown as they were. Run controlroom doctor and look into the log.",
                )
                found = Found(tuple(w for w in self._living.values() if w.kind == kind))
            sightings += found.sightings
            self._health.replace(
                f"agents:{kind}:problem:",
                [(f"agents:{kind}:problem:{code}", text, text) for code, text in found.problems],
            )
        return self._world.innermost(sightings)

    def _tie(self, sightings: list[Sighting]) -> tuple[Tie, ...]:
        here = {(who.kind, who.incarnation) for who in sightings}
        known = [
            KnownAgent(
                id=r.id,
                kind=r.kind,
                incarnation=r.incarnation,
                sessions=r.sessions,
                lives_unseen=r.is_alive and (r.kind, r.incarnation) not in here and self._lives_on(r),
            )
            for r in self._records.values()
        ]
        self._ours = expected = self._expected()
        seen = [
            SeenProcess(
                kind=who.kind,
                incarnation=who.incarnation,
                session_id=who.session_id,
                ancestors=who.ancestors,
                started_for=None if who.pane is None else expected.get(who.pane),
            )
            for who in sightings
        ]
        return tie_processes(known, seen)

    def _adopt(self, tie: Tie, who: Sighting, now: int) -> AgentRecord:
        """The record of the agent that this process is, brought up to date."""
        record = self._records.get(tie.agent_id or "")
        if record is None:
            chat = self._chats.open(new_id("cht"), agent_id := new_id("agt"), who)
            record = AgentRecord(
                id=agent_id,
                kind=who.kind,
                name=self._free_name(who, agent_id),
                chat_id=chat.id,
                created_ms=now,
                rule=tie.rule,
                incarnation=who.incarnation,
                is_alive=True,
                since_ms=now,
                stretch=finished.begin(
                    watching_ms=self._watching_ms, looked_ms=self._looked_ms, started_ms=who.started_at_ms
                ),
            )
        elif record.incarnation != who.incarnation:
            stretch = finished.taken_up(record.stretch, who.started_at_ms)
            record = msgspec.structs.replace(record, rule=tie.rule, stretch=stretch)
        chat = self._chats.follow(record.id, record.chat_id, who, lambda: new_id("cht"))
        sessions = record.sessions
        if who.session_id and who.session_id not in sessions:
            sessions = (*sessions, who.session_id)
        name = record.name
        if not record.named and who.name and who.name != name and not name.startswith(f"{who.name} "):
            name = self._free_name(who, record.id)
        adopted = msgspec.structs.replace(
            record,
            name=name,
            chat_id=chat.id,
            incarnation=who.incarnation,
            is_alive=True,
            sessions=sessions,
            profile=who.profile,
            folder=who.folder,
            pane=who.pane,
            gone_ms=None,
            is_closed=False,
            pane_incarnation=self._incarnation(who.pane),
            strayed_from=self._strayed_from(record, who),
        )
        if adopted != self._records.get(record.id):
            self._records[record.id] = adopted
        return self._records[record.id]

    def _incarnation(self, ref: PaneRef | None) -> str:
        """That of a pane whose multiplexer starts agents by itself; elsewhere a person does."""
        pane = None if ref is None else self._world.pane(ref)
        return pane.incarnation if pane is not None and pane.comes_back else ""

    def _strayed_from(self, record: AgentRecord, who: Sighting) -> str:
        change: strays.Change = "same_process" if record.incarnation == who.incarnation else "other"
        if who.pane in self._ours:
            change = "ours"
        was = strays.Stay(repr(record.pane), record.pane_incarnation, record.profile)
        now = strays.Stay(repr(who.pane), self._incarnation(who.pane), who.profile)
        return strays.strayed_from(was, now, record.strayed_from, change)

    def _free_name(self, who: Sighting, agent_id: str) -> str:
        """The agent's own name, else its folder's; numbered when a listed agent has it already."""
        return self.free_name(who.name or who.folder.rstrip("/").rpartition("/")[2] or who.kind, agent_id)

    def _drop_newcomers_without_a_past(self, living: dict[str, Sighting]) -> None:
        """An agent that was made for a starting process, and gave way to an older one, leaves only its id:
        what was sent to it goes to the older one."""
        holders = {who.incarnation: id for id, who in living.items()}
        for id in [id for id, r in self._records.items() if r.is_alive and not r.sessions]:
            if id in living or (holder := holders.get(self._records[id].incarnation)) is None:
                continue
            older = self._records[holder]
            self._records[holder] = msgspec.structs.replace(older, former=(*older.former, id))
            self._now_of[id] = holder
            del self._records[id]
            self._portraits.pop(id, None)
            self._last_facts.pop(id, None)

    async def _look_at_each(self, todo: Iterator[tuple[str, Sighting]], twice: set[str]) -> None:
        """Take agents from ``todo``, which several share, until none is left."""
        for id, who in todo:
            await self._look(id, who, is_twice=who.incarnation in twice)

    async def _look(self, id: str, who: Sighting, *, is_twice: bool) -> None:
        driver = self._drivers[who.kind]
        try:
            facts = driver.glance(who)
            if facts is None:
                async with asyncio.timeout(LOOK_S):
                    facts = await driver.facts(who)
        except Exception as error:  # noqa: BLE001 - one agent's trouble must not hide the others
            _log.warning("facts of an agent failed", agent=id, exc_info=error)
            facts = self._last_facts.get(id) or _no_facts(who)
        self._last_facts[id] = facts
        self._last_seen[id] = who
        facts = self._unless_strayed(id, self._witnessed(who, facts))
        self._portray(id, who, self._unless_suspended(id, who, facts), is_twice=is_twice)

    def _witnessed(self, who: Sighting, facts: AgentFacts) -> AgentFacts:
        """The facts, and what the multiplexer thinks of this agent."""
        pane = None if who.pane is None else self._world.pane(who.pane)
        opinion = None if pane is None else pane.opinion
        said = None if opinion is None or opinion.kind != who.kind else _SAID.get(opinion.state)
        if pane is None or opinion is None or said is None:
            return facts
        source = pane.ref.multiplexer
        witness = Fact(said, source, f"{source} calls it {opinion.state}", opinion.at_ms)
        return msgspec.structs.replace(facts, witness=witness)

    def _unless_strayed(self, id: str, facts: AgentFacts) -> AgentFacts:
        """The facts; of an agent that came back on another account, the fault that says so."""
        record = self._records[id]
        if not record.strayed_from:
            self._strayed.pop(id, None)
            return facts
        since_ms = self._strayed.setdefault(id, self._clock.now_ms())
        text = strays.words(record.profile, record.strayed_from)
        return msgspec.structs.replace(facts, fault=Fault("other_account", text, since_ms))

    def _unless_suspended(self, id: str, who: Sighting, facts: AgentFacts) -> AgentFacts:
        """The facts; of a process that somebody stopped, the fault that says how it goes on."""
        pid = who.incarnation.partition("@")[0]
        if not (pid.isdigit() and self._world.processes.is_stopped(int(pid))):
            self._suspended.pop(id, None)
            return facts
        since_ms = self._suspended.setdefault(id, self._clock.now_ms())
        return msgspec.structs.replace(facts, fault=Fault("suspended", SUSPENDED, since_ms))

    def _lives_on(self, record: AgentRecord) -> bool:
        """Its process lives although no driver names it: its pane cannot be seen now (a server that does
        not answer, a start that has not listed everything yet). That is not an end."""
        pid, _, start = record.incarnation.partition("@")
        return pid.isdigit() and self._world.processes.start_of(int(pid)) == start

    def _lose_sight(self, id: str) -> None:
        who = self._last_seen.get(id) or _remembered(self._records[id])
        facts = self._last_facts.get(id) or _no_facts(who)
        self._portray(id, who, msgspec.structs.replace(facts, read_at_ms=0), is_twice=False)

    async def _say_farewell(self, id: str, now: int) -> None:
        record = self._records[id]
        who = self._last_seen.get(id) or self._living.get(id) or _remembered(record)
        try:
            async with asyncio.timeout(LOOK_S):
                facts = await self._drivers[record.kind].farewell(who)
        except Exception as error:  # noqa: BLE001 - see _look
            _log.warning("farewell of an agent failed", agent=id, exc_info=error)
            facts = AgentFacts(
                read_at_ms=now, started_at_ms=0, alive=Fact(False, "process", "its process ended", now)
            )
        self._last_facts[id] = facts
        self._records[id] = msgspec.structs.replace(record, is_alive=False, gone_ms=now)
        self._portray(id, who, facts, is_twice=False)

    def _portray(self, id: str, who: Sighting, facts: AgentFacts, *, is_twice: bool) -> None:
        if facts.mark:
            self._chats.spoke(self._records[id].chat_id)
        portrait = paint(
            self._records[id],
            who,
            facts,
            before=self._portraits.get(id),
            now_ms=self._clock.now_ms(),
            looked_ms=self._looked_ms,
            branch=self._branches.of(who.folder, self._clock.now_ms()),
            is_twice=is_twice,
        )
        self._portraits[id] = portrait
        self._records[id] = portrait.record

    def _is_listed(self, record: AgentRecord) -> bool:
        if record.is_closed:
            return False
        return record.is_alive or self._clock.now_ms() - (record.gone_ms or 0) < GONE_SHOWN_MS

    async def _save(self) -> None:
        changed = [r for id, r in self._records.items() if self._saved.get(id) != r]
        chats = self._chats.take_changed()
        dropped = [id for id in self._saved if id not in self._records]
        if changed or chats or dropped:
            await self._journal.save_agents(changed, chats, dropped)
            self._saved = dict(self._records)

    async def _publish(self, now: int) -> None:
        states: list[AgentState] = []
        for id, record in self._records.items():
            if not self._is_listed(record):
                continue
            if id not in self._portraits:  # gone since before this start
                facts = AgentFacts(
                    read_at_ms=now,
                    started_at_ms=record.created_ms,
                    alive=Fact(False, "process", "its process ended", record.gone_ms or now),
                    ended_cleanly=True,
                )
                self._portray(id, _remembered(record), facts, is_twice=False)
            states.append(self._portraits[id].state)
        health = tuple(
            Health(code=item.code, title=item.title, since_ms=item.since_ms, do=item.do)
            for item in self._health.items
        )
        await self._board.publish(tuple(states), health)

    def _report_multiplexers(self) -> None:
        listing = self._world.listing
        troubles = [
            (f"multiplexer:{server.path}", server.problem, _SERVER_HELP.get(server.state, _LOOK))
            for server in listing.servers
            if server.state != "ok"
        ]
        if listing.problem:
            troubles.append(("multiplexer:missing", listing.problem, _LOOK))
        else:  # without a multiplexer that can be asked, nothing is known of servers
            panes = (who.pane for who in self._living.values() if who.pane is not None)
            lived = Counter((pane.multiplexer, pane.server) for pane in panes)
            servers = {server.path for server in listing.servers}
            self._ended_servers = ends_now(self._ended_servers, lived, servers, self._clock.now_ms())
        troubles += [(f"multiplexer:{one.path}", one.title, _SERVER_ENDED) for one in self._ended_servers]
        self._health.replace("multiplexer:", troubles)

    async def _hint(self, id: str, who: Sighting) -> None:
        if who.pane is None:
            return
        try:
            await self._world.hint(who.pane, id)
        except (PaneGone, PaneBusy):
            return  # a hint only: the next look tries again


def _no_facts(who: Sighting) -> AgentFacts:
    """Alive, and nothing else is known."""
    return AgentFacts(
        read_at_ms=0,
        started_at_ms=who.started_at_ms,
        alive=Fact(True, "process", "its process lives", who.started_at_ms),
    )


def _remembered(record: AgentRecord) -> Sighting:
    """The last sighting of an agent that is known from the journal only."""
    return Sighting(
        kind=record.kind,
        incarnation=record.incarnation,
        session_id=record.sessions[-1] if record.sessions else None,
        folder=record.folder,
        profile=record.profile,
        pane=record.pane,
    )

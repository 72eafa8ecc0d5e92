"""The fleet as lines for a terminal: pure, right at 80 columns and with wide characters.

Groups come in the order of the design: what needs the person first, the longest waiting on top. Order depends
on stable times only, so that nothing moves while nothing changes. When the height is limited, the rows of the
lower groups give up their second line first; what needs the person is the last to be cut.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable

import msgspec

from controlroom.cli import text, times
from controlroom.cli.look import Span, between, compose
from controlroom.cli.palette import Role
from controlroom.cli.states import ACTIVITY_WORDS, GROUP_TITLES, GROUPS, Group, State, state_of
from controlroom.wire.model import Agent, Fleet, Machine

INDENT = 4
NAME_WIDTH = {False: 22, True: 30}  # narrow, wide
WIDE, NARROW = 100, 64
GONE_SHOWN_MS = 12 * times.HOUR_MS

Key = Callable[[tuple[Agent, State]], tuple[bool, int, str, str]]
Level = dict[Group, int]  # lines of text under (or, when 0, within) a row of this group
_FULL: Level = {"needs": 2, "finished": 2, "working": 1, "helpers": 1, "idle": 1, "unknown": 1, "gone": 1}
_LESS: Level = {"needs": 2, "finished": 1, "working": 1, "helpers": 1, "idle": 0, "unknown": 0, "gone": 0}
_ONLY_NEEDS: Level = dict.fromkeys(GROUPS, 0) | {"needs": 2}
_NONE: Level = dict.fromkeys(GROUPS, 0)
LEVELS = ((_FULL, True), (_LESS, True), (_ONLY_NEEDS, True), (_ONLY_NEEDS, False), (_NONE, False))
"""From the fullest picture to the shortest: lines of text for each row, and blank lines between groups."""


class Section(msgspec.Struct, frozen=True):
    """One heading with its rows, in order. ``away``: of a machine that cannot be reached."""

    title: str
    rows: tuple[tuple[Agent, State], ...]
    away: bool = False


class FleetView(msgspec.Struct, frozen=True):
    """What a picture of the fleet needs besides the fleet itself."""

    now_ms: int
    width: int
    height: int | None = None  # None: as many lines as it takes
    colour: bool = False
    note: str = ""  # stands at the right end of the first line
    everything: bool = False  # archived agents and those gone long ago too


def render_fleet(fleet: Fleet, view: FleetView) -> list[str]:
    """The whole picture, at most ``height`` lines of at most ``width`` cells."""
    sections, hidden = arrange(fleet, view)
    head = [_headline(fleet, sections, view), ""]
    if not sections:
        return (head + _nobody(view, hidden))[: view.height]
    tail = [compose([(hidden, "meta")], view.width, view.colour)] if hidden else []
    names = {machine.id: text.line(machine.name) for machine in fleet.machines}
    draw = _Body(view, names if len(names) > 1 else {}, sections)
    room = sys.maxsize if view.height is None else max(view.height - len(head) - len(tail), 0)
    for level, gaps in LEVELS:
        lines = draw.lines(level, gaps)
        if len(lines) <= room:
            return head + lines + tail
    return (head + draw.first(room + len(tail) - 1))[: view.height]


def arrange(fleet: Fleet, view: FleetView) -> tuple[list[Section], str]:
    """The sections in order, and a sentence about what is not shown ("" when all is)."""
    away = {machine.id: machine for machine in fleet.machines if not machine.online}
    groups: dict[Group, list[tuple[Agent, State]]] = {group: [] for group in GROUPS}
    lost: dict[str, list[tuple[Agent, State]]] = {}
    archived = gone = 0
    for agent in fleet.agents:
        state = state_of(agent)
        if agent.archived and not view.everything:
            archived += 1
        elif state.group == "gone" and view.now_ms - state.since_ms > GONE_SHOWN_MS and not view.everything:
            gone += 1
        elif agent.machine_id in away:
            lost.setdefault(agent.machine_id, []).append((agent, state))
        else:
            groups[state.group].append((agent, state))
    sections = [
        Section(GROUP_TITLES[group], tuple(sorted(rows, key=_order(group))))
        for group, rows in groups.items()
        if rows
    ]
    for machine_id, rows in lost.items():
        sections.append(
            Section(_away_title(away[machine_id], view), tuple(sorted(rows, key=_order("idle"))), True)
        )
    parts = [f"{archived} archived"] * bool(archived) + [f"{gone} gone earlier"] * bool(gone)
    return sections, f"Not shown: {', '.join(parts)} (controlroom fleet --all)" if parts else ""


def _order(group: Group) -> Key:
    newest_first = group in ("finished", "idle", "unknown", "gone")

    def key(row: tuple[Agent, State]) -> tuple[bool, int, str, str]:
        agent, state = row
        since = -state.since_ms if newest_first else state.since_ms
        return (not agent.pinned, since, agent.name, agent.id)

    return key


def _away_title(machine: Machine, view: FleetView) -> str:
    seen = times.span(view.now_ms - machine.last_seen_ms)
    return f"{text.line(machine.name, 40)} is not reachable, seen {seen} ago"


def _headline(fleet: Fleet, sections: list[Section], view: FleetView) -> str:
    shown = sum(len(section.rows) for section in sections)
    needs = sum(len(section.rows) for section in sections if section.title == GROUP_TITLES["needs"])
    left: list[Span] = [("Control Room", "head")]
    left.append((f" · {shown} agent{'s' * (shown != 1)} · ", "meta"))
    if needs:
        left.append((f"{needs} need{'s' * (needs == 1)} you", "lamp"))
    else:
        left.append(("nothing waits for you", "meta"))
    return between(left, [(view.note, "meta")], view.width, view.colour)


def _nobody(view: FleetView, hidden: str) -> list[str]:
    sentences = [
        "No agents yet.",
        "Start one in tmux, for example:  tmux new -s work claude",
        "Or see the whole thing with scripted agents:  controlroom demo",
    ]
    if hidden:
        sentences = ["No agent runs now.", hidden]
    return [compose([(entry, "plain")], view.width, view.colour) for entry in sentences]


class _Body:
    """Draws the sections below the headline, with columns that all rows share."""

    def __init__(self, view: FleetView, machines: dict[str, str], sections: list[Section]) -> None:
        self._view = view
        self._machines = machines
        self._sections = sections
        rows = [row for section in sections for row in section.rows]
        self._age_width = max((len(self._age(state)) for _, state in rows), default=0)
        widest = max((text.cells(_name(agent)) for agent, _ in rows), default=0)
        self._words = {id(agent): what(agent, state, view.now_ms) for agent, state in rows}
        self._name_width = min(widest, NAME_WIDTH[view.width >= WIDE])

    def lines(self, level: Level, gaps: bool) -> list[str]:
        """All sections, with this much text for each row."""
        found: list[str] = []
        for section in self._sections:
            if found and gaps:
                found.append("")
            found.append(self._title(section))
            for agent, state in section.rows:
                found += self._row(agent, state, 0 if section.away else level[state.group], section.away)
        return found

    def first(self, room: int) -> list[str]:
        """One line for each row, as many as ``room`` holds, then how many are missing."""
        found: list[str] = []
        missing = 0
        for section in self._sections:
            if len(found) + 1 < room:
                found.append(self._title(section))
            for agent, state in section.rows:
                if len(found) < room:
                    found += self._row(agent, state, 0, section.away)
                else:
                    missing += 1
        note = f"{missing} more below: make the window taller, or run controlroom fleet"
        return [*found, compose([(note, "meta")], self._view.width, self._view.colour)]

    def _title(self, section: Section) -> str:
        lit = section.title == GROUP_TITLES["needs"]
        role: Role = "lamp" if lit else "meta" if section.away else "head"
        return compose([(section.title, role)], self._view.width, self._view.colour)

    def _age(self, state: State) -> str:
        return times.span(self._view.now_ms - state.since_ms)

    def _row(self, agent: Agent, state: State, count: int, away: bool) -> list[str]:
        width, colour = self._view.width, self._view.colour
        role: Role = "rest" if away else state.role
        words = self._words[id(agent)]
        if width < NARROW:
            return self._narrow_row(agent, state, count, role, words)
        where = meta(agent, self._machines)
        left: list[Span] = [
            (f" {state.lamp} {state.word:<18} ", role),
            (f"{self._age(state):>{self._age_width}}  ", role if state.group == "needs" else "meta"),
            (text.pad(_name(agent), self._name_width), "meta" if away else "name"),
        ]
        if agent.unread:
            left.append((f"  {agent.unread} new", "plain"))
        if count == 0 and words:
            left.append((f"  {words}", "meta"))
            right: list[Span] = [(where, "meta")] if width >= WIDE else []
            return [between(left, right, width, colour) if right else compose(left, width, colour)]
        left.append((f"  {where}", "meta"))
        return [compose(left, width, colour), *self._text(words, count, state)]

    def _narrow_row(self, agent: Agent, state: State, count: int, role: Role, words: str) -> list[str]:
        left: list[Span] = [(f" {state.lamp} ", role), (_name(agent), "name"), (f"  {state.word}", role)]
        first = between(left, [(self._age(state), "meta")], self._view.width, self._view.colour)
        return [first, *self._text(words, count, state)]

    def _text(self, words: str, count: int, state: State) -> list[str]:
        if not words or not count:
            return []
        width = self._view.width - INDENT
        wrapped = text.wrap(words, width)
        if len(wrapped) > count:
            wrapped = [*wrapped[: count - 1], text.clip(" ".join(wrapped[count - 1 :]), width)]
        tone: Role = "plain" if state.group in ("needs", "finished") else "meta"
        return [
            compose([(" " * INDENT + entry, tone)], self._view.width, self._view.colour) for entry in wrapped
        ]


def _name(agent: Agent) -> str:
    return text.line(agent.name, 100) or text.line(agent.id, 100) or "(no name)"


def meta(agent: Agent, machines: dict[str, str]) -> str:
    """Where it runs and what it is, the shorter the more certain: ``~/work/orchard · claude``."""
    parts = [short_folder(agent.folder)] if agent.folder else []
    parts.append(text.line(agent.kind, 20))
    if machine := machines.get(agent.machine_id):
        parts.append(machine)
    if agent.uncertain:
        parts.append("mapping uncertain")
    return " · ".join(parts)


def short_folder(folder: str, width: int = 26) -> str:
    """A folder for people: the home folder as ``~``; of a long one the last two names."""
    clean = re.sub(r"^(/home/[^/]+|/Users/[^/]+|/root)(?=/|$)", "~", text.line(folder))
    parts = clean.split("/")
    if text.cells(clean) > width and len(parts) > 3:
        clean = "/".join(["…", *parts[-2:]])
    return text.clip_left(clean, width)


def what(agent: Agent, state: State, now_ms: int) -> str:
    """One line of what it wants or does; "" when nothing is known."""
    if agent.fault is not None:
        return text.summary(agent.fault.text)
    if state.group == "needs":
        return _wanted(agent)
    if state.group == "finished" and agent.finished is not None:
        busy = f"Worked {times.span(agent.finished.busy_ms)}. " if agent.finished.busy_ms else ""
        return busy + text.summary(agent.finished.text)
    if agent.activity == "helpers":
        count = f"Waiting on {agent.helpers} helper{'s' * (agent.helpers != 1)}"
        return ": ".join(part for part in (count, _header_or_last(agent)) if part)
    if agent.activity == "working":
        return _header_or_last(agent)
    if agent.activity == "idle":
        return _last(agent)
    missing = text.summary(agent.evidence.detail)
    if agent.was is not None:
        word = ACTIVITY_WORDS.get(agent.was.activity, "not known")
        return f"{missing} Was {word} {times.span(now_ms - agent.was.at_ms)} ago.".strip()
    return missing


def _wanted(agent: Agent) -> str:
    """The prompt's text, its parts told apart; of a question the evidence is its first sentence."""
    if agent.waiting_for is not None:
        parts = re.split(r"\n\s*\n", agent.waiting_for.text.strip())
        return " · ".join(said for part in parts if (said := text.summary(part)))
    return text.summary(agent.evidence.detail)


def _header_or_last(agent: Agent) -> str:
    return text.summary(agent.header) if agent.header else _last(agent)


def _last(agent: Agent) -> str:
    if agent.last is None:
        return ""
    words = text.summary(agent.last.text)
    return f"You: {words}" if agent.last.author == "user" and words else words


def counts(agents: Iterable[Agent]) -> dict[Group, int]:
    """How many agents stand in each group, archived ones left out."""
    found = dict.fromkeys(GROUPS, 0)
    for agent in agents:
        if not agent.archived:
            found[state_of(agent).group] += 1
    return found

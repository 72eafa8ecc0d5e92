"""Days in the life of a control room, as streams of events with the exact notifications that come of them.

One file is one day (``tests/fixtures/notify``). A line is a time and what happens; lines with ``>`` are what
goes out, and nothing else may. Lines with ``=`` at the end say what became of an episode, and why.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
from msgspec.structs import replace

from controlroom.core.notify.desk import new_desk, step, woken
from controlroom.core.notify.model import (
    Asked,
    Choice,
    Desk,
    Done,
    Entry,
    Facts,
    Outcome,
    Push,
    Rules,
    Seen,
    Silent,
    Snooze,
    Stands,
    Trouble,
)
from controlroom.core.notify.quiet import read_quiet

CORPUS = Path(__file__).parent.parent / "fixtures" / "notify"
ZONE = ZoneInfo("Europe/Berlin")
FIRST = datetime(2026, 11, 30, tzinfo=ZONE)
STEP_MS = 20_000  # fewer looks than the hub takes (one each second), and quicker


class Day(msgspec.Struct, frozen=True):
    """One file: what happens, what shall go out, and what shall have become of it."""

    title: str
    events: tuple[tuple[int, tuple[str, ...]], ...]
    pushes: tuple[str, ...]
    fates: tuple[str, ...]


def days() -> Iterator[tuple[str, Day]]:
    for path in sorted(CORPUS.glob("*.txt")):
        yield path.stem, read_day(path.read_text(encoding="utf-8"))


def read_day(text: str) -> Day:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    events, pushes, fates = [], [], []
    for line in lines[1:]:
        if line.startswith("="):
            fates.append(line)
            continue
        at, said = line.split(maxsplit=1)
        if said.startswith(">"):
            pushes.append(line)
        else:
            events.append((moment(at), tuple(shlex.split(said))))
    return Day(lines[0].removeprefix("# "), tuple(events), tuple(pushes), tuple(fates))


def moment(text: str) -> int:
    """``09:30:00``, or ``2/09:30:00`` on the second day, by the wall clock."""
    day, slash, clock = text.rpartition("/")
    hour, minute, second = (int(part) for part in clock.split(":"))
    date = FIRST.date() + timedelta(days=int(day) - 1 if slash else 0)
    at = datetime(date.year, date.month, date.day, hour, minute, second, tzinfo=ZONE)
    return int(at.timestamp() * 1000)


def shown_moment(at_ms: int) -> str:
    at = datetime.fromtimestamp(at_ms / 1000, ZONE)
    days = (at.date() - FIRST.date()).days
    return (f"{days + 1}/" if days else "") + at.strftime("%H:%M:%S")


def shown_push(push: Push) -> str:
    parts = [f"{push.kind}/{push.urgency}", push.tag, f'"{push.title}"']
    parts.append(f'"{push.text}"'.replace("\n", " / "))
    if push.choices:
        parts.append("[" + "|".join(one.label for one in push.choices) + "]")
    return " ".join((*parts, f"badge={push.badge}"))


class Room:
    """What is so at one moment, and the desk that looks at it."""

    def __init__(self) -> None:
        self.now = moment("00:00:00")
        self.desk: Desk = new_desk(self.now)
        self.rules = Rules()
        self.agents: dict[str, Seen] = {}
        self.machines: dict[str, str] = {}
        self.away: dict[str, int] = {}
        self.questions: dict[str, Asked] = {}
        self.troubles: dict[str, Trouble] = {}
        self.out: list[str] = []
        self.records: dict[str, Entry] = {}
        self.is_asleep = False
        self.next: int | None = None
        self.steps = 0

    def facts(self) -> Facts:
        known = {name: self.machines[name] not in self.away for name in self.agents}
        return Facts(
            questions=tuple(self.questions.values()),
            agents=tuple(replace(agent, is_known=known[name]) for name, agent in self.agents.items()),
            silent=tuple(
                Silent(
                    machine_id=name,
                    name=name,
                    seen_ms=seen_ms,
                    agents=sum(self.machines[agent] == name for agent in self.agents),
                )
                for name, seen_ms in self.away.items()
            ),
            troubles=tuple(self.troubles.values()),
        )

    def look(self) -> Outcome:
        if not self.is_asleep and self.now - self.desk.stepped_ms > STEP_MS:
            self.desk = replace(self.desk, stepped_ms=self.now - STEP_MS)  # it looked meanwhile
        self.steps += 1
        outcome = step(self.desk, self.facts(), self.rules, self.now, ZONE)
        self.desk, self.next = outcome.desk, outcome.next_ms
        at = shown_moment(self.now)
        self.out += [f"{at} > {shown_push(push)}" for push in outcome.pushes]
        self.out += [f"{at} > gone {tag} badge={outcome.badge}" for tag in outcome.gone]
        for entry in outcome.changed:
            self.records[entry.episode.key] = entry
        return outcome

    def until(self, at_ms: int) -> None:
        """Let time pass: look whenever the desk wants to."""
        while not self.is_asleep and self.next is not None and self.next < at_ms:
            self.now = max(self.next, self.now + 1)
            self.look()
        self.now = at_ms

    def play(self, day: Day) -> None:
        for at_ms, words in day.events:
            self.until(at_ms)
            verb, *rest = words
            plain = [word for word in rest if "=" not in word or " " in word.partition("=")[0]]
            named = dict(word.split("=", 1) for word in rest if word not in plain)
            VERBS[verb](self, plain, named)
            if verb != "sleeps":
                self.look()
                self.is_asleep = False

    def fate(self, key: str) -> str:
        entry = self.records[key]
        return f'= {key} {entry.state} "{entry.why}"'


Verb = Callable[[Room, list[str], Mapping[str, str]], None]


def _at(room: Room, named: Mapping[str, str], name: str = "at") -> int:
    return moment(named[name]) if name in named else room.now


def _set_rules(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    changes: dict[str, object] = {}
    agents = dict(room.rules.agents)
    for key, value in named.items():
        if key == "quiet":
            changes[key] = read_quiet(value)
        elif key == "only_blocking":
            changes[key] = value == "yes"
        elif key.endswith("_after"):
            changes[f"{key}_ms"] = int(value) * 1000
        elif key.startswith("agent."):
            agents[key.removeprefix("agent.")] = value  # type: ignore[assignment] # a word of the fixture
        else:
            changes[key] = value
    room.rules = replace(room.rules, agents=agents, **changes)


def _snooze(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    what = plain[0] if plain else ""
    others = tuple(one for one in room.rules.snoozes if one.what != what)
    ends = (Snooze(what=what, until_ms=moment(named["until"])),) if "until" in named else ()
    room.rules = replace(room.rules, snoozes=others + ends)


def _agent(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    name, activity, *marks = plain
    room.machines[name] = named.get("machine", room.machines.get(name, "studio"))
    old = room.agents.get(name)
    room.agents[name] = Seen(
        id=name,
        name=named.get("name", name),
        chat_id=f"chat-{name}",
        activity=activity,  # type: ignore[arg-type] # a word of the fixture
        since_ms=_at(room, named, "since"),
        is_muted="muted" in marks,
        is_archived="archived" in marks,
        is_faulty="faulty" in marks,
        done=None if old is None or activity in ("working", "helpers") else old.done,
    )


def _blocked(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    name, id, *text = plain
    _agent(room, [name, "blocked"], {**named, "machine": room.machines.get(name, "studio")})
    stands = Stands(
        id=id,
        kind=named.get("kind", "permission"),  # type: ignore[arg-type] # a word of the fixture
        text=" ".join(text),
        since_ms=_at(room, named, "since"),
        has_risk=named.get("risky") == "yes",
    )
    room.agents[name] = replace(room.agents[name], stands=stands)


def _finished(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    name, text = plain
    if "activity" in named or room.agents[name].activity in ("working", "helpers"):
        _agent(room, [name, named.get("activity", "idle")], {})
    done = Done(at_ms=_at(room, named), busy_ms=int(named["busy"]) * 60_000, text=text.replace(" / ", "\n"))
    room.agents[name] = replace(room.agents[name], done=done)


def _read(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    (name,) = plain
    room.agents[name] = replace(room.agents[name], done=None)
    for id, asked in room.questions.items():
        if asked.agent_id == name:
            room.questions[id] = replace(asked, is_read=True)


def _asks(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    name, id, text = plain
    labels = [label for label in named.get("options", "").split("|") if label]
    room.questions[id] = Asked(
        id=id,
        agent_id=name,
        question=text.replace(" / ", "\n"),
        asked_at_ms=_at(room, named),
        is_blocking=named.get("blocking") == "yes",
        choices=tuple(
            Choice(key=str(at), label=label.rstrip("!"), is_risky=label.endswith("!"))
            for at, label in enumerate(labels)
        ),
        is_multi=named.get("multi") == "yes",
        default=named.get("default", ""),
        due_at_ms=moment(named["due"]) if "due" in named else None,
        waiting_id=named.get("waiting", ""),
        more=int(named.get("more", "0")),
        is_open=named.get("open") == "yes",
    )


def _closes(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    for id in plain:
        del room.questions[id]


def _reopens(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    _asks(room, plain, named)
    room.questions[plain[1]] = replace(room.questions[plain[1]], by_hand=True)


def _leaves(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    del room.agents[plain[0]]


def _away(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    room.away[plain[0]] = _at(room, named, "seen")


def _back(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    del room.away[plain[0]]


def _trouble(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    code, title, do = plain
    machine = named.get("machine", "")
    room.troubles[code] = Trouble(
        code=code, title=title, do=do, since_ms=_at(room, named, "since"), machine_id=machine, machine=machine
    )


def _over(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    del room.troubles[plain[0]]


def _restarts(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    kept = msgspec.json.decode(msgspec.json.encode(room.desk), type=Desk)
    room.desk = woken(kept, room.now)


def _begins(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    room.desk = new_desk(room.now)


def _sleeps(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    room.is_asleep = True


def _nothing(room: Room, plain: list[str], named: Mapping[str, str]) -> None:
    """Time passes, or the same is heard again."""


VERBS: Mapping[str, Verb] = {
    "rules": _set_rules,
    "snooze": _snooze,
    "agent": _agent,
    "blocked": _blocked,
    "finished": _finished,
    "read": _read,
    "asks": _asks,
    "closes": _closes,
    "reopens": _reopens,
    "leaves": _leaves,
    "away": _away,
    "back": _back,
    "trouble": _trouble,
    "over": _over,
    "restarts": _restarts,
    "begins": _begins,
    "sleeps": _sleeps,
    "again": _nothing,
}

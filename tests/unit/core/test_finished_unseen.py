"""Turns that nobody saw running: what of them is news at the next look, and what is not."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.activity import Activity
from controlroom.core.finished import NEWBORN_MS, Finished, Look, Stretch, begin, follow, taken_up

T = 1_796_000_000_000
"""When the control room began to watch."""


def look(
    now: int, reply_at: int, *, looked: int | None = None, session: str = "s1", activity: Activity = "idle"
) -> Look:
    return Look(
        activity=activity,
        now_ms=now,
        looked_ms=now - 1000 if looked is None else looked,
        turn="ended" if reply_at else "none",
        reply_at_ms=reply_at,
        reply="Done it.",
        session=session,
    )


def first(started: int, looked: int, *looks: Look) -> Finished | None:
    """What is told of an agent that is new to us."""
    stretch = begin(watching_ms=T, looked_ms=looked, started_ms=started)
    for each in looks:
        stretch = follow(stretch, each)
    return stretch.finished


HOUR = 3_600_000


@pytest.mark.parametrize(
    ("started", "looked", "replied", "is_news"),
    [
        pytest.param(T - HOUR, T, T - 1, False, id="ended before we watched"),
        pytest.param(T - HOUR, T, T + 1, True, id="ended while the first look was on its way"),
        pytest.param(T - 3000, T, T - 1, False, id="began and ended just before we watched"),
        pytest.param(T - 3000, T, T + 1, True, id="began just before and ended after we watched"),
        pytest.param(T + HOUR, T + HOUR - 500, T + HOUR + 400, True, id="began and ended between two looks"),
        pytest.param(T + HOUR, T + HOUR + 2900, T + HOUR + 2000, True, id="was not recognised at once"),
        pytest.param(T + HOUR, T + HOUR + 500, T + HOUR - 1, False, id="an old session was resumed"),
        pytest.param(T + 1, T + HOUR, T + HOUR - 1, False, id="ended out of our sight"),
        pytest.param(T + 1, T + HOUR, T + HOUR + 1, True, id="came into sight, then ended"),
        pytest.param(0, T + HOUR, T + HOUR - 1, False, id="start not known, ended before the last look"),
        pytest.param(0, T + HOUR, T + HOUR + 1, True, id="start not known, ended after it"),
    ],
)
def test_what_a_first_look_tells(started: int, looked: int, replied: int, is_news: bool) -> None:
    finished = first(started, looked, look(looked + 1000, replied))
    assert (finished is not None) == is_news


@pytest.mark.parametrize("activity", ["starting", "unknown"])
def test_looks_that_told_nothing_hide_no_turn(activity: Activity) -> None:
    """An agent that was found before it was up, and had answered before the next look."""
    born = T + HOUR
    blank = look(born + 500, 0, activity=activity)
    assert first(born, born - 400, blank, blank, look(born + 3000, born + 1000)) is not None


def test_a_history_that_cannot_be_read_at_first_stays_history() -> None:
    born = T + HOUR
    blank = look(born + 500, 0, session="")
    assert first(born, born - 400, blank, look(born + 3000, T + 60_000)) is None


def test_what_ended_while_the_control_room_was_down_is_news() -> None:
    seen = follow(begin(watching_ms=T, looked_ms=T, started_ms=0), look(T + 1000, T - 5000))
    stored = msgspec.json.decode(msgspec.json.encode(seen), type=Stretch)
    after = follow(stored, look(T + 2 * HOUR, T + HOUR, looked=T + 2 * HOUR - 1))
    assert after.finished == Finished(at_ms=T + HOUR, busy_ms=0, text="Done it.")


def test_what_ended_while_it_was_gone_is_news_of_nobody() -> None:
    """Somebody went on with its session out of our sight, and then where we see it."""
    gone = follow(Stretch(reply_at_ms=T), look(T + 1000, T, activity="gone"))
    back = taken_up(gone, T + HOUR)
    assert follow(back, look(T + HOUR + 1000, T + HOUR - 10)).finished is None
    assert follow(back, look(T + HOUR + 1000, T + HOUR + 10)).finished is not None


def test_a_turn_in_a_session_that_was_just_begun_is_news() -> None:
    seen = follow(Stretch(reply_at_ms=T), look(T + 1000, T))
    assert follow(seen, look(T + 2000, T + 1500, session="s2", looked=T + 1000)).finished is not None
    assert follow(seen, look(T + 2000, T + 500, session="s2", looked=T + 1000)).finished is None


def test_a_session_that_changes_while_nothing_is_known_is_followed() -> None:
    seen = follow(Stretch(reply_at_ms=T), look(T + 1000, T))
    unknown = follow(seen, look(T + 2000, 0, session="s2", activity="unknown"))
    assert follow(unknown, look(T + 9000, T + 1500, session="s2", looked=T + 8000)).finished is not None


def test_records_of_a_time_without_marks_bring_no_old_news() -> None:
    assert follow(taken_up(Stretch(), T), look(T + 1000, T + 500)).finished is None


def test_a_failed_turn_takes_no_mark_back() -> None:
    failed = msgspec.structs.replace(look(T + 1000, 0), turn="failed")
    assert first(T - HOUR, T, failed, look(T + 2000, T - 1)) is None


class Life:
    """One agent and the looks at it. Each step takes a second, and each look is over at once."""

    def __init__(self, age_s: int) -> None:
        self.now = T - age_s * 1000
        self.process = self.now  # named by its start
        self.session = 1
        self.replies: dict[int, tuple[int, int]] = {1: (0, 0)}  # session -> the newest reply, its process
        self.stretch: Stretch | None = None
        self.seen = {0}
        self.seen_session, self.seen_process = 0, 0
        self.looked = T

    def step(self, step: str) -> bool | None:
        """True or False: something was told, or not, by a look."""
        self.now += 1000
        if step == "turn":
            self.replies[self.session] = (self.now, self.process)
        elif step == "resume":
            self.process = self.now
        elif step == "clear":
            self.session = max(self.replies) + 1
            self.replies[self.session] = (0, 0)
        elif step == "back":
            self.session = 1
        elif step == "restart" and self.stretch is not None:
            self.stretch = msgspec.json.decode(msgspec.json.encode(self.stretch), type=Stretch)
        elif step == "gone" and self.stretch is not None:
            self.stretch = follow(self.stretch, self._look("gone"))
            self.process = self.now
        elif step == "blind" and self.stretch is None:
            self.looked = self.now
        elif step == "look":
            return self._told()
        return None

    def is_news(self) -> bool:
        """What a person would call news: not yet seen, done by this process, and before our eyes."""
        replied, process = self.replies[self.session]
        if replied in self.seen or process != self.process or replied <= T:
            return False
        if self.stretch is None:
            return replied > self.looked or self.process >= self.looked - NEWBORN_MS
        return self.session == self.seen_session or replied > self.looked

    def _told(self) -> bool:
        if self.stretch is None:
            self.stretch = begin(watching_ms=T, looked_ms=self.looked, started_ms=self.process)
        elif self.process != self.seen_process:
            self.stretch = taken_up(self.stretch, self.process)
        before = self.stretch.finished
        self.stretch = follow(self.stretch, self._look("idle"))
        self.looked, self.seen_session, self.seen_process = self.now, self.session, self.process
        self.seen.add(self.replies[self.session][0])
        return self.stretch.finished is not None and self.stretch.finished != before

    def _look(self, activity: Activity) -> Look:
        replied = self.replies[self.session][0]
        return look(self.now, replied, looked=self.looked, session=f"s{self.session}", activity=activity)


STEPS = st.sampled_from(
    ["turn", "turn", "look", "look", "resume", "clear", "back", "restart", "gone", "blind"]
)


@given(age_s=st.integers(0, 20), before=st.lists(STEPS.filter(lambda s: s == "turn")), steps=st.lists(STEPS))
def test_each_turn_before_our_eyes_is_told_once_and_no_other(
    age_s: int, before: list[str], steps: list[str]
) -> None:
    life = Life(age_s)
    for step in before[:age_s]:
        life.step(step)
    life.now = T
    for step in steps:
        wanted = life.is_news()
        told = life.step(step)
        assert told is None or told == wanted

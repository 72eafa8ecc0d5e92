"""What must never happen, whatever happens."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from controlroom.core.notify.desk import new_desk, step
from controlroom.core.notify.model import Asked, Facts, Rules
from tests.support.notify_days import VERBS, ZONE, Room

AGENTS = ("oak", "elm")
IDS = ("1", "2")

_ACTS = st.one_of(
    st.tuples(st.just("agent"), st.sampled_from(AGENTS), st.sampled_from(["working", "idle", "unknown"])),
    st.tuples(st.just("blocked"), st.sampled_from(AGENTS), st.sampled_from(IDS), st.just("Bash: x")),
    st.tuples(st.just("finished"), st.sampled_from(AGENTS), st.sampled_from(["Done.", "Ready."])),
    st.tuples(st.just("asks"), st.sampled_from(AGENTS), st.sampled_from(IDS), st.just("Which?")),
    st.tuples(st.just("read"), st.sampled_from(AGENTS)),
    st.tuples(st.just("closes"), st.sampled_from(IDS)),
    st.tuples(st.just("away"), st.just("studio")),
    st.tuples(st.just("back"), st.just("studio")),
    st.tuples(st.just("snooze"), st.sampled_from(["until=10:00:00", "until=2/01:00:00", "oak"])),
    st.tuples(st.just("rules"), st.sampled_from(["quiet=22:00-07:30", "quiet=", "only_blocking=yes"])),
    st.tuples(st.just("restarts")),
    st.tuples(st.just("sleeps")),
)


def _is_possible(room: Room, verb: str, rest: list[str]) -> bool:
    return not (
        (verb == "closes" and rest[0] not in room.questions) or (verb == "back" and "studio" not in room.away)
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(_ACTS, st.integers(0, 4_000_000)), max_size=40))
def test_no_episode_is_pushed_twice(acts: list[tuple[tuple[str, ...], int]]) -> None:
    """Nor one that is over, and each push stands until it is taken away or replaced."""
    room = Room()
    for agent in AGENTS:
        VERBS["agent"](room, [agent, "working"], {})
    told: Counter[str] = Counter()
    look = room.look

    def counted() -> None:
        outcome = look()
        open_ids = {entry.id for entry in outcome.desk.entries.values()}
        for push in outcome.pushes:
            told.update(push.members)
            assert set(push.members) <= open_ids
        assert outcome.next_ms is None or outcome.next_ms > room.now
        assert set(outcome.gone).isdisjoint(outcome.desk.shown)
        standing = [id for ids in outcome.desk.shown.values() for id in ids]
        assert len(standing) <= len(outcome.desk.entries)

    room.look = counted  # type: ignore[assignment, method-assign] # the outcome is not used
    for (verb, *rest), pause in acts:
        if not _is_possible(room, verb, list(rest)):
            continue
        room.until(room.now + pause)
        words = [word for word in rest if "=" not in word]
        named = dict(word.split("=", 1) for word in rest if "=" in word)
        if verb == "finished":
            named["busy"] = "30"
        VERBS[verb](room, words, named)
        if verb != "sleeps":
            room.look()
            room.is_asleep = False
    assert all(count == 1 for count in told.values())


def test_a_thousand_questions_a_minute_are_few_pushes_and_no_growth() -> None:
    """Each is answered a second later; all of it leaves nothing behind but the last minute."""
    desk, pushes, sizes, now = new_desk(0), 0, [], 1_000
    for number in range(2_000):
        asked = Asked(id=f"q{number}", agent_id=f"a{number % 7}", question="Which?", asked_at_ms=now)
        outcome = step(desk, Facts(questions=(asked,)), Rules(), now, ZONE)
        desk, pushes = outcome.desk, pushes + len(outcome.pushes)
        sizes.append(len(desk.entries))
        now += 600
    minutes = now / 60_000
    assert pushes <= 6 * minutes + 3
    assert max(sizes) <= 60_000 / 600 + 2

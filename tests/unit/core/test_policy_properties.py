"""Whatever is read, in whatever order: no bad landing, no ping-pong, no money, and always an explanation."""

from __future__ import annotations

from collections import Counter

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.allowance import Extra, PolicyAccount, Rules, floor_of, is_held, is_spent, left_now
from controlroom.core.policy import advise_one, next_window
from controlroom.core.policy_memory import AgentMemory, failed, moved, taken_back
from controlroom.core.policy_targets import PolicyAgent
from tests.unit.core.policies import DAY, HOUR, MIN, NOW, SHORT, WEEK, agent, situation, window

lefts = st.none() | st.sampled_from([0.0, 2.9, 3.0, 8.0, 9.9, 15.0, 100.0]) | st.floats(-5, 120)
ages = st.sampled_from([0, MIN, 16 * MIN, 5 * HOUR, 2 * DAY])
extras: st.SearchStrategy[Extra] = st.sampled_from(["on", "off", "unknown"])
activities = st.sampled_from(["idle", "question", "working", "blocked", "helpers", "unknown", "gone"])


@st.composite
def accounts(draw: st.DrawFn, name: str = "Work") -> PolicyAccount:
    short = window(SHORT, draw(lefts), draw(st.integers(-HOUR, 5 * HOUR)), draw(ages))
    week = window(WEEK, draw(lefts), draw(st.integers(-DAY, 7 * DAY)), draw(ages))
    return PolicyAccount(
        id=name.lower(),
        kind="claude",
        name=name,
        windows=tuple(draw(st.permutations([short, week]))[: draw(st.integers(0, 2))]),
        hold_until_ms=draw(st.sampled_from([0, NOW, NOW + HOUR])),
        reserve_pct=draw(st.sampled_from([0, 20])),
        extra=draw(extras),
    )


three = st.tuples(accounts("Work"), accounts("Home"), accounts("Lab"))
answers = st.dictionaries(st.sampled_from(["work", "home", "lab"]), st.booleans())


@given(three, activities, answers)
def test_every_landing_is_good(
    given_accounts: tuple[PolicyAccount, ...], activity: str, said: dict[str, bool]
) -> None:
    here = situation(*given_accounts, answers=said)
    found = advise_one(agent(activity=activity), here)
    assert found.sentences
    assert (found.card is not None) is (found.what == "ask")
    if found.to_profile_id is not None:
        target = here.accounts[found.to_profile_id.removeprefix("p-")]
        assert target.id != "work"
        assert not is_held(target, NOW)
        assert {one.length_minutes for one in target.windows} >= {
            one.length_minutes for other in given_accounts for one in other.windows
        }
        for one in target.windows:
            left = left_now(one, NOW)
            assert left is not None
            assert left >= floor_of(one, target, here.rules) + here.rules.margin_pct
    if found.what == "move" and found.when == "now":
        assert activity in ("idle", "question")


@given(three, activities, answers)
def test_nothing_costs_money_without_an_answer(
    given_accounts: tuple[PolicyAccount, ...], activity: str, said: dict[str, bool]
) -> None:
    own = given_accounts[0]
    here = situation(*given_accounts, answers=said)
    found = advise_one(agent(activity=activity), here)
    if own.extra == "on" and is_spent(own, "", NOW) and not said.get("work"):
        leaves_now = found.what == "move" and found.when == "now"
        assert (
            leaves_now
            or found.what == "ask"
            or (said.get("work") is False and found.what in ("wait", "move"))
        )


@given(three, activities)
def test_the_order_of_what_is_known_changes_nothing(
    given_accounts: tuple[PolicyAccount, ...], activity: str
) -> None:
    one = advise_one(agent(activity=activity), situation(*given_accounts))
    assert one == advise_one(agent(activity=activity), situation(*reversed(given_accounts)))


# ---- ping-pong ---------------------------------------------------------------------------------------------

LENGTHS = {SHORT: 5 * HOUR, WEEK: 7 * DAY}
steps = st.tuples(
    st.sampled_from([MIN, 10 * MIN, HOUR, 5 * HOUR, 2 * DAY]),
    st.lists(st.sampled_from([0.0, 2.0, 9.0, 11.0, 14.0, 16.0, 90.0, 100.0]), min_size=6, max_size=6),
    st.sets(st.sampled_from([("work", SHORT), ("home", SHORT), ("lab", WEEK), ("home", WEEK)])),
    st.sampled_from(["moved", "moved", "moved", "failed", "taken back"]),
)


@given(st.lists(steps, min_size=2, max_size=40))
def test_no_ping_pong_over_any_series_of_readings(
    series: list[tuple[int, list[float], set[tuple[str, int]], str]],
) -> None:
    """Readings jump as they like, windows end on time or early, moves fail or are taken back: no agent moves
    in its cool-down or while it is left alone, and no account is left more often than its windows began."""
    now, rules, at, memory = NOW, Rules(), "p-work", AgentMemory()
    ends = {(name, length): NOW + LENGTHS[length] for name in ("work", "home", "lab") for length in LENGTHS}
    begun = Counter(key[0] for key in ends)
    left: Counter[str] = Counter()
    moved_at: int | None = None
    for wait_ms, lefts_now, early, outcome in series:
        now += wait_ms
        for key in ends:
            if ends[key] <= now or (key in early and ends[key] + HOUR <= now + LENGTHS[key[1]]):
                ends[key] = now + LENGTHS[key[1]]
                begun[key[0]] += 1
        here = situation(
            *(
                account_at(name, lefts_now[2 * n : 2 * n + 2], ends, now)
                for n, name in enumerate(("work", "home", "lab"))
            ),
            now_ms=now,
        )
        found = advise_one(remembering(at, memory), here)
        if found.what != "move":
            continue
        assert now >= memory.alone_until_ms
        assert found.account_id is not None
        assert found.to_profile_id is not None
        assert moved_at is None or now - moved_at >= rules.cool_down_ms
        moved_at = now
        window_left = next_window(here.accounts[found.account_id], "", rules, now)
        assert window_left is not None
        if outcome == "failed":
            memory = failed(memory, window_left, now)
            continue
        left[found.account_id] += 1
        memory = moved(memory, window_left, now)
        if outcome == "moved":
            at = found.to_profile_id
        else:  # the way back is a move by hand
            memory = moved(taken_back(memory, window_left), None, now)
    assert all(left[name] <= begun[name] for name in left)


def account_at(name: str, pair: list[float], ends: dict[tuple[str, int], int], now: int) -> PolicyAccount:
    windows = tuple(
        msgspec.structs.replace(window(length, left), resets_at_ms=ends[name, length], taken_at_ms=now)
        for length, left in zip((SHORT, WEEK), pair, strict=True)
    )
    return PolicyAccount(id=name, kind="claude", name=name.title(), windows=windows, extra="off")


def remembering(profile: str, memory: AgentMemory) -> PolicyAgent:
    return agent(
        profile,
        moved_at_ms=memory.moved_at_ms,
        has_failed=memory.failures > 0,
        left=memory.left,
        alone_until_ms=memory.alone_until_ms,
    )

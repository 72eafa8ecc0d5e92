"""Which living process is which durable agent: one test for each rule, and what must hold always."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.identity import KnownAgent, SeenProcess, tie_processes


def known(id: str, incarnation: str = "", *sessions: str, kind: str = "claude") -> KnownAgent:
    return KnownAgent(id=id, kind=kind, incarnation=incarnation, sessions=sessions)


def seen(incarnation: str, session: str | None = None, *ancestors: str, **more: str) -> SeenProcess:
    return SeenProcess(
        kind=more.get("kind", "claude"),
        incarnation=incarnation,
        session_id=session,
        ancestors=ancestors,
        started_for=more.get("started_for"),
    )


def one(agents: list[KnownAgent], process: SeenProcess) -> tuple[str | None, str]:
    (tie,) = tie_processes(agents, [process])
    return tie.agent_id, tie.rule


def test_same_process_stays_the_same_agent_after_clear() -> None:
    assert one([known("a", "1@1", "s1")], seen("1@1", "s2")) == ("a", "same_process")


def test_same_process_that_resumes_another_session_stays_the_same_agent() -> None:
    agents = [known("a", "1@1", "s1"), known("b", "2@2", "s2")]
    assert one(agents, seen("2@2", "s1")) == ("b", "same_process")


def test_a_new_process_with_a_dead_agents_session_is_that_agent_in_its_new_place() -> None:
    assert one([known("a", "1@1", "s1")], seen("9@9", "s1")) == ("a", "session_continues")


def test_a_new_process_whose_ancestor_session_belongs_to_a_dead_agent_is_that_agent() -> None:
    assert one([known("a", "1@1", "s1")], seen("9@9", "s2", "s1")) == ("a", "session_continues")


def test_a_process_that_we_started_for_an_agent_is_that_agent() -> None:
    assert one([known("a", "1@1", "s1")], seen("9@9", None, started_for="a")) == ("a", "started_by_us")


def test_a_session_that_is_open_elsewhere_makes_a_new_agent_and_a_fault_on_both() -> None:
    first, second = tie_processes([known("a", "1@1", "s1")], [seen("1@1", "s1"), seen("2@2", "s1")])
    assert (first.agent_id, first.rule, first.is_open_twice) == ("a", "same_process", True)
    assert (second.agent_id, second.rule, second.is_open_twice) == (None, "session_open_twice", True)


def test_a_fork_of_a_living_agents_session_is_a_new_agent_without_fault() -> None:
    _, fork = tie_processes([known("a", "1@1", "s1")], [seen("1@1", "s1"), seen("2@2", "s2", "s1")])
    assert (fork.agent_id, fork.rule, fork.is_open_twice) == (None, "new", False)


def test_anything_else_is_a_new_agent() -> None:
    assert one([known("a", "1@1", "s1")], seen("9@9", "s9")) == (None, "new")


def test_a_session_of_another_kind_is_another_session() -> None:
    assert one([known("a", "1@1", "s1", kind="codex")], seen("9@9", "s1")) == (None, "new")


def test_an_agent_made_while_starting_gives_way_when_its_session_continues_an_older_one() -> None:
    agents = [known("a", "1@1", "s1"), known("b", "9@9")]
    assert one(agents, seen("9@9", None)) == ("b", "same_process")
    assert one(agents, seen("9@9", "s1")) == ("a", "session_continues")
    assert one(agents, seen("9@9", "s2")) == ("b", "same_process")


def test_two_agents_that_swapped_places_keep_their_ids() -> None:
    agents = [known("a", "1@1", "s1"), known("b", "2@2", "s2")]
    ties = tie_processes(agents, [seen("3@3", "s2"), seen("4@4", "s1")])
    assert [tie.agent_id for tie in ties] == ["b", "a"]


def test_the_youngest_of_two_dead_agents_continues_a_session() -> None:
    assert one([known("a", "1@1", "s1"), known("b", "2@2", "s1")], seen("3@3", "s1"))[0] == "b"


def test_an_exact_session_comes_before_an_ancestor_whatever_the_order() -> None:
    fork, resumed = seen("8@8", "s2", "s1"), seen("9@9", "s1")
    for order in ([fork, resumed], [resumed, fork]):
        ties = {tie.incarnation: tie.agent_id for tie in tie_processes([known("a", "1@1", "s1")], order)}
        assert ties == {"8@8": None, "9@9": "a"}


def test_a_session_that_an_agent_left_behind_is_not_open_twice() -> None:
    """The first agent went on with /clear: its old session may be resumed elsewhere."""
    agents = [known("a", "1@1", "s1", "s2")]
    _, other = tie_processes(agents, [seen("1@1", "s2"), seen("9@9", "s1")])
    assert (other.agent_id, other.rule, other.is_open_twice) == (None, "new", False)


def test_an_agent_that_lives_where_nothing_can_be_seen_is_not_replaced() -> None:
    """Its multiplexer does not answer; the same session was opened in another place meanwhile."""
    agents = [KnownAgent(id="a", kind="claude", incarnation="1@1", sessions=("s1",), lives_unseen=True)]
    assert one(agents, seen("9@9", "s1")) == (None, "session_open_twice")
    assert one(agents, seen("1@1", "s1")) == ("a", "same_process")


def test_a_kill_and_a_resume_in_another_pane_is_the_same_agent() -> None:
    agents = [known("a", "1@1", "s1"), known("b", "2@2", "s2")]
    ties = tie_processes(agents, [seen("2@2", "s2"), seen("9@9", "s1")])
    assert [(tie.agent_id, tie.rule) for tie in ties] == [("b", "same_process"), ("a", "session_continues")]


def test_what_was_started_for_an_agent_that_lives_is_a_new_agent() -> None:
    ties = tie_processes([known("a", "1@1", "s1")], [seen("1@1", "s1"), seen("9@9", None, started_for="a")])
    assert [(tie.agent_id, tie.rule) for tie in ties] == [("a", "same_process"), (None, "new")]


sessions = st.sampled_from(["s1", "s2", "s3"])
processes = st.sampled_from([f"{n}@{n}" for n in range(1, 6)])
agents = st.lists(
    st.builds(
        KnownAgent,
        id=st.sampled_from(list("abcdef")),
        kind=st.just("claude"),
        incarnation=processes,
        sessions=st.lists(sessions, max_size=2).map(tuple),
    ),
    max_size=5,
    unique_by=(lambda agent: agent.id, lambda agent: agent.incarnation),
)
living = st.lists(
    st.builds(
        SeenProcess,
        kind=st.just("claude"),
        incarnation=processes,
        session_id=st.none() | sessions,
        ancestors=st.lists(sessions, max_size=2).map(tuple),
        started_for=st.none() | st.sampled_from(list("abcdef")),
    ),
    max_size=5,
    unique_by=lambda process: process.incarnation,
)


@given(agents, living)
def test_no_agent_is_ever_tied_to_two_processes(known: list[KnownAgent], seen: list[SeenProcess]) -> None:
    ids = [tie.agent_id for tie in tie_processes(known, seen) if tie.agent_id is not None]
    assert len(ids) == len(set(ids))


@given(agents, living)
def test_a_second_look_changes_nothing(known: list[KnownAgent], seen: list[SeenProcess]) -> None:
    ties = tie_processes(known, seen)
    by_id = {agent.id: agent for agent in known}
    for index, (tie, process) in enumerate(zip(ties, seen, strict=True)):
        agent_id = tie.agent_id or f"new{index}"
        old = by_id.pop(agent_id, KnownAgent(id=agent_id, kind="claude", incarnation=""))
        more = () if process.session_id in (None, *old.sessions) else (process.session_id,)
        by_id[agent_id] = KnownAgent(
            id=agent_id, kind="claude", incarnation=process.incarnation, sessions=(*old.sessions, *more)
        )
    again = tie_processes(list(by_id.values()), seen)
    for index, (before, after) in enumerate(zip(ties, again, strict=True)):
        if seen[index].session_id is not None:
            assert after.agent_id == (before.agent_id or f"new{index}")

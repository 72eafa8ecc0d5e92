"""None is lost silently and none is typed twice: over all interleavings of an agent, a person and kills."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from controlroom.core.delivery import OnDraft, SendWhen
from controlroom.core.submission import Look, Save, Search, Submit
from tests.unit.core.submission_model import Model, Node

TEXT = "OUR MESSAGE"
MOVES = st.sampled_from(
    [
        *(
            "open_dialog",
            "close_dialog",
            "begin_turn",
            "end_turn",
            "end_turn",
            "type",
            "untype",
            "hide",
            "show",
        ),
        *("die", "revive", "unreadable", "readable", "slow_file", "fast_file", "swallow", "lose", "kill"),
        *("take_back", "take_back"),
    ]
)


def spread(moves: list[tuple[int, str]]) -> list[str]:
    """Each move after so many effects without one; last first, as ``Node.run`` takes them."""
    return [entry for gap, move in moves for entry in (move, *([""] * gap))]


SCRIPTS = st.lists(st.tuples(st.integers(0, 12), MOVES), max_size=14).map(spread)
WHENS: tuple[SendWhen, ...] = ("idle", "now")
DRAFTS: tuple[OnDraft, ...] = ("wait", "after", "replace")
Kind = tuple[SendWhen, OnDraft]
KINDS = st.tuples(st.sampled_from(WHENS), st.sampled_from(DRAFTS))
STARTS = st.builds(
    Model,
    now=st.sampled_from(["idle", "working"]),
    composer=st.sampled_from(["", "", "p", "p\np"]),
    dialog=st.booleans(),
    rows=st.just([]).map(list),
    queue=st.just([]).map(list),
)


def copies(model: Model) -> int:
    places = [row.text for row in model.rows] + model.queue + [model.composer]
    return sum(place.count(TEXT) for place in places)


def play(model: Model, kind: Kind, script: list[str], runs: int = 8) -> Node:
    """Runs and kills until the script is over and the message has come to rest, or ``runs`` have passed."""
    node = Node(model, TEXT, when=kind[0], on_draft=kind[1])
    for _ in range(runs):
        if node.run(script) and node.outcome is not None and node.outcome.state != "held":
            break
        if not script:
            model.calm_down()
    return node


@settings(max_examples=300, deadline=None)
@given(STARTS, KINDS, SCRIPTS)
@example(Model(rows=[], queue=[]), ("idle", "wait"), ["kill"] * 9)
def test_a_message_is_never_typed_twice(model: Model, kind: Kind, script: list[str]) -> None:
    play(model, kind, script)
    assert model.pastes <= 1
    assert copies(model) <= 1


@settings(max_examples=300, deadline=None)
@given(STARTS, KINDS, SCRIPTS)
def test_nothing_is_typed_or_pressed_without_a_look_that_allows_it(
    model: Model, kind: Kind, script: list[str]
) -> None:
    node = play(model, kind, script)
    assert model.acts_on_dialog == 0
    for effects in node.runs:
        presses = [at for at, effect in enumerate(effects) if isinstance(effect, Submit)]
        assert all(isinstance(effects[at - 1], Look) and isinstance(effects[at - 2], Save) for at in presses)
        assert len(presses) <= (1 if isinstance(effects[0], Search) else 2)


@settings(max_examples=300, deadline=None)
@given(STARTS, KINDS, SCRIPTS)
def test_none_is_lost_silently(model: Model, kind: Kind, script: list[str]) -> None:
    """At rest the outcome tells where the message is: its row, the agent's queue, nowhere yet, or unsure."""
    node = play(model, kind, script)
    if node.outcome is None:
        return  # killed in each run
    if node.outcome.state == "delivered":
        assert any(TEXT in row.text for row in model.rows)
    if node.outcome.state == "held" and (node.log is None or not node.log.pasted):
        assert copies(model) == 0
    if node.outcome.state != "delivered":
        assert node.outcome.text
    assert node.outcome.state != "failed"


@settings(max_examples=300, deadline=None)
@given(STARTS, KINDS, SCRIPTS)
def test_a_draft_is_never_swept_along(model: Model, kind: Kind, script: list[str]) -> None:
    play(model, kind, script)
    for text in [row.text for row in model.rows] + model.queue:
        if TEXT in text:
            assert text == TEXT or (kind[1] == "after" and text.endswith("\n" + TEXT))


@settings(max_examples=300, deadline=None)
@given(STARTS, SCRIPTS)
def test_a_message_without_trouble_arrives(model: Model, script: list[str]) -> None:
    """However the agent came to where it is: once nothing hinders any more, a fresh message is delivered."""
    for move in script:
        model.happen(move)
    model.calm_down()
    model.composer = ""
    node = Node(model, TEXT)
    assert node.run([])
    assert node.outcome is not None
    assert node.outcome.state == "delivered"

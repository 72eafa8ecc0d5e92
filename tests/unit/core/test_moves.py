"""Which copy of a session's files wins: nothing that was said is ever lost without a word."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.moves import Fate, Pair, Refused, files, has_room, is_written, plan, rows, size, told


def history(**given: int | bool | None) -> Pair:
    return msgspec.convert({"name": "s.jsonl", "is_history": True, "source_size": 100, **given}, Pair)


@pytest.mark.parametrize(
    ("pair", "fate"),
    [
        (history(), "copy"),
        (history(target_size=100, common=100), "leave"),
        (history(target_size=100, is_one_file=True), "leave"),
        (history(target_size=60, common=60, source_talk=3), "extend"),
        (history(target_size=0), "extend"),
        (history(target_size=140, common=100, target_talk=2), "keep"),  # it went on there
        (history(target_size=140, common=100), "keep"),  # it was opened and closed there
        (history(target_size=30, common=0, source_talk=5), "replace"),  # a stub: nothing was ever said in it
        (history(target_size=90, common=80, source_talk=4, target_talk=0), "replace"),
        (history(target_size=130, common=80, source_talk=0, target_talk=2), "keep"),  # the source is the stub
        (history(target_size=130, common=80, source_talk=4, target_talk=4), "replace"),
        (history(target_size=130, common=80, source_talk=0, target_talk=0), "replace"),
        # What a fork builds on: enough of it is there, or more of the same comes, or it cannot go there.
        (history(target_size=90, common=80, base_bytes=80), "keep"),
        (history(target_size=500, common=0, base_bytes=0), "keep"),
        (history(target_size=60, common=60, base_bytes=80), "extend"),
        (history(base_bytes=80), "copy"),
    ],
)
def test_the_history_that_tells_more_wins(pair: Pair, fate: Fate) -> None:
    # What a fork builds on is never the session's own history.
    pairs = (pair,) if pair.base_bytes is None else (history(), pair)
    assert plan(pairs)[-1] == fate


def test_a_target_that_went_another_way_and_further_is_left_alone_and_said() -> None:
    with pytest.raises(Refused, match=r"goes further: 7 entries .* against 2 entries. Nothing was changed"):
        plan((history(target_size=130, common=80, source_talk=2, target_talk=7),))


def test_a_fork_does_not_go_where_its_parent_is_another() -> None:
    with pytest.raises(Refused, match="forked"):
        plan((history(), history(target_size=90, common=70, base_bytes=80)))


def test_no_history_is_no_success() -> None:
    for pairs in ((), (Pair(name="plans/a.md", source_size=3),)):
        with pytest.raises(Refused, match="no history"):
            plan(pairs)


@pytest.mark.parametrize(
    ("main", "file", "fate"),
    [
        (history(), Pair(name="a", source_size=9), "copy"),
        (history(), Pair(name="a", source_size=9, target_size=9, common=9), "leave"),
        (history(), Pair(name="a", source_size=9, target_size=5, common=5), "extend"),
        (history(), Pair(name="a", source_size=9, target_size=9, common=5), "replace"),
        # The target's history goes on, so what lies beside it there is right; what it lacks still comes.
        (history(target_size=140, common=100), Pair(name="a", source_size=9, target_size=9), "keep"),
        (history(target_size=140, common=100), Pair(name="a", source_size=9), "copy"),
    ],
)
def test_other_files_follow_their_session(main: Pair, file: Pair, fate: Fate) -> None:
    assert plan((main, file))[1] == fate


sizes = st.integers(0, 50)


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    source, target = draw(sizes), draw(st.none() | sizes)
    common = draw(st.integers(0, min(source, target or 0)))
    return Pair(
        name="s.jsonl",
        is_history=True,
        source_size=source,
        target_size=target,
        common=common,
        source_talk=draw(st.integers(0, 3)) if common < source else 0,
        target_talk=draw(st.integers(0, 3)) if target is not None and common < target else 0,
    )


@given(pairs())
def test_no_talk_is_lost_without_a_backup_or_a_refusal(pair: Pair) -> None:
    try:
        (fate,) = plan((pair,))
    except Refused:
        assert pair.source_talk
        assert pair.target_talk
        return
    if fate in ("leave", "keep"):  # the agent goes on with the target's: nothing of the source is missing
        assert not pair.source_talk
    if fate in ("copy", "extend"):  # no backup: nothing of the target may be missing
        assert pair.common == (pair.target_size or 0)
    if fate == "replace":
        assert pair.target_talk <= pair.source_talk


def test_a_disk_without_room_is_refused_before_anything_is_written() -> None:
    pair = history(source_size=2_000_000_000)
    has_room((pair,), ("copy",), 3_000_000_000)
    has_room((pair,), ("leave",), 0)
    with pytest.raises(Refused, match=r"2 GB and some room .* 1.5 GB are free"):
        has_room((pair,), ("copy",), 1_500_000_000)


def test_what_was_done_is_said() -> None:
    one = history(source_size=104_000_000)
    assert told((one,), ("copy",), 0) == "1 file copied (104 MB)."
    replaced = told((one, Pair(name="a", source_size=1_000_000)), ("replace", "copy"), 1)
    assert replaced == "2 files copied (105 MB). Replaced in the target and kept as a backup: 1 file."
    longer = history(target_size=130, target_talk=4)
    assert told((longer,), ("keep",), 0) == (
        "The target had everything already, so nothing was copied."
        " The target's own history goes on, 4 entries longer."
    )
    shared = history(target_size=100, is_one_file=True)
    assert "shares" in told((shared,), ("leave",), 0)
    assert (size(1), size(999), size(12_345)) == ("1 byte", "999 bytes", "12.3 kB")
    assert (files(1), rows(1), is_written("keep")) == ("1 file", "1 entry", False)

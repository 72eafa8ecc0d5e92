"""A server that ended under its agents is trouble; one that ended with its last pane is not."""

from __future__ import annotations

from controlroom.core.server_ends import ends_now

AT = ("tmux", "/tmp/t/default")


def test_it_is_shown_until_a_server_is_there_again_or_for_an_hour() -> None:
    ended = ends_now((), {AT: 3}, (), 1_000)
    assert [one.title for one in ended] == ["tmux at /tmp/t/default is gone; 3 agents were in it"]
    assert ends_now(ended, {}, (), 61_000) == ended
    assert ends_now(ended, {}, (AT[1],), 61_000) == ()
    assert ends_now(ended, {}, (), 3_601_000) == ()


def test_what_ends_in_the_normal_way_is_none() -> None:
    assert ends_now((), {AT: 1}, (), 0) == ()  # its last pane was closed
    assert ends_now((), {AT: 3}, (AT[1],), 0) == ()

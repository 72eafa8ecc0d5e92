"""The board: the hub's clock, and a picture that stands still while the connection is lost."""

from __future__ import annotations

from controlroom.cli.fleet_board import Board
from controlroom.client import Lost
from controlroom.kit.clock import FakeClock
from controlroom.wire.client import Resync, Welcome
from tests.unit.cli.agents import NOW, agent, fleet


def board(clock: FakeClock, colour: bool = False) -> Board:
    made = Board(clock, everything=False, colour=colour)
    made.take(Welcome(seq=7, protocol=1, server_time_ms=NOW, version="0.1.0"))
    made.take(Resync(fleet=fleet(agent("orchard", "working", 20_000))))
    return made


def row(made: Board) -> str:
    return next(entry for entry in made.lines(80, 24) if "orchard " in entry)


def test_ages_go_by_the_hubs_clock() -> None:
    clock = FakeClock(at_ms=NOW - 3_600_000)  # ours is an hour behind
    made = board(clock)
    assert " 20 s  orchard" in row(made)
    clock.advance(5)
    assert " 25 s  orchard" in row(made)


def test_nothing_ages_and_nothing_is_lit_while_the_connection_is_lost() -> None:
    clock = FakeClock(at_ms=NOW)
    made = board(clock, colour=True)
    made.take(Lost("gone"))
    clock.advance(50)
    made.take(Lost("still gone"))
    drawn = made.lines(80, 24)
    assert any(" 20 s  orchard" in entry for entry in drawn)
    assert "reconnecting, last seen " in drawn[0]
    assert all(entry.startswith("\x1b[2m") for entry in drawn if entry)
    made.take(Welcome(seq=7, protocol=1, server_time_ms=NOW + 50_000, version="0.1.0"))
    assert "q leaves" in made.lines(80, 24)[0]


def test_before_the_first_answer_it_claims_nothing() -> None:
    assert Board(FakeClock(), False, False).lines(80, 24) == ["Asking the control room …"]


def test_all_ages_tick_together() -> None:
    clock = FakeClock(at_ms=NOW + 250)
    made = Board(clock, False, False)
    assert made.until_tick_s() == 0.75

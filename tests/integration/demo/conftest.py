"""A desk of scripted agents with a control room, gone after the test."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlroom.testing.scripted.desk import Desk
from tests.integration.demo.room import Room


@pytest.fixture
def desk() -> Iterator[Desk]:
    folder = Path(tempfile.mkdtemp(prefix="cr", dir="/tmp"))
    desk = Desk(folder)
    yield desk
    desk.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def room(desk: Desk) -> Iterator[Room]:
    """Not started: add agents to ``room.desk`` first, or later."""
    room = Room(desk)
    yield room
    room.end()

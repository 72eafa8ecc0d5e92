"""A relay door for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.integration.gateway.parts import Echo, EchoPart
from tests.support.relay_door import RelayDoor


@pytest.fixture
def echo() -> Echo:
    """The channels of the door under test."""
    return Echo()


@pytest.fixture
async def door(tmp_path: Path, echo: Echo) -> AsyncIterator[RelayDoor]:
    door = RelayDoor(tmp_path, parts=lambda: [EchoPart(echo)])
    await door.start()
    yield door
    await door.aclose()

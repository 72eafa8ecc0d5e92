"""A house with both doors."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator

import pytest

from tests.integration.app.house import House, open_house


@pytest.fixture
async def house(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    with tempfile.TemporaryDirectory(prefix="cr", dir="/tmp") as user:
        monkeypatch.setenv("HOME", user)
        monkeypatch.setenv("TMUX_TMPDIR", user)
        monkeypatch.delenv("TMUX", raising=False)
        async with open_house() as house:
            yield house

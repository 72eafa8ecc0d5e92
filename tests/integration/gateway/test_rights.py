"""Each relay channel needs the right that the one table names."""

from __future__ import annotations

from pathlib import Path

from controlroom.core.access import RIGHTS
from controlroom.gateway.placeholders import Placeholders
from controlroom.gateway.terminal.part import Terminals
from controlroom.kit.clock import FakeClock
from controlroom.kit.home import Home


def test_channels_need_the_rights_of_the_table(tmp_path: Path) -> None:
    parts = (Placeholders(FakeClock()), Terminals(home=Home(tmp_path), environment={}, panes=None))
    needed = {f"relay {channel.name}": channel.right for part in parts for channel in part.channels()}
    told = {
        subject: rule.right
        for subject, rule in RIGHTS.items()
        if subject.startswith("relay ") and subject != "relay system"  # of every paired device
    }
    assert needed == told

"""Each relay channel needs the right that the one table names."""

from __future__ import annotations

from pathlib import Path

from controlroom.core.access import RIGHTS
from controlroom.gateway.placeholders import Placeholders
from controlroom.gateway.proactive import ProactivePart
from controlroom.gateway.terminal.part import Terminals
from controlroom.hub.channels.proactive import PhoneMail
from controlroom.hub.channels.subscriptions import Subscriptions
from controlroom.hub.devices import DeviceBook
from controlroom.hub.store.store import Store
from controlroom.kit.clock import FakeClock
from controlroom.kit.home import Home


def test_channels_need_the_rights_of_the_table(tmp_path: Path) -> None:
    clock = FakeClock()
    store = Store.at(tmp_path / "hub.sqlite", clock)
    phones = PhoneMail(store, Subscriptions(store, DeviceBook(store, clock), clock), clock)
    terminals = Terminals(home=Home(tmp_path), environment={}, panes=None)
    parts = (Placeholders(), ProactivePart(phones, clock), terminals)
    needed = {f"relay {channel.name}": channel.right for part in parts for channel in part.channels()}
    told = {
        subject: rule.right
        for subject, rule in RIGHTS.items()
        if subject.startswith("relay ") and subject != "relay system"  # of every paired device
    }
    assert needed == told

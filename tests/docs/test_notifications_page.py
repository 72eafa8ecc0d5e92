"""The page about notifications names each kind and its settings, with the figures of the program."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from controlroom.core.notify import desk, episodes
from controlroom.core.notify.model import Kind, Previews
from controlroom.hub import notifications
from controlroom.kit.settings import all_settings

PAGE = (Path(__file__).parents[2] / "docs" / "explain" / "notifications.md").read_text()


def test_each_kind_has_its_row() -> None:
    assert sorted(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == sorted(get_args(Kind))


def test_its_settings_are_settings() -> None:
    known = {one.key: one.default for one in all_settings()}
    named = set(re.findall(r"`(notify\.\w+)`", PAGE))
    assert named == {"notify.finished_after_s", "notify.waiting_after_s"}
    assert (known["notify.waiting_after_s"], known["notify.finished_after_s"]) == (120, 60)
    assert all(f"previews={word}" in PAGE for word in get_args(Previews))


def test_its_figures_are_those_of_the_program() -> None:
    assert f"idle for {episodes.QUIET_SPELL_MS // 1000} seconds" in PAGE
    assert f"last {notifications.LINES} lines" in PAGE
    assert episodes.FINISHED_STALE_MS == episodes.HOUR_MS and "more than an hour old" in PAGE
    assert (desk.BURST, desk.BURST_BLOCKING) == (3, 5) and f"for {desk.GATHER_MS // 1000} seconds" in PAGE
    assert desk.KEPT_OVER_MS["trouble"] == 600_000 and "within ten minutes" in PAGE

"""Whatever a person can type or set has a heading in the reference."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from controlroom.cli.main import COMMANDS
from controlroom.kit.settings import all_settings

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def headings() -> list[str]:
    lines = (line for page in (ROOT / "docs").rglob("*.md") for line in page.read_text().splitlines())
    return [line.lstrip("# ") for line in lines if line.startswith("#")]


@pytest.mark.parametrize("verb", COMMANDS)
def test_each_command_has_a_heading(verb: str) -> None:
    assert [line for line in headings() if re.search(rf"\b(controlroom )?{verb}\b", line.lower())]


@pytest.mark.parametrize("setting", [setting.key for setting in all_settings()])
def test_each_setting_has_a_heading(setting: str) -> None:
    assert [line for line in headings() if setting in line]


PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    local = [target for target in LINK.findall(page.read_text()) if "://" not in target]
    assert [target for target in local if not (page.parent / target).exists()] == []

"""The page about the policy names each of its rules and settings, and no others."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from controlroom.core.policy import Rule
from controlroom.kit.settings import all_settings

PAGE = (Path(__file__).parents[2] / "docs" / "explain" / "policy.md").read_text()


def test_each_rule_has_its_row() -> None:
    assert sorted(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == sorted(get_args(Rule))


def test_its_settings_are_settings() -> None:
    named = set(re.findall(r"`(policy\.\w+)`", PAGE))
    assert named == {one.key for one in all_settings() if one.section == "policy"} - {
        "policy.blocking_answers"
    }

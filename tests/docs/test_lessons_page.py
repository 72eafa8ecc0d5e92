"""The page of lessons names ten of them, and tests that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explain" / "lessons.md").read_text()
ROWS = re.findall(r"^\| (\d+) \|.*\| (.+) \|$", PAGE, re.MULTILINE)


def test_there_are_ten_each_with_a_test() -> None:
    assert [int(number) for number, _ in ROWS] == list(range(1, 11))
    for number, cell in ROWS:
        assert re.findall(r"`(tests/[^`]+::test_lesson_\w+)`", cell), number


def test_each_named_test_is_there() -> None:
    for name in re.findall(r"`(tests/[^`]+)`", PAGE):
        path, _, test = name.partition("::")
        tree = ast.parse((ROOT / path).read_text())
        functions = {
            node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        assert test in functions, name

"""Each package says in one sentence what it is for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import controlroom

ROOT = Path(controlroom.__file__).parent
PACKAGES = sorted(ROOT.rglob("__init__.py"))


@pytest.mark.parametrize("init", PACKAGES, ids=lambda init: str(init.parent.relative_to(ROOT.parent)))
def test_package_has_a_docstring_of_one_sentence(init: Path) -> None:
    docstring = ast.get_docstring(ast.parse(init.read_text()))
    assert docstring, f"{init.parent.name} has no docstring"
    first_paragraph = docstring.split("\n\n")[0]
    assert first_paragraph.endswith("."), first_paragraph

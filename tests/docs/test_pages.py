"""Pages that are derived from the program are as fresh as the program."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def generator() -> dict[str, object]:
    spec = importlib.util.spec_from_file_location("generate", REFERENCE / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.PAGES)


@pytest.mark.parametrize("name", ["commands.md", "settings.md"])
def test_a_generated_page_is_fresh(name: str) -> None:
    write = generator()[name]
    assert callable(write)
    assert (REFERENCE / name).read_text(encoding="utf-8") == write(), "run: python docs/reference/generate.py"

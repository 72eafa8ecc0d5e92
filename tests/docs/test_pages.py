"""Pages that are derived from the program are as fresh as the program."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"


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


def linked(page: Path) -> set[Path]:
    """The files that a page links to."""
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    return {(page.parent / target).resolve() for target in targets if "://" not in target}


PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [target for target in linked(page) if not target.exists()] == []


def test_every_page_is_found_from_the_first() -> None:
    found, todo = set[Path](), {ROOT / "README.md"}
    while todo:
        page = todo.pop()
        found.add(page)
        todo |= {target for target in linked(page) if target.suffix == ".md"} - found
    assert set(PAGES) - found == set()
    listed = {page for page in DOCS.glob("*/*.md") if page.parent.name != "decisions"}
    assert listed - linked(DOCS / "README.md") == set()

"""One house and one browser for each test: nothing of another test is left in them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.e2e.support.browser import Kind, Visitor, open_browser
from tests.e2e.support.house import House


@pytest.fixture
def house() -> Iterator[House]:
    """A control room that is not started yet, without agents."""
    folder = Path(tempfile.mkdtemp(prefix="cre", dir="/tmp"))
    house = House(folder)
    try:
        yield house
    finally:
        house.close()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visitor]]:
    """Makes devices; at the end none of them may have complained about anything."""
    visitors: list[Visitor] = []

    def make(kind: Kind = "phone", **options: object) -> Visitor:
        visitors.append(Visitor(browser, kind, **options))
        return visitors[-1]

    yield make
    complaints = [complaint for visitor in visitors for complaint in visitor.complaints]
    for visitor in visitors:
        visitor.close()
    assert complaints == []

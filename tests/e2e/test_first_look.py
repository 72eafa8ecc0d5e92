"""The app's page arrives and runs under its own policy."""

from __future__ import annotations

from collections.abc import Callable

from tests.e2e.support.browser import Visitor
from tests.e2e.support.house import House


def test_the_page_runs_under_its_policy(house: House, visit: Callable[..., Visitor]) -> None:
    house.start()
    page = visit("phone").open(house.url)
    page.get_by_role("heading", level=1).wait_for()

"""The app's files as the doors serve them: types, caching, compression, places inside the app."""

from __future__ import annotations

import gzip
import re

import pytest

from controlroom.app.app_files import APP_POLICY, app_files, find
from tests.integration.app.house import House


def test_every_file_of_the_page_is_there() -> None:
    page = app_files()["index.html"].body.decode()
    named = re.findall(r'(?:src|href)="/app/([^"]+)"', page)
    assert named
    assert set(named) <= set(app_files())
    assert "<script>" not in page
    assert not re.search(r"<script(?![^>]*src=)", page)


@pytest.mark.parametrize(
    "path", ["", "agents/agt_1", "chats/cht_1/items/a.b", "settings/devices", "agents/a%2Fb"]
)
def test_a_place_inside_the_app_gets_its_page(path: str) -> None:
    assert find(path) is app_files()["index.html"]


@pytest.mark.parametrize(
    "path", ["assets/nothing-abc.js", "assets/../index.html", "x.js", "old.css", "icon-7.png"]
)
def test_a_file_that_there_is_not_is_not_the_page(path: str) -> None:
    assert find(path) is None


async def test_files_go_out_squeezed_and_are_kept(house: House) -> None:
    script = next(path for path in app_files() if path.startswith("assets/") and path.endswith(".js"))
    async with house.session.get(
        f"http://127.0.0.1:{house.doors.port}/app/{script}",
        headers={"Host": "localhost", "Accept-Encoding": "gzip"},
        auto_decompress=False,
    ) as answer:
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
        assert "immutable" in answer.headers["Cache-Control"]
        assert gzip.decompress(await answer.read()) == app_files()[script].body
    plain = await house.ask(f"/app/{script}", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert plain.text == app_files()[script].body.decode()


@pytest.mark.parametrize("door", ["device", "proxy"])
async def test_the_page_is_asked_for_again(house: House, door: str) -> None:
    first = await house.ask("/app/inbox", door=door)
    assert (first.status, first.headers["Cache-Control"]) == (200, "no-cache")
    assert first.headers["Content-Security-Policy"] == APP_POLICY
    again = await house.ask("/app/", door=door, headers={"If-None-Match": first.headers["Etag"]})
    assert (again.status, again.text) == (304, "")
    assert again.headers["Content-Security-Policy"] == APP_POLICY


async def test_a_missing_file_is_said(house: House) -> None:
    answer = await house.ask("/app/assets/gone.js")
    assert (answer.status, answer.headers["Content-Security-Policy"].startswith("sandbox")) == (404, True)


async def test_a_place_under_a_loopback_number_leads_to_its_name(house: House) -> None:
    answer = await house.ask("/app/agents/agt_1?window=1", host="127.0.0.1:8767")
    assert answer.headers["Location"] == f"http://localhost:{house.doors.port}/app/agents/agt_1?window=1"

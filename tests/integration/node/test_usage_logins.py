"""No credential file is ever written, refreshed or copied by what reads usage, and no token gets anywhere."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web

from controlroom.kit.log import log_to_file
from controlroom.node.usage.login import Login, read_login
from controlroom.wire.codec import encode
from tests.integration.node.usage_stage import NOW, REFRESH, TOKEN, Answer, Desk, Service, stamps, windows
from tests.support.inotify import CHANGES, Watched


@pytest.fixture
def folders(desk: Desk) -> list[Path]:
    return [desk.claude("work"), desk.claude("idle", account="a-2", expires_ms=NOW - 1), desk.codex("robot")]


@pytest.fixture
def watched(folders: list[Path]) -> Iterator[Watched]:
    watched = Watched(folders)
    yield watched
    watched.close()


def always(made: web.StreamResponse) -> Answer:
    return lambda request: made


def answers() -> list[web.StreamResponse]:
    return [
        web.json_response(windows()),
        web.Response(status=401),
        web.Response(status=403),
        web.Response(status=429, headers={"Retry-After": "0"}),
        web.Response(text="<html>", content_type="text/html"),
        web.Response(status=302, headers={"Location": "/oauth/token"}),
    ]


async def test_lesson_never_refresh_tokens_from_a_reader(
    desk: Desk, service: Service, folders: list[Path], watched: Watched
) -> None:
    """Logins are only read, whatever the service says (field lesson 33)."""
    modes = {folder: folder.stat().st_mode for folder in folders}
    before = stamps(*folders)
    for folder in folders:  # whoever writes fails, unless it is root: then it is seen
        folder.chmod(0o500)
    watched.taken()
    try:
        await desk.restart()
        for made in answers():
            service.answer = always(made)
            await desk.look(3700)
    finally:
        for folder in folders:
            folder.chmod(modes[folder])
    events = watched.taken()
    own = [event for event in events if event[1]]  # those without a name are ours, of the folders' modes
    assert [event for event in own if event[0] & CHANGES] == []
    assert any(name == ".credentials.json" for _, name in own)  # it was really watched
    assert stamps(*folders) == before
    assert service.refreshes == 0
    assert len(service.asked) >= 5


async def test_no_process_but_this_one_is_started_and_no_copy_lies_anywhere(
    desk: Desk, service: Service, folders: list[Path]
) -> None:
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    before = children.read_text()
    await desk.restart()
    service.answer = lambda request: web.json_response(windows())
    await desk.look()
    assert children.read_text() == before
    holders = [
        path
        for path in desk.folder.rglob("*")
        if path.is_file() and any(secret.encode() in path.read_bytes() for secret in (TOKEN, REFRESH))
    ]
    assert sorted(path.name for path in holders) == [".credentials.json", ".credentials.json", "auth.json"]


async def test_the_token_stands_in_no_log_no_url_and_nothing_that_is_told(
    desk: Desk, service: Service, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log_to_file(tmp_path / "log", "debug")
    caplog.set_level(logging.DEBUG)
    (desk.folder / "work" / ".credentials.json").chmod(0o600)
    await desk.restart()
    for made in answers():
        service.answer = always(made)
        await desk.look(3700)
    (desk.folder / "work" / ".credentials.json").write_text('{"claudeAiOauth": {"accessToken": ["' + TOKEN)
    await desk.look(3700)
    assert "not in the form" in desk.profile("work").problem
    told = encode(desk.part.state) + b"".join(encode(state) for state in desk.said)
    logs = b"".join(path.read_bytes() for path in (tmp_path / "log").rglob("*") if path.is_file())
    for secret in (TOKEN, REFRESH):
        assert secret.encode() not in told
        assert secret.encode() not in logs
        assert secret not in caplog.text
        assert all(secret not in str(request.url) for request in service.asked)
    for request in service.asked:
        assert REFRESH not in str(request.headers)


async def test_no_login_is_held_after_the_call(desk: Desk, service: Service) -> None:
    await desk.look()
    assert len(service.asked) == 1
    gc.collect()
    assert [one for one in gc.get_objects() if isinstance(one, Login)] == []
    login = read_login(desk.folder / "work")
    assert login is not None
    assert login.token == TOKEN
    assert TOKEN not in repr(login)
    assert any(isinstance(one, Login) for one in gc.get_objects())  # it would have been seen

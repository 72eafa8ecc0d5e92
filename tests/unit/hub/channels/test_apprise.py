"""Services that the person set up: the file that names them, and one real service on loopback."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from controlroom.hub.channels.apprise import Apprise
from controlroom.hub.channels.base import Again, Delivered, Notice, Refused, Target
from controlroom.hub.channels.services import FILE, Services, read_services

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # in Apprise's own modules

NOTICE = Notice(
    id="ntc_1",
    kind="question",
    tag="agt_1",
    title="limiter asks",
    body="Per tenant é漢🙂?",
    open="",
    at_ms=0,
    badge=0,
)
TEXT = """
# my services
phone = ntfys://user:secret@ntfy.example.com/topic
mail = mailtos://kim:secret@example.com?to=kim@example.com
nothing
 = json://nowhere
no address = hello
"""


def test_the_file_names_services_and_is_made_private(tmp_path: Path) -> None:
    services = Services(tmp_path)
    assert services.targets() == ()
    (tmp_path / FILE).write_text(TEXT)
    (tmp_path / FILE).chmod(0o644)
    phone, mail = services.targets()
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert (phone.name, mail.name, phone.device_id) == ("phone", "mail", None)
    assert mail.address == "mailtos://kim:secret@example.com?to=kim@example.com"
    assert "secret" not in repr(phone) and phone.id == read_services(TEXT)[0].id
    (tmp_path / FILE).unlink()
    assert services.targets() == ()


async def test_a_service_is_told() -> None:
    heard: list[Any] = []
    statuses = [200, 503]

    async def take(request: web.Request) -> web.Response:
        heard.append(await request.json())
        return web.Response(status=statuses.pop(0))

    app = web.Application()
    app.router.add_post("/", take)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    (target,) = read_services(f"local = json://127.0.0.1:{runner.addresses[0][1]}")
    channel = Apprise()
    assert await channel.send(target, NOTICE) == Delivered()
    busy = await channel.send(target, NOTICE)
    assert isinstance(busy, Again) and "://" not in busy.text
    await runner.cleanup()
    assert isinstance(await channel.send(target, NOTICE), Again)
    assert (heard[0]["title"], heard[0]["message"]) == (NOTICE.title, NOTICE.body)
    await channel.aclose()


async def test_an_address_that_is_none() -> None:
    target = Target(id="sub_1", channel="apprise", device_id=None, address="smoke://secret", name="fire")
    answer = await Apprise().send(target, NOTICE)
    assert isinstance(answer, Refused) and "secret" not in answer.text

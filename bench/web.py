"""What the web app costs, in Chromium against a control room with scripted agents."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from playwright.sync_api import Browser, CDPSession, Page, WebSocketRoute
from tests.e2e.support.browser import Visitor, open_browser
from tests.e2e.support.cable import Cable

from bench.measure import Row, percentile
from bench.room import Room, desk_of
from controlroom.testing.scripted.desk import Desk
from controlroom.testing.scripted.steps import Loop, Pause, Say, Scene, Think, Turn, Use

T = TypeVar("T")

AGENTS = 100
ITEMS = 10_000
WORKING = 10
TIMES = 7
PAGES = 8  # of earlier messages, scrolled into
WHEEL_PX = 300
KEYS = 60
KEY_PAUSE_MS = 250
WATCH_S = 60
WAIT_S = 60
HOUR_OF_FRAMES = 36_000  # ten a second
WARM_FRAMES = 2_000
BATCH = 500

# Each tells in the page when what was waited for is painted: one frame after it stands there.
_PROBE = """
window.painted = (isThere) => new Promise((resolve) => {
  const look = () => {
    if (isThere()) requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    else requestAnimationFrame(look);
  };
  look();
});
window.rows = () => document.querySelectorAll(".pane-list .row-link").length;
window.listed = window.painted(() => rows() >= %d);
window.long = [];
new PerformanceObserver((list) => long.push(...list.getEntries().map((entry) => entry.duration)))
  .observe({ type: "longtask", buffered: true });
"""
_OPEN = """
async (agent) => {
  const row = document.querySelector(`.row-link[data-agent="${agent}"]`);
  const beganMs = performance.now();
  row.click();
  return await painted(() => document.querySelectorAll(".thread .bubble").length > 10) - beganMs;
}
"""
_RECORD = """
() => {
  window.frames_ms = [];
  let last = performance.now();
  const next = () => {
    const now = performance.now();
    frames_ms.push(now - last);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}
"""
_OLDEST = "document.querySelector('.thread .msg-mine, .thread .msg-theirs')?.dataset.key ?? ''"
_TYPE = """
([key, typed]) => {
  const rows = document.querySelector(".xterm-rows");
  window.typedMs = new Promise((resolve) => addEventListener("keydown", () => {
    const beganMs = performance.now();
    const look = () => {
      if (rows.textContent.includes(typed)) resolve(performance.now() - beganMs);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, { once: true, capture: true }));
}
"""


def web() -> list[Row]:
    """All of it: the list, a long chat, typing, bytes and memory."""
    with open_browser() as browser:
        return [*_list_and_chat(browser), *_typing_and_memory(browser), *_bytes(browser)]


def _list_and_chat(browser: Browser) -> list[Row]:
    with desk_of(AGENTS) as desk:
        _lengthen(desk, "project-0")
        with _room(desk, AGENTS) as room, _visitor(browser) as visitor:
            page = _pair(visitor, room)
            lists, whole = _lists(page)
            (long,) = (agent for agent in room.fleet() if agent["name"] == "agent-0")
            chats = _chats(page, str(long["id"]))
            frames = _scroll(page)
    after, opening, chat = (percentile(times, 0.5) for times in (lists, whole, chats))
    smooth = percentile(frames, 0.99)
    return [
        Row(f"app: list of {AGENTS} agents, after load", f"{after:.0f} ms", "500 ms", after / 500),
        Row("the same, from the start of the navigation", f"{opening:.0f} ms", "–"),
        Row(f"app: open a chat of {ITEMS:,} items", f"{chat:.0f} ms", "300 ms", chat / 300),
        Row(f"app: scroll through {PAGES} pages of it, frames p50", f"{percentile(frames, 0.5):.0f} ms", "–"),
        Row("the same, frames p99", f"{smooth:.0f} ms", "–"),
    ]


def _lists(page: Page) -> tuple[list[float], list[float]]:
    lists, whole = [], []
    for _ in range(TIMES):
        page.reload()
        listed = float(page.evaluate("listed"))
        loaded = float(page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd"))
        whole.append(listed)
        lists.append(max(0.0, listed - loaded))
    return lists, whole


def _chats(page: Page, agent_id: str) -> list[float]:
    times = []
    for _ in range(TIMES):
        page.reload()
        page.evaluate("listed")
        times.append(float(page.evaluate(_OPEN, agent_id)))
    return times


def _scroll(page: Page) -> list[float]:
    """Milliseconds of each frame while a wheel goes back through so many pages."""
    page.locator(".thread").hover()
    page.evaluate(_RECORD)
    shown, pages = "", 0
    while pages < PAGES:
        page.mouse.wheel(0, -WHEEL_PX)
        now = str(page.evaluate(_OLDEST))
        shown, pages = now, pages + (now != shown)
    return [float(ms) for ms in page.evaluate("frames_ms")]


def _typing_and_memory(browser: Browser) -> list[Row]:
    with desk_of(1) as desk, _room(desk, 1) as room, _visitor(browser) as visitor:
        frame: list[dict[str, Any]] = []
        sockets: list[WebSocketRoute] = []
        page = _pair(visitor, room)
        (agent,) = room.fleet()
        keys = _keys(page, room, str(agent["id"]))
        page.route_web_socket("**/api/v1/live", lambda socket: _overhear(socket, frame, sockets))
        grown = _memory(page, frame, sockets)
    p50, p95 = percentile(keys, 0.5), percentile(keys, 0.95)
    return [
        Row("app: key to painted frame, p50", f"{p50:.0f} ms", "60 ms", p50 / 60),
        Row("app: key to painted frame, p95", f"{p95:.0f} ms", "–"),
        Row(f"app: memory grown by {HOUR_OF_FRAMES:,} frames", f"{grown / 1e6:.1f} MB", "flat"),
    ]


def _keys(page: Page, room: Room, agent_id: str) -> list[float]:
    page.goto(f"{_origin(room)}/app/agents/{agent_id}/terminal")
    page.get_by_text("Live ·").wait_for()
    page.keyboard.press("Enter")
    page.get_by_text("Keys go to the pane").wait_for()
    times, typed = [], ""
    for number in range(KEYS):
        key = chr(ord("a") + number % 26)
        typed += key
        page.evaluate(_TYPE, [key, typed[-20:]])
        page.keyboard.press(key)
        times.append(float(page.evaluate("typedMs")))
        page.wait_for_timeout(KEY_PAUSE_MS)
    return times


def _overhear(socket: WebSocketRoute, frame: list[dict[str, Any]], sockets: list[WebSocketRoute]) -> None:
    """Everything goes through; the first screen is kept, to be sent again and again."""
    server = socket.connect_to_server()

    def pass_on(message: str | bytes) -> None:
        heard = json.loads(message)
        if heard["type"] == "frame" and not frame:
            frame.append(heard)
        socket.send(message)

    server.on_message(pass_on)
    sockets.append(socket)


def _memory(page: Page, frame: list[dict[str, Any]], sockets: list[WebSocketRoute]) -> float:
    """Bytes of the page's heap that an hour of frames leaves behind, after collecting the garbage."""
    page.reload()
    page.get_by_text("Live ·").wait_for()
    session = page.context.new_cdp_session(page)
    _pour(page, frame[0], sockets[-1], WARM_FRAMES)
    before = _heap(session)
    _pour(page, frame[0], sockets[-1], HOUR_OF_FRAMES)
    return _heap(session) - before


def _pour(page: Page, frame: dict[str, Any], socket: WebSocketRoute, count: int) -> None:
    for number in range(count):
        text = f"\x1b[{number % 30 + 1};1Hframe {number} \x1b[3{number % 8}mof the sorter\x1b[0m"
        socket.send(json.dumps(frame | {"revision": uuid.uuid4().hex, "data": frame["data"] + text}))
        if number % BATCH == BATCH - 1:  # as much as it can take: what is left waiting is dropped by the page
            page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))")


def _heap(session: CDPSession) -> float:
    for _ in range(3):
        session.send("HeapProfiler.collectGarbage")
    return float(session.send("Runtime.getHeapUsage")["usedSize"])


def _bytes(browser: Browser) -> list[Row]:
    with desk_of(0) as desk:
        for number in range(WORKING):
            desk.add(_worker(number))
        with _room(desk, 0) as room, _visitor(browser) as visitor:
            cable = Cable(_port(room))
            try:
                page = _pair(visitor, room, cable)
                page.evaluate(f"painted(() => rows() >= {WORKING})")
                page.evaluate("navigator.serviceWorker.ready.then(() => true)")  # it has fetched its files
                began, carried = time.monotonic(), cable.carried
                page.wait_for_timeout(WATCH_S * 1000)
                minute = (cable.carried - carried) / (time.monotonic() - began) * 60
            finally:
                cable.close()
    return [Row(f"app: bytes a minute, list open, {WORKING} agents work", f"{minute / 1000:.1f} kB", "–")]


def _worker(number: int) -> Scene:
    use = Use(name="Bash", input={"command": "make count", "description": "Count"}, output="12", pause_s=2)
    steps = Loop(
        steps=(Think(text="Next row."), Pause(seconds=3), use, Say(text="Status: counting"), Pause(seconds=2))
    )
    turn = Turn(prompt="Count all rows.", steps=(steps,))
    return Scene(name=f"worker-{number}", folder=f"row-{number}", turns=(turn,), animated=True)


def _lengthen(desk: Desk, folder: str) -> None:
    """Give the transcript of the agent in this folder so many rows more, before anybody reads it."""
    (path,) = _eventually(lambda: list(desk.config.glob(f"projects/*{folder}/*.jsonl")))
    _eventually(lambda: '"turn_duration"' in path.read_text())
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    user = next(row for row in rows if row.get("type") == "user")
    reply = next(row for row in rows if row.get("type") == "assistant")
    with path.open("a") as file:
        for number in range(ITEMS // 2):
            for row in (user, reply):
                copied = json.loads(json.dumps(row))
                copied["uuid"] = str(uuid.UUID(int=number * 2 + (row is reply)))
                message = copied["message"]
                if row is reply:
                    message["id"] = f"msg_{number:024d}"
                    message["content"] = [
                        {
                            "type": "text",
                            "text": f"Row **{number}** has `{number % 12}` crates.\n\n- pears\n- plums",
                        }
                    ]
                else:
                    message["content"] = f"Count row {number}."
                file.write(json.dumps(copied) + "\n")


def _eventually(look: Callable[[], T]) -> T:
    """The first true value."""
    end = time.monotonic() + WAIT_S
    while not (found := look()):
        if time.monotonic() > end:
            raise SystemExit("the transcript was not written")
        time.sleep(0.1)
    return found


@contextmanager
def _room(desk: Desk, idle: int) -> Iterator[Room]:
    room = Room(desk)
    try:
        room.wait_for_agents(idle)
        yield room
    finally:
        room.close()


@contextmanager
def _visitor(browser: Browser) -> Iterator[Visitor]:
    visitor = Visitor(browser, "desktop")
    visitor.page.add_init_script(_PROBE % AGENTS)
    try:
        yield visitor
    finally:
        visitor.close()


def _pair(visitor: Visitor, room: Room, cable: Cable | None = None) -> Page:
    origin = _origin(room) if cable is None else f"http://localhost:{cable.port}"
    return visitor.pair(f"{origin}/app/", room.code())


def _origin(room: Room) -> str:
    return f"http://localhost:{_port(room)}"


def _port(room: Room) -> int:
    return room.port

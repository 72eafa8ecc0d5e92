"""``controlroom status``: what runs here, and its troubles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare

if TYPE_CHECKING:
    from controlroom.wire.client import Status


@declare("status", examples="controlroom status --json")
def command(call: Call) -> None:
    """What runs here, and what is wrong with it."""
    status = call.hub(lambda hub: hub.status())
    if call.json:
        call.out.json(status)
        return
    from controlroom.kit.clock import SystemClock

    call.out.lines(render_status(status, SystemClock().now_ms(), call.out.width, call.out.colour))


def render_status(status: Status, now_ms: int, width: int, colour: bool) -> list[str]:
    """The control room in a few lines; each trouble with what to do about it."""
    from controlroom.cli import text, times
    from controlroom.cli.look import compose

    def row(label: str, value: str) -> str:
        return compose([(f"{label:<9}", "meta"), (value, "plain")], width, colour)

    running = times.span(now_ms - status.started_at_ms)
    lines = [
        row("Address", text.line(status.url)),
        row("Version", f"{text.line(status.version, 40)}, process {status.pid}, running for {running}"),
        row("Machines", str(status.machines)),
        row("Agents", str(status.agents)),
    ]
    if status.paused is not None:
        since = times.span(now_ms - status.paused.since_ms)
        why = f": {text.line(status.paused.why, 200)}" if status.paused.why else ""
        lines.append(row("Paused", f"for {since}{why}. Go on with: controlroom resume"))
    if status.checker is not None:
        checker = status.checker
        calls = f" {checker.calls_today} of {checker.calls_per_day} calls today." if checker.model else ""
        lines.append(row("Checker", f"{text.line(checker.text, 300)}{calls}"))
    if not status.health:
        return [*lines, row("Health", "nothing is wrong")]
    lines += ["", compose([("Trouble", "fault")], width, colour)]
    for item in status.health:
        since = times.span(now_ms - item.since_ms)
        head = f"{text.line(item.title, 200)}  for {since}"
        lines.append(compose([("▲! ", "fault"), (head, "plain")], width, colour))
        if item.do != item.title:
            lines += [f"   {entry}" for entry in text.wrap(text.line(item.do, 500), width - 3)]
    return lines

"""What ``controlroom doctor`` says of Herdr: which servers there are, and the check of real ones."""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Mapping

from controlroom.app.doctor_check import Check
from controlroom.core.text import clean_line
from controlroom.kit.clock import SystemClock
from controlroom.kit.settings import Settings
from controlroom.node.mux.herdr import protocol
from controlroom.node.mux.herdr.client import Lost, Nobody, Refused, Shut, call
from controlroom.node.mux.herdr.link import PING_TIMEOUT_S, read
from controlroom.node.mux.herdr.selfcheck import SelfCheck
from controlroom.node.mux.herdr.servers import candidates

FIX = "Name the sessions to look at in herdr.sockets, or end that server when you can."


async def herdr_servers(settings: Settings, environment: Mapping[str, str]) -> list[Check]:
    """Each server, asked for its version only. None is the normal state."""
    found = candidates(settings.herdr.sockets, environment, os.getuid())
    answers = await asyncio.gather(*(_server(path) for path in found.paths))
    strange = [
        Check("herdr servers", "wrong", f"The socket {clean_line(path)} belongs to somebody else.", FIX)
        for path in found.strange
    ]
    return [answer for answer in answers if answer is not None] + strange


async def _server(path: str) -> Check | None:
    try:
        pong = read(protocol.parse_pong, await call(path, "ping", {}, timeout_s=PING_TIMEOUT_S))
    except Nobody:
        return None
    except (Shut, Lost, Refused) as error:
        text = f"What listens at {clean_line(path)} does not answer as Herdr: {clean_line(str(error), 120)}."
        return Check("herdr servers", "wrong", text, FIX)
    version = clean_line(pong.version, 40)
    if pong.protocol < protocol.OLDEST:
        text = f"{path} runs version {version} (protocol {pong.protocol}); 0.7.5 or newer is needed."
        return Check("herdr servers", "wrong", text, FIX)
    return Check("herdr servers", "ok", f"{path}: version {version}, protocol {pong.protocol}")


async def herdr_check(settings: Settings, environment: Mapping[str, str]) -> list[Check]:
    """The whole check of each server: it opens one tab in each, and closes it again."""
    from controlroom import __version__

    found = candidates(settings.herdr.sockets, environment, os.getuid())
    checks = [
        Check("control room", "ok", f"version {__version__} on {platform.system()} {platform.machine()}")
    ]
    for number, path in enumerate(found.paths, start=1):
        findings = await SelfCheck(path, SystemClock()).run()
        checks += [Check(f"{number} {each.name}", each.state, each.text) for each in findings]
    if all(check.state == "note" for check in checks[1:]):  # no socket, or only such as were left behind
        fix = "Start Herdr, or name its socket in the setting herdr.sockets."
        checks.append(Check("herdr", "wrong", "No Herdr server was found.", fix))
    return checks

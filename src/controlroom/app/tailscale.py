"""Tailscale as a proxy before our proxy door: asked and told through its own command, never needed.

``tailscale serve`` publishes ``https://<name of this machine>:<port>`` inside the person's tailnet, with a
certificate of its own, and forwards to a port of this machine. Source: `tailscale serve --help` and
`tailscale status --json` of version 1.50 and later.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
import structlog

from controlroom.core.endpoints import Tailnet
from controlroom.core.text import clean_line
from controlroom.kit.child import Child
from controlroom.kit.health import HealthBoard

_log = structlog.get_logger("tailscale")

PROGRAM: Final = "tailscale"
ANSWER_S: Final = 5.0
LARGEST_ANSWER: Final = 4 * 1024 * 1024
TROUBLE: Final = "tailscale"


class TailscaleError(Exception):
    """It did not work; the text is one sentence for people."""


class Ran(msgspec.Struct, frozen=True):
    """How one call ended."""

    code: int
    out: str
    err: str


async def run(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Ran:
    """Run ``tailscale`` with these arguments. Raises TailscaleError: it is absent, or too slow."""
    environment = os.environ if environment is None else environment
    program = shutil.which(PROGRAM, path=environment.get("PATH"))
    if program is None:
        raise TailscaleError("there is no program tailscale here")
    parts: dict[int, bytearray] = {1: bytearray(), 2: bytearray()}

    def received(fd: int, data: bytes) -> None:
        if len(parts[fd]) < LARGEST_ANSWER:
            parts[fd] += data

    try:
        child = await Child.spawn([program, *arguments], environment, received)
    except OSError as error:
        raise TailscaleError(f"tailscale cannot be started: {error.strerror}") from None
    try:
        child.close_input()
        async with asyncio.timeout(ANSWER_S):
            await child.finished()
    except TimeoutError:
        raise TailscaleError(f"tailscale {arguments[0]} did not answer in {ANSWER_S:.0f} seconds") from None
    finally:
        await child.aclose()
    out, err = (bytes(parts[fd]).decode(errors="replace") for fd in (1, 2))
    return Ran(child.code if child.code is not None else -1, out, err)


async def look(environment: Mapping[str, str] | None = None) -> Tailnet | None:
    """This machine in its tailnet; None when it is in none now. Raises TailscaleError."""
    ran = await run(["status", "--json", "--peers=false"], environment)
    if ran.code:
        raise TailscaleError(_reason(ran))
    try:
        return tailnet_of(msgspec.json.decode(ran.out, type=dict[str, Any]))
    except msgspec.DecodeError:
        raise TailscaleError("tailscale status says something that is no JSON") from None


def tailnet_of(status: Mapping[str, Any]) -> Tailnet | None:
    """What ``tailscale status --json`` says of this machine."""
    own = status.get("Self")
    if status.get("BackendState") != "Running" or not isinstance(own, dict):
        return None
    addresses = own.get("TailscaleIPs")
    known = [one for one in addresses if isinstance(one, str)] if isinstance(addresses, list) else []
    name = own.get("DNSName")
    return Tailnet(
        address=next((one for one in known if "." in one), known[0] if known else None),
        name=clean_line(name, 253).rstrip(".").lower() or None if isinstance(name, str) else None,
    )


async def published(environment: Mapping[str, str] | None = None) -> frozenset[int]:
    """The ports that ``tailscale serve`` publishes now, for whomever; none when it does not say."""
    try:
        ran = await run(["serve", "status", "--json"], environment)
        return ports_of(msgspec.json.decode(ran.out, type=dict[str, Any]))
    except (TailscaleError, msgspec.DecodeError):
        return frozenset()


def ports_of(served: Mapping[str, Any]) -> frozenset[int]:
    """What ``tailscale serve status --json`` says of ports with TLS."""
    tcp = served.get("TCP")
    if not isinstance(tcp, dict):
        return frozenset()
    return frozenset(
        int(port)
        for port, how in tcp.items()
        if port.isascii() and port.isdigit() and isinstance(how, dict) and how.get("HTTPS") is True
    )


def _reason(ran: Ran) -> str:
    said = clean_line(ran.err or ran.out, 300).rstrip(".")
    return said or f"tailscale ended with status {ran.code}"


class Tailscale:
    """Publishes one port of this machine in the tailnet while the control room runs.

    ``tailnet`` is what is known now: None before ``enable``, and while nothing is published.
    """

    def __init__(self, health: HealthBoard, environment: Mapping[str, str] | None = None) -> None:
        self._health = health
        self._environment = environment
        self._published: int | None = None
        self.tailnet: Tailnet | None = None

    @property
    def name(self) -> str | None:
        return None if self.tailnet is None else self.tailnet.name

    async def enable(self, port: int, target: int) -> str:
        """Publish ``http://127.0.0.1:target`` as ``https://NAME:port``, and return that address.

        Raises TailscaleError, which is shown in Health too until it works.
        """
        try:
            url = await self._enable(port, target)
        except TailscaleError as error:
            self._health.raise_(
                TROUBLE,
                f"Tailscale does not publish the door: {error}",
                "Run: tailscale status; then start the control room again.",
            )
            raise
        self._health.clear(TROUBLE)
        return url

    async def _enable(self, port: int, target: int) -> str:
        tailnet = await look(self._environment)
        if tailnet is None or tailnet.name is None:
            raise TailscaleError("this machine is in no tailnet now, or has no name in it: tailscale up")
        ran = await run(
            ["serve", "--bg", "--yes", f"--https={port}", f"http://127.0.0.1:{target}"], self._environment
        )
        if ran.code:
            raise TailscaleError(_reason(ran))
        self._published = port
        others = await published(self._environment)  # a Hermes host's API, perhaps
        self.tailnet = msgspec.structs.replace(tailnet, served=others | {port})
        _log.info("published in the tailnet", port=port)
        return f"https://{tailnet.name}:{port}"

    async def disable(self) -> None:
        """Take back what ``enable`` published. Never fails: the log says what was left."""
        port, self._published, self.tailnet = self._published, None, None
        if port is None:
            return
        try:
            ran = await run(["serve", "--yes", f"--https={port}", "off"], self._environment)
        except TailscaleError as error:
            _log.warning("the tailnet still shows the door", port=port, why=str(error))
            return
        if ran.code:
            _log.warning("the tailnet still shows the door", port=port, why=_reason(ran))

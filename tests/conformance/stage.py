"""The machine on which recordings are replayed: a door with all its parts, files, and a clock to be moved."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence

from controlroom.core.invite import HermesHost, Reach
from controlroom.core.qr import ApiAddress
from controlroom.gateway.channels import Part
from controlroom.gateway.media.part import MediaPart
from controlroom.gateway.placeholders import Placeholders
from controlroom.gateway.proactive import ProactivePart
from controlroom.gateway.profiles.part import ProfilesPart
from controlroom.gateway.sockets import SocketTimes
from controlroom.gateway.terminal.part import Terminals
from controlroom.gateway.terminal.tmux import server_name
from controlroom.hub.store.media_rows import StoredMedia
from controlroom.kit.clock import SystemClock
from controlroom.kit.settings import Media
from tests.support.relay_door import LAN, RelayDoor
from tests.support.tmux import TmuxFolder, TmuxServer, clean_environment

RECORDED_HOME = "/home/dev/relay"  # where the recorded machine had its files
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


HERMES = {
    "config.yaml": "description: Root agent for wire capture\nmodel:\n  default: test/model-a\n"
    "  api_key: should-not-leak\ntts:\n  provider: edge\nstt:\n  provider: local\n",
    "SOUL.md": "# Captain\nYou are the capture agent.\n",
    "profiles/researcher/config.yaml": "model:\n  default: test/model-b\nplatforms:\n  api_server:\n"
    "    enabled: true\n    host: 127.0.0.1\n    port: 18643\n    key: profile-key\n",
    "profiles/researcher/SOUL.md": "## Researcher persona\n\nReads papers.\n",
    "profiles/researcher/skills/dev/lint/SKILL.md": "---\nname: lint-it\ndescription: Runs a linter\n---\n",
    "profiles/researcher/memories/MEMORY.md": "remember this\n",
    "profiles/researcher/memories/USER.md": "the user\n",
    "profiles/researcher/memories/aaa.md": "extra\n",
}


class MovedClock:
    """The machine's clock, moved ahead."""

    def __init__(self) -> None:
        self._clock = SystemClock()
        self._ahead_s = 0.0

    def now_ms(self) -> int:
        return self._clock.now_ms() + int(self._ahead_s * 1000)

    def monotonic(self) -> float:
        return self._clock.monotonic() + self._ahead_s

    def advance(self, seconds: float) -> None:
        self._ahead_s += seconds


class Stage:
    """``note``: what stands in the file that is asked for; ``limits``: settings of media."""

    def __init__(
        self,
        folder: TmuxFolder,
        *,
        note: str = "hi",
        limits: Media | None = None,
        times: SocketTimes | None = None,
    ) -> None:
        self.path = folder.path.resolve()
        self.clock = MovedClock()
        self._limits = limits or Media()
        files = self.path / "files"
        files.mkdir()
        (files / "pic.png").write_bytes(base64.b64decode(PIXEL))
        (files / "note.txt").write_text(note)
        (files / "big.bin").write_bytes(b"x" * 1_200_000)
        (files / "d").mkdir()
        (files / "link.txt").symlink_to("/etc/passwd")
        for name, text in HERMES.items():
            path = self.path / ".hermes" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.path / ".hermes/profiles/researcher/avatar.png").write_bytes(base64.b64decode(PIXEL))
        self._environment = clean_environment(folder.path, PS1="$ ", HERMES_WORKSPACE=str(files))
        self.door = RelayDoor(
            folder.path,
            parts=self._parts,
            profiles=self,
            clock=self.clock,
            times=times,
            reach=Reach(
                relay=LAN,
                hermes=HermesHost(api=ApiAddress(host="192.0.2.10", port=38642), dashboard_url=None),
            ),
        )
        self._tmux = TmuxServer(folder.path, server_name(self.door.home.path))

    def _parts(self) -> Sequence[Part]:
        self.terminals = Terminals(home=self.door.home, environment=self._environment, panes=None)
        media = MediaPart(
            rows=StoredMedia(self.door.store),
            settings=self._limits,
            home=self.door.home,
            user_home=self.path,
            environ=self._environment,
            clock=self.clock,
            health=self.door.health,
        )
        self._profiles = ProfilesPart(
            environ=self._environment,
            user_home=self.path,
            clock=self.clock,
            health=self.door.health,
            push=lambda *said: self.door.gateway.push(*said),
        )
        phones = self.door.phones()
        return (self.terminals, media, ProactivePart(phones, self.clock), Placeholders(), self._profiles)

    async def rows(self) -> Sequence[Mapping[str, object]]:
        """The profiles of ``auth.ok`` (``gateway.channels.Profiles``)."""
        return await self._profiles.rows()

    @property
    def names(self) -> dict[str, str]:
        """Recorded paths -> ours."""
        return {RECORDED_HOME: str(self.path)}

    def shells(self) -> list[str]:
        """The sessions of our tmux server that still live."""
        return self._tmux.run("list-sessions", "-F", "#{session_name}", check=False).splitlines()

    def size_of(self, session: str) -> str:
        return self._tmux.run(
            "display-message", "-p", "-t", f"={session}:", "#{pane_width}x#{pane_height}", check=False
        )

    def attached(self) -> list[str]:
        """tmux clients that still show one of them."""
        return self._tmux.clients()

    async def aclose(self) -> None:
        await self.door.aclose()
        if pid := self._tmux.run("display-message", "-p", "#{pid}", check=False):
            self._tmux.pid = int(pid)
            self._tmux.kill()

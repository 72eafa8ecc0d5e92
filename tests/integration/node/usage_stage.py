"""A machine with config folders of agents and no agents, and the services that its readers could ask."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aiohttp import web

from controlroom.core.usage import LoginState, Window, freshest, window_now
from controlroom.kit.clock import FakeClock
from controlroom.kit.health import HealthBoard
from controlroom.kit.settings import Profiles, Settings, Usage
from controlroom.kit.sql import Database
from controlroom.node.journal.journal import SCHEMA
from controlroom.node.journal.usage import UsageJournal
from controlroom.node.usage.part import UsagePart
from controlroom.wire.usage import ProfileState, UsageBy, UsageRow, UsageState

NOW = FakeClock().at_ms
HOUR = 3_600_000
TOKEN, REFRESH = "sk-ant-oat01-INVENTED-access", "sk-ant-ort01-INVENTED-refresh"

Answer = Callable[[web.Request], web.StreamResponse]


def windows(five: object = 33.0, week: object = 13.0, resets: str | None = None) -> dict[str, object]:
    return {
        "five_hour": {"utilization": five, "resets_at": resets},
        "seven_day": {"utilization": week, "resets_at": None},
    }


class Service:
    """The usage endpoint, and the OAuth endpoints that must never be asked. ``answer`` makes each answer."""

    def __init__(self) -> None:
        self.asked: list[web.BaseRequest] = []
        self.refreshes = 0
        self.answer: Answer = lambda request: web.json_response(windows())
        self.url = ""

    async def start(self) -> None:
        app = web.Application()
        app.router.add_get("/api/oauth/usage", self._usage)
        app.router.add_route("*", "/{path:.*}", self._other)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/api/oauth/usage"

    async def aclose(self) -> None:
        await self._runner.cleanup()

    async def _usage(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request)
        return self.answer(request)

    async def _other(self, request: web.Request) -> web.StreamResponse:
        """Whatever else is asked would be a refresh, or a token on its way to a strange place."""
        self.refreshes += 1
        return web.json_response({"access_token": "new", "refresh_token": "new"})


class Desk:
    """One machine's usage, looked at by hand."""

    def __init__(self, folder: Path, service: Service) -> None:
        self.folder = folder
        self.service = service
        self.clock = FakeClock()
        self.health = HealthBoard(self.clock)
        self.sessions: dict[str, str] = {}
        self.said: list[UsageState] = []
        self.part: UsagePart
        self.named: list[str] = []
        self.living: list[tuple[str, str]] = []
        self._database: Database

    def settings(self, **usage: Any) -> Settings:
        return Settings(
            usage=Usage(**({"claude_url": self.service.url} | usage)),
            profiles=Profiles(folders=tuple(self.named), search=False),
        )

    async def start(self, **usage: Any) -> None:
        self._database = Database(self.folder / "node.sqlite", SCHEMA, clock=self.clock, health=self.health)
        await self._database.start()
        self.part = UsagePart(
            machine_id="mac_1",
            settings=self.settings(**usage),
            journal=UsageJournal(self._database),
            spool=self.folder / "status-lines",
            living=lambda: self.living,
            sessions=lambda: self.sessions,
            changed=self._changed,
            home=None,
            environ={},
            clock=self.clock,
            health=self.health,
        )
        await self.part.load()

    async def _changed(self, state: UsageState) -> None:
        self.said.append(state)

    async def aclose(self) -> None:
        await self._database.aclose()

    async def restart(self, **usage: Any) -> None:
        await self.aclose()
        await self.start(**usage)

    # ---- folders ---------------------------------------------------------------------------------------

    def claude(
        self,
        name: str,
        *,
        account: str = "a-1",
        login: bool = True,
        expires_ms: int | None = None,
        **more: Any,
    ) -> Path:
        """A config folder that is signed in to this account."""
        folder = self.folder / name
        (folder / "projects").mkdir(parents=True, exist_ok=True)
        state = {
            "oauthAccount": {
                "accountUuid": account,
                "organizationUuid": "o",
                "emailAddress": "kim@example.com",
            }
        }
        (folder / ".claude.json").write_text(json.dumps(state))
        if login:
            oauth = {
                "accessToken": TOKEN,
                "refreshToken": REFRESH,
                "expiresAt": NOW + 8 * HOUR if expires_ms is None else expires_ms,
                **more,
            }
            path = folder / ".credentials.json"
            path.write_text(json.dumps({"claudeAiOauth": oauth}))
            path.chmod(0o600)
        self.name("claude", name, folder)
        return folder

    def codex(self, name: str, *, account: str = "acct-1") -> Path:
        folder = self.folder / name
        (folder / "sessions").mkdir(parents=True, exist_ok=True)
        auth = {
            "chatgpt_account_id": account,
            "chatgpt_plan_type": "plus",
            "chatgpt_user_id": f"user-{account}",
        }
        claims = {"email": "kim@example.com", "https://api.openai.com/auth": auth}
        body = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
        tokens = {
            "id_token": f"e30.{body}.c2ln",
            "access_token": TOKEN,
            "refresh_token": REFRESH,
            "account_id": account,
        }
        path = folder / "auth.json"
        path.write_text(json.dumps({"auth_mode": "chatgpt", "tokens": tokens}))
        path.chmod(0o600)
        self.name("codex", name, folder)
        return folder

    def name(self, kind: str, name: str, folder: Path) -> None:
        entry = f"{kind}:{name}={folder}"
        if entry not in self.named:
            self.named.append(entry)

    # ---- what is known ---------------------------------------------------------------------------------

    async def look(self, after_s: float = 0.0) -> UsageState:
        self.clock.advance(after_s)
        await self.part.look()
        return self.part.state

    def windows(self, login: LoginState = "ok") -> dict[str, Window]:
        now_ms = self.clock.now_ms()
        merged = freshest(self.part.state.readings, now_ms)
        made = [window_now(reading, now_ms, login) for reading in merged.readings]
        return {window.name: window for window in made}

    def profile(self, name: str) -> ProfileState:
        return next(profile for profile in self.part.state.profiles if profile.name == name)

    async def rows(self, by: UsageBy) -> dict[str, UsageRow]:
        return {row.key: row for row in (await self.part.report(by)).rows}


def stamps(*folders: Path) -> dict[str, tuple[int, int, int, bytes]]:
    """Everything that lies below these folders: inode, mode, time of change, and contents."""
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            status = path.lstat()
            contents = path.read_bytes() if path.is_file() else b""
            found[str(path)] = (status.st_ino, status.st_mode, status.st_mtime_ns, contents)
        found[str(folder)] = (folder.stat().st_ino, folder.stat().st_mode, folder.stat().st_mtime_ns, b"")
    return found


def copied(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(source.read_bytes())
    status = source.stat()
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))

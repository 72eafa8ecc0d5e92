"""A real Codex in a pane, with a ``CODEX_HOME`` of its own that knows only our model server."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from tests.real.support.pane import AGENT_S, Pane, whole_lines
from tests.support.waiting import until, until_equal

READY = "← for agents"  # the footer of a composer that takes input
EXECUTABLE = "codex"


class CodexHome:
    """A configured home; ``trust`` the folders that an agent is to start in."""

    def __init__(self, folder: Path, model_url: str) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700)
        self._config = f"""\
model = "gpt-6-sol"
model_provider = "local"
check_for_update_on_startup = false
[model_providers.local]
name = "Local"
base_url = "{model_url}"
wire_api = "responses"
env_key = "LOCAL_KEY"
request_max_retries = 1
stream_max_retries = 1
"""
        self._write()

    def trust(self, cwd: Path) -> None:
        self._config += f'[projects."{cwd}"]\ntrust_level = "trusted"\n'
        self._write()

    def configure(self, toml: str) -> None:
        """Add top-level settings."""
        self._config = toml + self._config
        self._write()

    def sign_in(self, account: str) -> Path:
        """Put an invented ChatGPT login into it; its file, which nothing may ever write."""
        auth = {
            "chatgpt_account_id": account,
            "chatgpt_plan_type": "plus",
            "chatgpt_user_id": f"user-of-{account}",
        }
        claims = {"email": "kim@example.com", "https://api.openai.com/auth": auth, "exp": 4_000_000_000}
        body = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
        tokens = {"id_token": f"e30.{body}.c2ln", "account_id": account, "refresh_token": "invented"}
        path = self.folder / "auth.json"
        path.write_text(
            json.dumps({"auth_mode": "chatgpt", "tokens": {**tokens, "access_token": "invented"}})
        )
        path.chmod(0o400)
        return path

    @property
    def environment(self) -> dict[str, str]:
        return {"CODEX_HOME": str(self.folder), "LOCAL_KEY": "invented"}

    def _write(self) -> None:
        (self.folder / "config.toml").write_text(self._config)


class Codex:
    """One interactive Codex, without the shared background server unless asked for."""

    def __init__(self, pane: Pane, home: CodexHome) -> None:
        self.pane = pane
        self.home = home

    async def start(self, *arguments: str, daemon: bool = False) -> None:
        """Start it and wait until input reaches its composer."""
        self.pane.run("codex", *([] if daemon else ["--no-daemon"]), *arguments)
        await self.pane.until_text(READY)

    async def say(self, text: str) -> None:
        """Type one line and send it, as a person does who sees what they type."""
        self.pane.paste(text)
        await self.pane.until_text(f"› {text}")
        self.pane.press("Enter")

    def rollouts(self) -> list[Path]:
        return sorted(self.home.folder.glob("sessions/*/*/*/rollout-*.jsonl"))

    def rows(self) -> list[dict[str, Any]]:
        """All lines of all rollouts that hold a conversation of a person."""
        return [json.loads(line) for file in self.rollouts() for line in whole_lines(file)]

    def events(self, kind: str) -> list[dict[str, Any]]:
        """The payloads of all ``event_msg`` lines of one kind."""
        payloads = (row["payload"] for row in self.rows() if row["type"] == "event_msg")
        return [payload for payload in payloads if payload["type"] == kind]

    def typed(self) -> list[str]:
        """What reached it as a person's message."""
        items = [event["item"] for event in self.events("item_completed")]
        messages = [item for item in items if item["type"] == "UserMessage"]
        return ["".join(part.get("text", "") for part in item["content"]) for item in messages]

    async def until_typed(self, *texts: str) -> None:
        """Until just this has reached it, in this order."""
        await until_equal(self.typed, list(texts), within_s=AGENT_S)

    async def until_event(self, kind: str, count: int = 1) -> dict[str, Any]:
        """The newest event of this kind once there are ``count``."""

        def reached() -> list[dict[str, Any]] | None:
            found = self.events(kind)
            return found if len(found) >= count else None

        try:
            found = await until(reached, within_s=AGENT_S)
        except AssertionError as error:
            raise AssertionError(f"no {kind} (number {count}) in the rollout\n{self.pane.text()}") from error
        assert found
        return found[-1]

"""A real Claude Code in a pane, with a configuration folder of its own that knows only our model server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from tests.real.support.pane import AGENT_S, Pane, whole_lines
from tests.support.waiting import until, until_equal, until_now

KEY = "sk-ant-api03-" + "invented-key-for-tests-" * 3
TOKEN = "sk-ant-oat01-" + "invented-token-for-tests-" * 3
EXECUTABLE = "claude.exe"  # what the npm package calls its native program on every system
COMPOSER = "❯\N{NO-BREAK SPACE}"  # what was sent stands behind "❯" and an ordinary space


class ClaudeProfile:
    """A ``CLAUDE_CONFIG_DIR`` past its first-run screens. Usage limits appear only with login "token"."""

    def __init__(self, folder: Path, model_url: str, *, login: Literal["key", "token"] = "key") -> None:
        self.folder = folder
        self._model_url = model_url
        self._login = login
        folder.mkdir(mode=0o700)
        self._write(
            {
                "hasCompletedOnboarding": True,
                "lastOnboardingVersion": "2.1.332",
                "theme": "dark",
                "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
                "projects": {},
            }
        )

    def trust(self, cwd: Path) -> None:
        """Answer the trust prompt of this folder beforehand."""
        state = json.loads((self.folder / ".claude.json").read_text())
        state["projects"][str(cwd)] = {"hasTrustDialogAccepted": True}
        self._write(state)

    def settings(self, **settings: object) -> None:
        """Write settings.json."""
        (self.folder / "settings.json").write_text(json.dumps(settings))

    @property
    def environment(self) -> dict[str, str]:
        login = {"ANTHROPIC_API_KEY": KEY} if self._login == "key" else {"CLAUDE_CODE_OAUTH_TOKEN": TOKEN}
        return {
            "CLAUDE_CONFIG_DIR": str(self.folder),
            "ANTHROPIC_BASE_URL": self._model_url,
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **login,
        }

    def _write(self, state: dict[str, Any]) -> None:
        (self.folder / ".claude.json").write_text(json.dumps(state))


class Claude:
    """One interactive Claude Code."""

    def __init__(self, pane: Pane, profile: ClaudeProfile) -> None:
        self.pane = pane
        self.profile = profile

    async def start(self, *arguments: str, mode: str = "manual") -> None:
        """Start it and wait until it stands at its prompt."""
        self.pane.run("claude", "--permission-mode", mode, *arguments)
        await self.until_status("idle")
        await self.pane.until_text(COMPOSER)

    async def say(self, text: str) -> None:
        """Type one line and send it, as a person does who sees what they type."""
        self.pane.paste(text)
        await self.pane.until_text(f"{COMPOSER}{text}")
        self.pane.press("Enter")

    def registry(self) -> dict[str, Any] | None:
        """What it says of itself in its live registry; None before it is up and after it has ended."""
        process = self.pane.process(EXECUTABLE)
        if process is None:
            return None
        try:
            entry: dict[str, Any] = json.loads(
                (self.profile.folder / "sessions" / f"{process.pid}.json").read_text()
            )
        except (OSError, ValueError):
            return None
        return entry

    @property
    def session_id(self) -> str:
        """The present session; a registry file that is just being written is read again."""
        entry = until_now(self.registry, "Claude Code runs", within_s=AGENT_S)
        assert entry is not None
        return str(entry["sessionId"])

    async def until_status(self, status: str, waiting_for: str | None = None) -> dict[str, Any]:
        """Its registry entry as soon as it has this status."""

        def reached() -> dict[str, Any] | None:
            entry = self.registry()
            if entry is None or entry.get("status") != status:
                return None
            return entry if waiting_for is None or entry.get("waitingFor") == waiting_for else None

        try:
            entry = await until(reached, within_s=AGENT_S)
        except AssertionError as error:
            raise AssertionError(
                f"Claude Code is not {status}: {self.registry()}\n{self.pane.text()}"
            ) from error
        assert entry is not None
        return entry

    def rows(self) -> list[dict[str, Any]]:
        """All rows of all transcripts of this profile, in the order of each file."""
        files = sorted(self.profile.folder.glob("projects/*/*.jsonl"), key=lambda file: file.stat().st_mtime)
        return [json.loads(line) for file in files for line in whole_lines(file)]

    def typed(self) -> list[str]:
        """What was typed into it, as its transcripts say; the wrapping of long pastes is removed."""
        texts = []
        for row in self.rows():
            if row.get("type") == "user" and row.get("promptSource") in ("typed", "queued", "sdk"):
                texts.append(_text(row["message"]["content"]))
        return texts

    async def until_typed(self, *texts: str) -> None:
        """Until just this was typed into it, in this order."""
        await until_equal(self.typed, list(texts), within_s=AGENT_S)


def _text(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, list):
        content = "".join(block.get("text", "") for block in content)
    return _unwrapped(content)


def _unwrapped(text: str) -> str:
    """Without ``<pasted_content id="…">`` around a long paste."""
    lines = text.strip("\n").split("\n")
    if lines[0].startswith("<pasted_content id=") and lines[-1].startswith("</pasted_content id="):
        return "\n".join(lines[1:-1])
    return text

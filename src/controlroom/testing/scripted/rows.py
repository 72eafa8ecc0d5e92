"""Transcript rows in the shapes that Claude Code 2.1.332 writes, appended to a session's file."""

from __future__ import annotations

import itertools
import os
import re
import uuid
from pathlib import Path
from typing import Any

import msgspec

from controlroom.kit.clock import Clock

VERSION = "2.1.332"
MODEL = "claude-opus-5-5"
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file"
    " edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to "
    "tell you how to proceed."
)
Row = dict[str, Any]


def slug(folder: str) -> str:
    """The project folder's name: every UTF-16 unit outside letters and digits becomes a dash."""
    return re.sub(r"[^A-Za-z0-9]", "-", "".join(c if ord(c) < 0x10000 else "--" for c in folder))


class Transcript:
    """One session's file. It appears with the first row, as the real one does."""

    def __init__(self, config: Path, session_id: str, folder: str, clock: Clock, seed: str) -> None:
        self._clock = clock
        self._folder = folder
        self._session_id = session_id
        self._seed = seed
        self._count = itertools.count(1)
        self._parent: str | None = None
        self._rows = 0
        self._prompt_id = ""
        self._prompts = 0
        self.path = config / "projects" / slug(folder) / f"{session_id}.jsonl"

    # ---- a turn --------------------------------------------------------------------------------------------

    def prompt(self, text: str, source: str = "typed", kind: str = "human") -> None:
        """What a person typed (or the program itself, with another ``kind``), written at submit."""
        self._prompts += 1
        self._prompt_id = self._id("prompt")
        if not self._rows:
            self._bare({"type": "mode", "mode": "normal"})
            self._bare({"type": "permission-mode", "permissionMode": "default"})
        self._chained(
            {
                "promptId": self._prompt_id,
                "type": "user",
                "message": {"role": "user", "content": text},
                "permissionMode": "default",
                "origin": {"kind": kind},
                "promptSource": source,
                "turnOrigin": kind.replace("-", "_"),
                "turnPosition": {"promptIndex": self._prompts, "turnIndex": self._prompts},
            }
        )

    def thinking(self, message_id: str, text: str) -> None:
        self._assistant(
            message_id, {"type": "thinking", "thinking": text, "signature": "c2NyaXB0"}, "tool_use"
        )

    def words(self, message_id: str, text: str, *, ends: bool) -> None:
        self._assistant(message_id, {"type": "text", "text": text}, "end_turn" if ends else "tool_use")

    def tool(self, message_id: str, name: str, given: Row) -> tuple[str, str]:
        """A tool call; its id and the id of its row."""
        tool_id = self.new_id("toolu_")
        block = {"type": "tool_use", "id": tool_id, "name": name, "input": given}
        return tool_id, self._assistant(message_id, block, "tool_use")

    def result(
        self,
        call: tuple[str, str],
        content: Any,
        structured: Any,
        *,
        by_person: bool = False,
        failed: bool = False,
    ) -> None:
        block: Row = {"tool_use_id": call[0], "type": "tool_result", "content": content}
        if failed or (isinstance(structured, dict) and "stdout" in structured):
            block["is_error"] = failed
        decision = {"decision": "accept", "source": "user_temporary" if by_person else "config"}
        self._answer(block, call[1], {"toolUseResult": structured, "permissionDecision": decision})

    def refused(self, call: tuple[str, str]) -> None:
        """The person said no: the turn ends."""
        block = {"type": "tool_result", "content": REFUSED, "is_error": True, "tool_use_id": call[0]}
        self._answer(
            block, call[1], {"toolUseResult": "User rejected tool use", "toolDenialKind": "user-rejected"}
        )
        self.interrupted(" for tool use")

    def interrupted(self, what: str = "") -> None:
        text = f"[Request interrupted by user{what}]"
        self._chained(
            {
                "promptId": self._prompt_id,
                "type": "user",
                "message": {"role": "user", "content": [{"type": "text", "text": text}]},
                "rowSource": "harness",
            }
        )

    def turn_ended(self, duration_ms: int, helpers: int) -> None:
        row: Row = {
            "type": "system",
            "subtype": "turn_duration",
            "durationMs": duration_ms,
            "messageCount": self._rows,
            "isMeta": False,
        }
        if helpers:
            row["pendingBackgroundAgentCount"] = helpers
        self._chained(row)

    # ---- beside a turn -------------------------------------------------------------------------------------

    def notice(self, text: str) -> None:
        self._chained({"type": "system", "subtype": "informational", "content": text, "level": "notice"})

    def limit(self, text: str, resets_at_s: int) -> None:
        info = {"status": "rejected", "resetsAt": resets_at_s, "rateLimitType": "five_hour"}
        self._chained(
            {
                "type": "assistant",
                "message": {
                    "id": self.new_id("msg_"),
                    "model": "<synthetic>",
                    "role": "assistant",
                    "stop_reason": "stop_sequence",
                    "type": "message",
                    "content": [{"type": "text", "text": text}],
                },
                "apiError": "usage_limit_reached",
                "quotaLimits": info,
                "apiErrorParams": {"rate_limit_info": info},
                "error": "rate_limit",
                "isApiErrorMessage": True,
                "apiErrorStatus": 429,
                "apiErrorType": "rate_limit_error",
            }
        )

    def queued(self, text: str | None) -> None:
        """A prompt typed while busy (its text), or its start later (None)."""
        row: Row = {"type": "queue-operation", "operation": "enqueue" if text is not None else "dequeue"}
        row["timestamp"] = self._timestamp()
        if text is not None:
            row["content"] = text
        self._bare(row)

    def command(self, name: str) -> None:
        """A command that the program ran itself, as /clear stands at the head of the new session."""
        said = (
            f"<command-name>/{name}</command-name>\n            <command-message>{name}</command-message>\n"
            "            <command-args></command-args>"
        )
        self._chained({"type": "user", "message": {"role": "user", "content": said}, "rowSource": "local"})

    def quit(self) -> None:
        """The mark of a clean end."""
        if self._rows:
            self._bare({"type": "cost-state", "totalCostUSD": 0.0, "modelUsage": {}})

    def helper(
        self, agent_id: str, call: tuple[str, str], kind: str, description: str, *, finished: bool
    ) -> None:
        """A helper's own file and its description; ``finished`` is in it only at the end."""
        folder = self.path.with_suffix("") / "subagents"
        folder.mkdir(parents=True, exist_ok=True)
        meta: Row = {"agentType": kind, "description": description, "toolUseId": call[0], "spawnDepth": 1}
        if finished:
            meta["finished"] = True
        (folder / f"agent-{agent_id}.meta.json").write_bytes(msgspec.json.encode(meta))
        row = self._common() | {
            "parentUuid": None,
            "isSidechain": True,
            "agentId": agent_id,
            "type": "user",
            "message": {"role": "user", "content": description},
            "uuid": self._id("helper"),
        }
        self._append(folder / f"agent-{agent_id}.jsonl", row)

    def new_id(self, prefix: str) -> str:
        return prefix + uuid.uuid5(uuid.NAMESPACE_OID, f"{self._seed}:{next(self._count)}").hex[:24]

    # ---- rows ----------------------------------------------------------------------------------------------

    def _assistant(self, message_id: str, block: Row, stop: str) -> str:
        usage = {
            "input_tokens": 120,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 4_000 * self._prompts,
            "output_tokens": 20,
        }
        message = {
            "id": message_id,
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": [block],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage,
        }
        return self._chained({"message": message, "requestId": f"req_{message_id[4:]}", "type": "assistant"})

    def _answer(self, block: Row, source: str, more: Row) -> None:
        message = {"role": "user", "content": [block]}
        self._chained(
            {
                "promptId": self._prompt_id,
                "type": "user",
                "message": message,
                "sourceToolAssistantUUID": source,
            }
            | more
        )

    def _chained(self, row: Row) -> str:
        own = self._id("row")
        self._append(
            self.path,
            {"parentUuid": self._parent, "isSidechain": False} | row | {"uuid": own} | self._common(),
        )
        self._parent = own
        return own

    def _bare(self, row: Row) -> None:
        self._append(self.path, row | {"sessionId": self._session_id})

    def _common(self) -> Row:
        return {
            "timestamp": self._timestamp(),
            "userType": "external",
            "entrypoint": "cli",
            "cwd": self._folder,
            "sessionId": self._session_id,
            "version": VERSION,
            "gitBranch": "main",
        }

    def _append(self, path: Path, row: Row) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(row) + b"\n")
        self._rows += 1

    def _timestamp(self) -> str:
        seconds, ms = divmod(self._clock.now_ms(), 1000)
        return f"{_iso(seconds)}.{ms:03d}Z"

    def _id(self, what: str) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self._seed}:{what}:{next(self._count)}"))


def _iso(seconds: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def tool_use_result(name: str, given: dict[str, str], output: str, *, failed: bool) -> object:
    """``toolUseResult`` as the tools of the real program leave it."""
    if failed:
        return f"Error: {output}"
    match name:
        case "Bash":
            return {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        case "Edit":
            old, new = given.get("old_string", ""), given.get("new_string", "")
            lines = [f"-{line}" for line in old.splitlines()] + [f"+{line}" for line in new.splitlines()]
            patch = {"oldStart": 1, "oldLines": len(old.splitlines()), "newStart": 1, "lines": lines}
            patch["newLines"] = len(new.splitlines())
            return {
                "filePath": given.get("file_path", ""),
                "oldString": old,
                "newString": new,
                "structuredPatch": [patch],
            }
        case "Write":
            return {"type": "create", "filePath": given.get("file_path", ""), "structuredPatch": []}
    return output

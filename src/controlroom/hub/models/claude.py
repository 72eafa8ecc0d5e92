"""Claude Code's one-shot command, ``claude -p``: for people whose login is a subscription.

It runs in folders that are made for one call and removed after it: an empty config folder (so no profile of
a person, no settings, hooks, memory or tools of theirs, and no copy of the conversation stays), an empty
working folder, and that as its home too. Its login is a long-lived token (``claude setup-token``) or an API
key from the Control Room's own key source; logins of profiles are neither read nor copied.

The question goes in through standard input: arguments can be read by everybody on the machine. ``-p`` is also
what keeps its processes out of the fleet (``node/agents/claude/processes.py``), wherever we run.

Seen with Claude Code 2.1.332; a version that does not know an option says so, and that is told.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from controlroom.core.check_prompt import Request
from controlroom.core.text import clean_line
from controlroom.hub.models.base import (
    ANSWER_BYTES,
    ANSWER_S,
    Answer,
    ModelError,
    NeedsLogin,
    NotPossible,
    RetryLater,
)
from controlroom.kit.child import Child

SUBSCRIPTION = "sk-ant-oat"  # how the tokens of "claude setup-token" begin
ARGUMENTS = (
    *("-p", "--output-format", "json", "--tools", "", "--strict-mcp-config", "--setting-sources", ""),
    *("--disable-slash-commands", "--no-session-persistence"),
)
PASSED_ON = (
    *("PATH", "LANG", "LC_ALL", "TZ", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy"),
    *("no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
)
ALWAYS = {
    "TERM": "dumb",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    # Else what the files hold that "@path" names anywhere in the text is sent along, wherever they lie.
    "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
    "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",
    "CLAUDE_CODE_MAX_RETRIES": "0",  # one call is one call; pauses are ours
}
BEGIN = "The request:\n"  # a text that begins with "/" is a command, whatever the options say
KEPT_ERRORS = 4_096


class _Usage(msgspec.Struct):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0


class _Result(msgspec.Struct):
    result: str = ""
    is_error: bool = False
    api_error_status: int | None = None
    usage: _Usage = msgspec.field(default_factory=_Usage)


class ClaudeCommand:
    """``folder`` is ours alone (0700); the first call removes what an earlier run left in it. ``url`` "": its
    own."""

    def __init__(
        self,
        model: str,
        command: str,
        folder: Path,
        url: str,
        key: Callable[[], str | None],
        environment: Mapping[str, str],
    ) -> None:
        self._model = model
        self._command = command
        self._folder = folder
        self._url = url
        self._key = key
        self._environment = environment
        self._is_first = True

    @property
    def name(self) -> str:
        return f"claude:{self._model}"

    async def ask(self, request: Request) -> Answer:
        key = self._key()
        if key is None:
            raise NeedsLogin(
                "There is no login for claude -p: put what “claude setup-token” prints into checker.key_file."
            )
        program = shutil.which(self._command, path=self._environment.get("PATH"))
        if program is None:
            raise NotPossible(f"There is no program {clean_line(self._command, 80)} (checker.command).")
        try:
            if self._is_first:
                await asyncio.to_thread(_forget, self._folder)
            self._is_first = False
            place = await asyncio.to_thread(_make_place, self._folder)
        except OSError as error:
            raise RetryLater(f"No folder can be made for claude -p ({error.strerror}).") from None
        try:
            return await self._run(program, place, request, key)
        finally:
            await asyncio.shield(asyncio.to_thread(shutil.rmtree, place, ignore_errors=True))

    async def _run(self, program: str, place: Path, request: Request, key: str) -> Answer:
        out, errors = bytearray(), bytearray()
        flooded = asyncio.Event()

        def received(fd: int, data: bytes) -> None:
            kept, most = (out, ANSWER_BYTES) if fd == 1 else (errors, KEPT_ERRORS)
            if len(kept) + len(data) > most and fd == 1:
                flooded.set()
            kept += data[: most - len(kept)]

        arguments = [program, *ARGUMENTS, "--model", self._model, "--system-prompt", request.instructions]
        try:
            child = await Child.spawn(
                arguments, self._variables(place, key), received, flooded.set, folder=place / "work"
            )
        except (OSError, ValueError) as error:
            raise NotPossible(f"claude -p cannot be started ({type(error).__name__}).") from None
        try:
            async with asyncio.timeout(ANSWER_S):
                child.write(f"{BEGIN}{request.text}".encode(errors="replace"))
                child.close_input()
                await flooded.wait()  # its output is complete, or too much
                if len(out) < ANSWER_BYTES:
                    await child.finished()
        except TimeoutError:
            raise RetryLater("claude -p did not answer in time.") from None
        finally:
            child.kill_group()
            await child.aclose()
        return _read(bytes(out), bytes(errors), child.code, key)

    def _variables(self, place: Path, key: str) -> dict[str, str]:
        given = self._environment
        login = "CLAUDE_CODE_OAUTH_TOKEN" if key.startswith(SUBSCRIPTION) else "ANTHROPIC_API_KEY"
        found = {name: given[name] for name in PASSED_ON if name in given} | ALWAYS
        found |= {"HOME": str(place), "CLAUDE_CONFIG_DIR": str(place / "config"), login: key}
        if self._url:
            found["ANTHROPIC_BASE_URL"] = self._url
        return found


def _make_place(folder: Path) -> Path:
    """Fresh folders for one call, below ``folder``. Raises OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.is_symlink():
        raise NotADirectoryError(0, "its folder is a link", str(folder))
    folder.chmod(0o700)
    place = Path(tempfile.mkdtemp(prefix="call-", dir=folder))
    for name in ("config", "work"):
        (place / name).mkdir(mode=0o700)
    return place


def _forget(folder: Path) -> None:
    """Remove what calls left behind that were killed together with us."""
    if folder.is_symlink() or not folder.is_dir():
        return
    for left in os.scandir(folder):
        if left.name.startswith("call-") and left.is_dir(follow_symlinks=False):
            shutil.rmtree(left.path, ignore_errors=True)


def _read(out: bytes, errors: bytes, code: int | None, key: str) -> Answer:
    if len(out) >= ANSWER_BYTES:
        raise RetryLater("The answer of claude -p is far too long.")
    try:
        result = msgspec.json.decode(out, type=_Result)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise _broken(errors, code, key) from None
    if result.is_error:
        raise _failed(result, key)
    if not result.result.strip():
        raise RetryLater("The model answered nothing.")
    usage = result.usage
    cached = usage.cache_creation_input_tokens + usage.cache_read_input_tokens
    return Answer(
        text=result.result, input_tokens=usage.input_tokens + cached, output_tokens=usage.output_tokens
    )


def _failed(result: _Result, key: str) -> ModelError:
    status = result.api_error_status
    said = clean_line(result.result.replace(key, "…"), 160).rstrip(".")
    if status in (401, 403) or (status is None and "log" in said.lower()):
        return NeedsLogin(f"claude -p has no valid login: {said}.")
    if status is None or status in (408, 409, 429) or status >= 500:
        return RetryLater(f"claude -p failed: {said}.")
    return NotPossible(f"claude -p failed: {said}.")


def _broken(errors: bytes, code: int | None, key: str) -> ModelError:
    said = clean_line(errors.decode(errors="replace").replace(key, "…"), 160).rstrip(".")
    if "unknown option" in said:
        return NotPossible(f"This Claude Code is too old for the checker ({said}).")
    return RetryLater(f"claude -p ended with status {code}{f': {said}' if said else ''}.")

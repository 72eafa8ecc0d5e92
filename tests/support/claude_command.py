"""A program that behaves like ``claude -p`` towards its caller, without Claude Code."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

SCRIPT = """
import json, os, pathlib, subprocess, sys, urllib.error, urllib.request

words = sys.argv[1:]
if "--nonsense" in os.environ.get("STUB", ""):
    sys.exit("error: unknown option '--tools'")
assert "-p" in words, words
value = lambda name: words[words.index(name) + 1]
assert value("--tools") == "" and value("--setting-sources") == "" and value("--output-format") == "json"
assert "TMUX" not in os.environ and "TMUX_PANE" not in os.environ
config = pathlib.Path(os.environ["CLAUDE_CONFIG_DIR"])
assert list(config.iterdir()) == [] and list(pathlib.Path.cwd().iterdir()) == []
assert config.stat().st_mode & 0o077 == 0
(config / "left.json").write_text("{}")
text = sys.stdin.read()
login = os.environ.get("CLAUDE_CODE_OAUTH_TOKEN"), os.environ.get("ANTHROPIC_API_KEY")
headers = {"content-type": "application/json"}
if login[0]:
    headers["Authorization"] = "Bearer " + login[0]
if login[1]:
    headers["x-api-key"] = login[1]
turns = [{"role": "user", "content": text}]
body = {"model": value("--model"), "max_tokens": 2000, "system": value("--system-prompt"), "messages": turns}
result = {"type": "result", "is_error": False, "api_error_status": None}
try:
    request = urllib.request.Request(
        os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", json.dumps(body).encode(), headers
    )
    done = json.load(urllib.request.urlopen(request))
    result["result"] = "".join(part.get("text", "") for part in done["content"])
    result["usage"] = done["usage"]
except urllib.error.HTTPError as error:
    said = json.load(error).get("error", {}).get("message", "")
    result.update(is_error=True, api_error_status=error.code, result=f"API Error: {said}")
except OSError:
    result.update(is_error=True, result="API Error: Connection error.")
print(json.dumps(result))
sys.exit(1 if result["is_error"] else 0)
"""


def install(folder: Path, script: str = SCRIPT) -> Path:
    """Put ``claude`` into a folder for PATH; the folder."""
    folder.mkdir(exist_ok=True)
    program = folder / "claude"
    program.write_text(f"#!{sys.executable} -I\n{textwrap.dedent(script)}")
    program.chmod(0o755)
    return folder

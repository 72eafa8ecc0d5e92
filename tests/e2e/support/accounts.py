"""Two invented accounts in two config folders, what their status lines said, an agent on the spent one."""

from __future__ import annotations

import json
import time
from pathlib import Path

from controlroom.testing.scripted.steps import Say, Scene, Turn
from tests.e2e.support.house import House

ORGANISATION = "22222222-2222-4222-8222-222222222222"


def sign_in(config: Path, number: int, name: str) -> None:
    """A config folder whose login is an account's; the key is no key."""
    config.mkdir(exist_ok=True)
    (config / "projects").mkdir(exist_ok=True)
    file = config / ".claude.json"
    said = json.loads(file.read_text()) if file.exists() else {}
    said["oauthAccount"] = {
        "accountUuid": f"11111111-1111-4111-8111-11111111111{number}",
        "organizationUuid": ORGANISATION,
        "emailAddress": f"{name}@example.com",
    }
    file.write_text(json.dumps(said))
    login = {"accessToken": "none", "refreshToken": "", "expiresAt": int(time.time() + 86_400) * 1000}
    (config / ".credentials.json").write_text(json.dumps({"claudeAiOauth": login}))


def say(house: House, config: Path, week: float) -> None:
    """What Claude Code tells its status line."""
    now = int(time.time())
    limits = {
        "five_hour": {"used_percentage": 20, "resets_at": now + 7_200},
        "seven_day": {"used_percentage": week, "resets_at": now + 200_000},
    }
    path = str(config / "projects" / "-srv" / "s.jsonl")
    row = {"session_id": "s", "transcript_path": path, "rate_limits": limits}
    house.run("statusline", given=json.dumps(row))


def begin_spent(house: House, policy: str = "") -> tuple[Path, Path]:
    """Two accounts, of which the agent's is spent; their folders."""
    work, spare = house.desk.config, house.folder / "spare"
    sign_in(work, 1, "work")
    sign_in(spare, 2, "spare")
    house.home.mkdir(mode=0o700)
    folders = [f"claude:work={work}", f"claude:spare={spare}"]
    (house.home / "config.toml").write_text(
        f"[usage]\nendpoint = false\n[profiles]\nsearch = false\nfolders = {json.dumps(folders)}\n{policy}"
    )
    say(house, work, 98)
    say(house, spare, 30)
    house.add(Scene(name="orchard", turns=(Turn(prompt="hello", steps=(Say(text="Hello."),)),)))
    house.start()
    return work, spare

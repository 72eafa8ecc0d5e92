"""Profiles of a Hermes host over the relay door."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from controlroom.gateway.profiles.part import ProfilesPart
from controlroom.gateway.profiles.yaml_text import BadYaml, mapping
from controlroom.kit.clock import FakeClock
from controlroom.kit.health import HealthBoard
from tests.support.relay_door import RelayDoor

PNG = b"\x89PNG\r\n\x1a\nrest"


def hermes(path: Path) -> Path:
    """A Hermes host's folder: the default profile, and ``researcher``."""
    home = path.resolve() / "hermes"
    researcher = home / "profiles" / "researcher"
    (researcher / "memories").mkdir(parents=True)
    (researcher / "skills" / "dev" / "lint").mkdir(parents=True)
    (home / "config.yaml").write_text(
        "description: Root agent\nmodel:\n  default: test/model-a\n  api_key: should-not-leak\n"
    )
    (home / "SOUL.md").write_text("# Captain\nYou are the captain.\n")
    (researcher / "config.yaml").write_text(
        "model: {default: test/model-b}\n"
        "platforms: {api_server: {enabled: true, host: 127.0.0.1, port: 1, key: profile-key}}\n"
    )
    (researcher / "SOUL.md").write_text("## Researcher persona\n\nReads papers.\n")
    for name, text in [("aaa.md", "extra\n"), ("USER.md", "the user\n"), ("MEMORY.md", "remember this\n")]:
        (researcher / "memories" / name).write_text(text)
    (researcher / "skills" / "dev" / "lint" / "SKILL.md").write_text(
        "---\nname: lint-it\ndescription: Runs a linter\n---\nbody"
    )
    (researcher / "Avatar.PNG").write_bytes(PNG)
    return home


class ProfileDoor:
    def __init__(self, tmp_path: Path) -> None:
        self.home = hermes(tmp_path)
        self.clock = FakeClock()
        self.profiles = ProfilesPart(
            environ={"HERMES_HOME": str(self.home)},
            user_home=tmp_path,
            clock=self.clock,
            health=HealthBoard(self.clock),
            push=lambda *said: self.door.gateway.push(*said),
        )
        self.door = RelayDoor(
            tmp_path, parts=lambda: [self.profiles], profiles=self.profiles, clock=self.clock
        )

    async def start(self) -> None:
        await self.door.start()
        self.client, self.auth = await self.door.paired()

    async def get(self, path: str, *, host: bool = False, token: str | None = None) -> tuple[int, Any]:
        token = token or self.auth["session_token"]
        headers = self.door.secret if host else {"Authorization": f"Bearer {token}"}
        session = self.door.session("127.0.0.1" if host else "127.0.0.2")
        async with session.get(f"/api/profiles/{path}", headers=headers) as answer:
            is_json = answer.content_type == "application/json"
            return answer.status, await answer.json() if is_json else await answer.read()


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[ProfileDoor]:
    door = ProfileDoor(tmp_path)
    await door.start()
    yield door
    await door.door.aclose()


async def test_a_login_carries_the_rows(door: ProfileDoor) -> None:
    default, researcher = door.auth["profiles"]
    assert default == {
        "name": "default", "model": "test/model-a", "description": "Root agent",
        "system_message": "# Captain\nYou are the captain.", "gateway_running": False, "has_soul": True,
        "skill_count": 0, "api_server_enabled": False, "api_server_url": None, "api_server_host": None,
        "api_server_port": None, "api_server_key_present": False,
    }  # fmt: skip
    assert researcher["description"] == "Researcher persona"
    assert (researcher["skill_count"], researcher["api_server_url"]) == (1, "http://127.0.0.1:1")
    assert "profile-key" not in str(door.auth) and "should-not-leak" not in str(door.auth)


async def test_a_device_gets_public_fields_and_paths_inside_the_profile(door: ProfileDoor) -> None:
    assert await door.get("default/config") == (
        200,
        {
            "profile": "default",
            "path": "config.yaml",
            "config": {"description": "Root agent", "model": {"default": "test/model-a"}},
            "readonly": True,
        },
    )
    assert await door.get("researcher/skills") == (
        200,
        {
            "profile": "researcher",
            "skills": [
                {
                    "name": "lint-it", "category": "dev", "description": "Runs a linter",
                    "path": "skills/dev/lint/SKILL.md", "enabled": True,
                }
            ],
            "total": 1,
        },
    )  # fmt: skip
    assert await door.get("researcher/soul") == (
        200,
        {
            "profile": "researcher", "path": "SOUL.md", "exists": True, "size_bytes": 37,
            "content": "## Researcher persona\n\nReads papers.\n",
        },
    )  # fmt: skip
    status, memory = await door.get("researcher/memory")
    assert (status, memory["memories_dir"], memory["total"]) == (200, "memories", 3)
    assert [entry["name"] for entry in memory["entries"]] == ["MEMORY", "USER", "aaa"]
    assert memory["entries"][0] == {
        "name": "MEMORY", "filename": "MEMORY.md", "path": "memories/MEMORY.md",
        "content": "remember this\n", "size_bytes": 14, "truncated": False,
    }  # fmt: skip
    assert await door.get("researcher/avatar") == (200, PNG)


async def test_a_program_of_this_machine_gets_whole_paths_and_no_secret(door: ProfileDoor) -> None:
    status, config = await door.get("default/config", host=True)
    assert (status, config["path"]) == (200, str(door.home / "config.yaml"))
    assert config["config"]["model"] == {"default": "test/model-a", "api_key": "[redacted]"}
    _, soul = await door.get("default/soul", host=True)
    assert soul["path"] == str(door.home / "SOUL.md")


@pytest.mark.parametrize("name", ["nope", "..%2f..", "a%2fb", ".hidden", "%00", "x" * 300])
async def test_unknown_names_are_not_found(door: ProfileDoor, name: str) -> None:
    (door.home / "profiles" / ".hidden").mkdir()
    (door.home / "profiles" / ".hidden" / "config.yaml").touch()
    for route in ["config", "skills"]:
        status, answer = await door.get(f"{name}/{route}")
        assert (status, answer.get("ok"), answer.get("error")) == (404, False, "profile not found")
    for route in ["soul", "memory", "avatar"]:
        status, answer = await door.get(f"{name}/{route}")
        assert (status, answer["error"]) == (404, "profile_not_found")


async def test_reading_needs_chat_and_writing_is_refused(door: ProfileDoor) -> None:
    _, poor = await door.door.paired("dev-2", grants={"chat": -1})
    for route in ["config", "skills", "soul", "memory", "avatar"]:
        assert (await door.get(f"default/{route}", token=poor["session_token"]))[0] == 403
        assert (await door.get(f"default/{route}", token="x"))[0] == 401
        async with door.door.session().get(f"/api/profiles/default/{route}") as answer:
            assert answer.status == 401, "a loopback address is no credential"
    headers = {"Authorization": f"Bearer {door.auth['session_token']}"}
    for path in ["researcher/soul", "researcher/memory/NOTES.md"]:
        async with door.door.session().put(
            f"/api/profiles/{path}", json={"content": "x"}, headers=headers
        ) as answer:
            assert (answer.status, (await answer.json())["error"]) == (403, "read_only")
    assert (door.home / "profiles/researcher/SOUL.md").read_text().startswith("## Researcher")


async def test_links_out_of_a_profile_are_not_followed(door: ProfileDoor, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("PRIVATE")
    researcher = door.home / "profiles" / "researcher"
    (researcher / "memories" / "link.md").symlink_to(secret)
    (researcher / "memories" / "env.md").symlink_to(researcher / "config.yaml")
    os.mkfifo(researcher / "memories" / "pipe.md")
    (researcher / "SOUL.md").unlink()
    (researcher / "SOUL.md").symlink_to(secret)
    (researcher / "Avatar.PNG").unlink()
    (researcher / "avatar.png").symlink_to(secret)
    (door.home / "profiles" / "outside").symlink_to(tmp_path)
    (tmp_path / "config.yaml").write_text("description: PRIVATE")
    _, memory = await door.get("researcher/memory")
    assert [entry["name"] for entry in memory["entries"]] == ["MEMORY", "USER", "aaa"]
    status, soul = await door.get("researcher/soul")
    assert (status, soul["exists"], soul["content"]) == (200, False, "")
    assert (await door.get("researcher/avatar"))[0] == 404
    assert (await door.get("outside/config"))[0] == 404


async def test_odd_files_are_answered_and_never_fatal(door: ProfileDoor) -> None:
    researcher = door.home / "profiles" / "researcher"
    (researcher / "Avatar.PNG").write_text("<svg onload=alert(1)>")
    assert await door.get("researcher/avatar") == (
        415, {"error": "profile_avatar_invalid", "profile": "researcher"},
    )  # fmt: skip
    (researcher / "SOUL.md").write_text("ä" * 300_000)
    _, soul = await door.get("researcher/soul")
    assert (len(soul["content"]), soul["truncated"], soul["size_bytes"]) == (204_800, True, 600_000)
    (researcher / "memories" / "aaa.md").write_bytes(b"\xff" * 60_000)
    _, memory = await door.get("researcher/memory")
    assert (len(memory["entries"][2]["content"]), memory["entries"][2]["truncated"]) == (51_200, True)
    for bad in ["[1, 2", "- a", "&a [*a", "{" * 5000, "a: !!python/object/apply:os.system [id]"]:
        (researcher / "config.yaml").write_text(bad)
        status, answer = await door.get("researcher/config")
        assert (status, answer["error"]) == (500, "config.yaml cannot be read"), bad
    (researcher / "config.yaml").unlink()
    assert (await door.get("researcher/config"))[0] == 404
    assert (await door.get("default/config"))[0] == 200
    status, answer = await door.get("default/avatar")
    assert (status, answer["error"], answer["expected_names"][0]) == (
        404,
        "profile_avatar_not_found",
        "avatar.png",
    )


async def test_a_device_that_may_not_read_is_told_of_no_profile(door: ProfileDoor) -> None:
    client, poor = await door.door.paired("dev-2", grants={"chat": -1})
    assert poor["profiles"] == []
    (door.home / "SOUL.md").write_text("changed")
    door.clock.advance(6)
    await door.profiles.rows()
    assert (await door.client.receive())["type"] == "profiles.updated"
    await client.send("system", "ping", {"ts": 1})
    assert (await client.receive())["type"] == "pong"


async def test_a_change_is_told_to_open_sockets_at_the_top_level_too(door: ProfileDoor) -> None:
    (door.home / "profiles" / "researcher" / "SOUL.md").write_text("# New persona\nnow\n")
    door.clock.advance(6)
    await door.profiles.rows()
    message = await door.client.receive()
    assert (message["channel"], message["type"]) == ("pairing", "profiles.updated")
    assert message["profiles"] == message["payload"]["profiles"]
    assert message["profiles"][1]["description"] == "New persona"


async def test_the_active_profile_is_the_home_of_the_default_one(door: ProfileDoor) -> None:
    (door.home / "active_profile").write_text("researcher\n")
    _, soul = await door.get("default/soul", host=True)
    assert soul["path"] == str(door.home / "profiles/researcher/SOUL.md")
    _, config = await door.get("default/config", host=True)
    assert config["path"] == str(door.home / "config.yaml")


async def test_a_gateway_runs_when_its_own_process_lives(door: ProfileDoor) -> None:
    start = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
    for said, is_running in [
        (f'{{"pid": {os.getpid()}, "start_time": {start}}}', True),
        (f'{{"pid": {os.getpid()}, "start_time": 1}}', False),
        (str(os.getpid()), True),
        ("4194999", False),
        ("junk", False),
    ]:
        (door.home / "gateway.pid").write_text(said)
        door.clock.advance(6)
        rows = await door.profiles.rows()
        assert rows[0]["gateway_running"] is is_running, said


async def test_without_a_host_there_is_no_profile(tmp_path: Path) -> None:
    clock = FakeClock()
    environ = {"HERMES_HOME": str(tmp_path / "none")}
    part = ProfilesPart(environ=environ, user_home=tmp_path, clock=clock, health=HealthBoard(clock))
    assert list(await part.rows()) == []
    await part.aclose()


@pytest.mark.parametrize("text", ["a: &a {x: 1}\nb: {<<: *a}", "[" * 100_000, "a: 1\na: [", "!!int x", "1"])
def test_yaml_that_is_refused(text: str) -> None:
    with pytest.raises(BadYaml):
        mapping(text)


def test_yaml_that_is_read() -> None:
    assert mapping("") == {}
    assert mapping("1: a\nb: [1, 2020-01-01]\n")["1"] == "a"

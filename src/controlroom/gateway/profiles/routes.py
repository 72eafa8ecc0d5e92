"""The read routes of profiles (contract section 17.3).

Devices get public fields and paths inside the profile; programs of this machine get whole paths and the whole
config, with every secret covered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from aiohttp import web

from controlroom.core.media import SAFE_HEADERS, sent_as
from controlroom.core.profiles import EXPECTED_AVATARS, TooMuch, is_profile_name, masked, public_config
from controlroom.core.text import clean_line
from controlroom.gateway.access import Access
from controlroom.gateway.profiles.host import (
    ConfigBad,
    ConfigMissing,
    Host,
    Profile,
    avatar_file,
    config_of,
    memories_of,
    skills_of,
    soul_of,
)
from controlroom.kit.file_threads import FileThreads
from controlroom.kit.http import json_answer

T = TypeVar("T")

SLOW: Final = "the file system does not answer"
READ_ONLY: Final = "Profiles are read only here: change them on the host."


class ProfileRoutes:
    """Config, skills, soul, memory and avatar of a profile."""

    def __init__(self, access: Access, host: Host, threads: FileThreads) -> None:
        self._access = access
        self._host = host
        self._threads = threads

    def routes(self) -> Sequence[web.RouteDef]:
        return (
            web.get("/api/profiles/{name}/config", self.config),
            web.get("/api/profiles/{name}/skills", self.skills),
            web.get("/api/profiles/{name}/soul", self.soul),
            web.get("/api/profiles/{name}/memory", self.memory),
            web.get("/api/profiles/{name}/avatar", self.avatar),
            web.put("/api/profiles/{name}/soul", self.refuse_write),
            web.put("/api/profiles/{name}/memory/{filename}", self.refuse_write),
        )

    async def config(self, request: web.Request) -> web.Response:
        is_host = await self._is_host(request)
        name = _name(request)
        try:
            found = await self._read(name, lambda profile: (profile, config_of(profile)))
            if found is None:
                return _old_style("profile not found", name, 404)
            profile, config = found
            shown = masked(config) if is_host else public_config(config)
        except ConfigMissing:
            return _old_style("config.yaml not found for profile", name, 404)
        except (ConfigBad, TooMuch):
            return _old_style("config.yaml cannot be read", name, 500)
        path = str(profile.config) if is_host else "config.yaml"
        return json_answer({"profile": name, "path": path, "config": shown, "readonly": True})

    async def skills(self, request: web.Request) -> web.Response:
        is_host = await self._is_host(request)
        name = _name(request)
        found = await self._read(name, lambda profile: (profile, skills_of(profile)))
        if found is None:
            return _old_style("profile not found", name, 404)
        profile, skills = found
        rows = [
            {
                "name": skill.name,
                "category": skill.category,
                "description": skill.description,
                "path": _path(profile, skill.path, is_host=is_host),
                "enabled": True,
            }
            for skill in skills
        ]
        return json_answer({"profile": name, "skills": rows, "total": len(rows)})

    async def soul(self, request: web.Request) -> web.Response:
        is_host = await self._is_host(request)
        name = _name(request)
        try:
            found = await self._read(name, lambda profile: (profile, soul_of(profile)))
        except OSError:
            return json_answer({"error": "soul_read_failed", "profile": name}, status=500)
        if found is None:
            return json_answer({"error": "profile_not_found", "profile": name}, status=404)
        profile, soul = found
        answer: dict[str, object] = {
            "profile": name,
            "path": _path(profile, "SOUL.md", is_host=is_host),
            "content": "" if soul is None else soul.content.text,
            "exists": soul is not None,
            "size_bytes": 0 if soul is None else soul.size,
        }
        if soul is not None and soul.content.is_truncated:
            answer["truncated"] = True
        return json_answer(answer)

    async def memory(self, request: web.Request) -> web.Response:
        is_host = await self._is_host(request)
        name = _name(request)
        found = await self._read(name, lambda profile: (profile, memories_of(profile)))
        if found is None:
            return json_answer({"error": "profile_not_found", "profile": name}, status=404)
        profile, memories = found
        entries = [
            {
                "name": memory.path.rpartition("/")[2].removesuffix(".md"),
                "filename": memory.path.rpartition("/")[2],
                "path": _path(profile, memory.path, is_host=is_host),
                "content": memory.content.text,
                "size_bytes": memory.size,
                "truncated": memory.content.is_truncated,
            }
            for memory in memories
        ]
        folder = _path(profile, "memories", is_host=is_host)
        return json_answer(
            {"profile": name, "memories_dir": folder, "entries": entries, "total": len(entries)}
        )

    async def avatar(self, request: web.Request) -> web.Response:
        await self._is_host(request)
        name = _name(request)
        found = await self._read(name, lambda profile: (profile, avatar_file(profile)))
        if found is None:
            return json_answer({"error": "profile_not_found", "profile": name}, status=404)
        if found[1] is None:
            missing = {
                "error": "profile_avatar_not_found",
                "profile": name,
                "expected_names": EXPECTED_AVATARS,
            }
            return json_answer(missing, status=404)
        file_name, image = found[1]
        if image is None:
            return json_answer({"error": "profile_avatar_invalid", "profile": name}, status=415)
        return web.Response(
            body=image, headers={**SAFE_HEADERS, **sent_as(image, "application/octet-stream", file_name)}
        )

    async def refuse_write(self, request: web.Request) -> web.Response:
        """An agent's character and memory are not changed from afar."""
        await self._is_host(request)
        return json_answer({"error": "read_only", "detail": READ_ONLY}, status=403)

    async def _is_host(self, request: web.Request) -> bool:
        return await self._access.host_or_device(request, "chat") is None

    async def _read(self, name: str, job: Callable[[Profile], T]) -> T | None:
        """What ``job`` reads of a profile; None when there is no such profile."""

        def find_and_read() -> T | None:
            profile = self._host.find(name)
            return None if profile is None else job(profile)

        try:
            return await self._threads.run(find_and_read)
        except TimeoutError:
            raise web.HTTPServiceUnavailable(text=SLOW) from None


def _name(request: web.Request) -> str:
    """As it was asked for; one that no profile can have is cut for the answer."""
    name = request.match_info["name"]
    return name if is_profile_name(name) else clean_line(name, 64)


def _path(profile: Profile, inside: str, *, is_host: bool) -> str:
    return str(profile.home / inside) if is_host else inside


def _old_style(error: str, name: str, status: int) -> web.Response:
    return json_answer({"ok": False, "error": error, "profile": name}, status=status)

"""How the relay's HTTP routes answer: the contract's error shapes (section 1)."""

from __future__ import annotations

from aiohttp import web

from controlroom.kit.http import json_answer


def failed(error: str, status: int) -> web.Response:
    """``{"ok": false, "error": text}``, as pairing, sessions and media answer."""
    return json_answer({"ok": False, "error": error}, status=status)

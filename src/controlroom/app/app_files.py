"""The web app's built files, as both doors serve them below ``/app/``.

They lie in the package (``app/pwa``, made by ``make web``), are few and small, and are read once. Names below
``assets/`` hold a digest of their content, so browsers keep them for ever; everything else is asked for again
with an ``ETag``. Every other address below ``/app/`` is a place inside the app and gets its page.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

import msgspec

FOLDER: Final = "pwa"
PAGE: Final = "index.html"
GLANCE: Final = "glance"  # a page of its own, for widgets: it needs nothing of the app

APP_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'"
)
"""house.md section 3, "What is not ours never runs here"."""

_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}
_COMPRESSED: Final = (".html", ".js", ".css", ".svg", ".webmanifest")
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_ASK_AGAIN: Final = "no-cache"


class AppFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file. ``squeezed``: its gzip form, None where that is not worth it."""

    body: bytes
    squeezed: bytes | None
    headers: Mapping[str, str]
    etag: str


@cache
def app_files() -> Mapping[str, AppFile]:
    """All files by their path below ``/app/``."""
    folder = files("controlroom.app").joinpath(FOLDER)
    return {path: _read(path, file) for path, file in _walk(folder, "")}


def find(path: str) -> AppFile | None:
    """What an address below ``/app/`` gets: a file, the app's page, or None for a file that there is not."""
    known = app_files()
    if path == GLANCE:
        path = f"{GLANCE}.html"
    if path in known:
        return known[path]
    if path.startswith("assets/") or path.endswith(tuple(_TYPES)):
        return None
    return known[PAGE]


def _walk(folder: Traversable, below: str) -> list[tuple[str, Traversable]]:
    found = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _walk(entry, f"{below}{entry.name}/")
        elif entry.name.endswith(tuple(_TYPES)):
            found.append((below + entry.name, entry))
    return found


def _read(path: str, file: Traversable) -> AppFile:
    body = file.read_bytes()
    suffix = "." + path.rpartition(".")[2]
    return AppFile(
        body=body,
        squeezed=gzip.compress(body, 9, mtime=0) if suffix in _COMPRESSED else None,
        headers={
            "Content-Type": _TYPES[suffix],
            "Content-Security-Policy": APP_POLICY,
            "Cache-Control": _FOR_EVER if path.startswith("assets/") else _ASK_AGAIN,
            "Vary": "Accept-Encoding",
        },
        etag=hashlib.sha256(body).hexdigest()[:32],
    )

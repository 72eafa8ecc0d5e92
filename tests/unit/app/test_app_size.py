"""How much a phone loads before it shows the list: the page, its styles, and the scripts it starts with."""

from __future__ import annotations

import gzip
import re

from controlroom.app.app_files import app_files

FIRST_LOAD = 60 * 1024  # bytes, gzip


def first_load() -> dict[str, int]:
    """Bytes of each file of the first load, compressed: what the page names, and what that imports."""
    files = app_files()
    waiting = ["index.html"]
    sizes: dict[str, int] = {}
    while waiting:
        path = waiting.pop()
        if path in sizes:
            continue
        text = files[path].body.decode()
        sizes[path] = len(gzip.compress(text.encode(), 9))
        if path == "index.html":
            named = re.findall(r'(?:src|href)="/app/([^"]+)"', text)
            waiting += [name for name in named if name.endswith((".js", ".css"))]
        elif path.endswith(".js"):
            here = path.rpartition("/")[0]
            imported = re.findall(r'(?:from|import)\s*"\./([^"]+\.js)"', text)
            waiting += [f"{here}/{name}" for name in imported]
    return sizes


def test_the_first_load_is_small() -> None:
    sizes = first_load()
    assert any(path.endswith(".css") for path in sizes)
    assert sum(sizes.values()) <= FIRST_LOAD, sizes

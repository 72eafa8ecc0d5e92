"""A package that serves another build of the app: everything else in it is the product's own."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import controlroom
from controlroom.app.app_files import FOLDER

PACKAGE = Path(controlroom.__file__).parent
BUILT = PACKAGE / "app" / FOLDER


def serving(app: Path, folder: Path) -> Path:
    """Make ``folder``, an entry for ``PYTHONPATH`` in which the app is the one in ``app``; give it back."""
    inner = folder / PACKAGE.name
    if inner.exists():
        return folder
    (inner / "app").mkdir(parents=True)
    for source in (*PACKAGE.iterdir(), *(PACKAGE / "app").iterdir()):
        if source.name not in ("app", FOLDER, "__pycache__"):
            inner.joinpath(source.relative_to(PACKAGE)).symlink_to(source)
    (inner / "app" / FOLDER).symlink_to(app)
    return folder


def newer(app: Path, folder: Path) -> Path:
    """A copy of a build that differs as the next one would: its page, names of parts, its worker."""
    shutil.copytree(app, folder)
    (part,) = folder.glob("assets/settings-*.js")
    renamed = part.name.replace("settings-", "settings-x")
    part.rename(part.with_name(renamed))
    for file in (*folder.glob("*.js"), *folder.glob("*.html"), *folder.glob("assets/*.js")):
        file.write_text(file.read_text().replace(part.name, renamed))
    page = folder / "index.html"
    page.write_text(page.read_text().replace("</head>", '<meta name="build" content="newer"></head>'))
    worker = folder / "sw.js"
    changed, count = re.subn(r"([`\"'])[0-9a-f]{16}\1", rf"\1{'f' * 16}\1", worker.read_text())
    assert count == 1, "the worker's digest was not found"
    worker.write_text(changed)
    return folder

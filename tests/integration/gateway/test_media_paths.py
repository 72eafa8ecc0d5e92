"""Whatever path is asked for, what is opened lies where files may lie."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controlroom.gateway.media.files import Files, NotGiven
from controlroom.gateway.media.sandbox import Places

PARTS = [
    "a", "b", "..", ".", "", "deep", "out", "secret", "loop", "up", "self", "pipe", "root", "etc", "passwd",
]  # fmt: skip


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A root full of links that lead out of it."""
    base = tmp_path_factory.mktemp("paths").resolve()
    work = base / "work"
    (work / "deep" / "deep").mkdir(parents=True)
    (base / "user" / ".ssh").mkdir(parents=True)
    (base / "user" / ".ssh" / "a").write_text("PRIVATE")
    (base / "outside").mkdir()
    (base / "outside" / "a").write_text("PRIVATE")
    for folder in (work, work / "deep", work / "deep" / "deep"):
        (folder / "a").write_text("mine")
        (folder / "out").symlink_to(base / "outside")
        (folder / "secret").symlink_to(base / "user" / ".ssh")
        (folder / "loop").symlink_to(folder / "loop")
        (folder / "up").symlink_to("..")
        (folder / "self").symlink_to(folder)
        (folder / "root").symlink_to("/")
        (folder / "b").symlink_to(base / "outside" / "a")
        os.mkfifo(folder / "pipe")
    yield work


@given(parts=st.lists(st.sampled_from(PARTS), max_size=8))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=300)
def test_what_is_opened_lies_in_the_root(work: Path, parts: list[str]) -> None:
    places = Places(data=work.parent / "data", roots=[], user_home=work.parent / "user", environ={})
    places._roots = [str(work)]
    files = Files(places, 1000)
    asked = "/".join([str(work), *parts])

    async def look() -> None:
        try:
            opened = await files.open(asked, strict=True)
        except NotGiven as refused:
            assert "PRIVATE" not in str(refused)
            return
        try:
            assert opened.path.startswith(f"{work}/")
            assert os.read(opened.fd, 100) == b"mine"
        finally:
            os.close(opened.fd)

    asyncio.run(look())
    files.close()

"""A stub hub, and the command line against it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from controlroom.cli.main import run
from tests.integration.cli.stub_hub import StubHub


class Ran(NamedTuple):
    status: int
    out: str
    err: str


Cli = Callable[..., Ran]


@pytest.fixture
def home() -> Iterator[Path]:
    """A data folder with a short path."""
    path = Path(tempfile.mkdtemp(prefix="cr", dir="/tmp"))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def hub(home: Path) -> Iterator[StubHub]:
    with StubHub(home) as hub:
        yield hub


@pytest.fixture
def cli(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run one command line as a program would: no terminal, 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")

    def ran(*arguments: str) -> Ran:
        status = run(["--home", str(home), *arguments])
        captured = capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    return ran

"""What must never stand in a committed file: addresses of package indexes, loose versions."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Written in pieces, so that this file does not contain them itself.
FORBIDDEN = re.compile("|".join(["registry" + r"\.npmjs", "files" + r"\.pythonhosted", "pypi" + r"\.org"]))


@pytest.fixture(scope="module")
def files() -> list[Path]:
    """All files that git knows; outside a checkout there is nothing to check."""
    listed = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=False,
        timeout=60,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_a_package_index(files: list[Path]) -> None:
    found = [file for file in files if FORBIDDEN.search(file.read_text(errors="replace"))]
    assert found == []


def test_requirements_are_exact_versions_without_addresses() -> None:
    for file in sorted((ROOT / "requirements").glob("*.txt")):
        lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
        for line in lines:
            assert re.fullmatch(r"-r base\.txt|[A-Za-z0-9_.-]+==[0-9][0-9A-Za-z.]*", line), f"{file}: {line}"


def test_the_lock_file_of_the_real_agents_holds_their_versions_and_no_address() -> None:
    folder = ROOT / "tests" / "real"
    lock = (folder / "package-lock.json").read_text()
    assert "://" not in lock
    assert '"resolved"' not in lock
    wanted = tomllib.loads((folder / "versions.toml").read_text())
    packages = json.loads(lock)["packages"]
    assert packages["node_modules/@anthropic-ai/claude-code"]["version"] == wanted["claude-code"]
    assert packages["node_modules/@openai/codex"]["version"] == wanted["codex"]


def test_every_base_requirement_of_the_package_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pinned = {
        line.split("==")[0].lower()
        for line in (ROOT / "requirements/base.txt").read_text().splitlines()
        if "==" in line
    }
    asked = {re.split(r"[<>=~! ]", name)[0].lower() for name in project["dependencies"]}
    assert asked <= pinned

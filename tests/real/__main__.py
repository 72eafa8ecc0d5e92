"""Runs the tests of this folder with the real agent programs: ``python -m tests.real [--latest] [pytest …]``.

Installs the programs, becomes an ordinary user when started as root, runs pytest in a clean environment
with a home and a temporary folder of its own, and ends whatever the tests have left running.
"""

from __future__ import annotations

import argparse
import os
import pwd
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.real.account import ROOT, copy_tree, ordinary_user
from tests.real.leftovers import MARK, end_leftovers
from tests.real.programs import CannotInstall, Programs, install

TEST_S = 600  # for one test: real programs on a busy machine


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.real", description=__doc__)
    parser.add_argument("--latest", action="store_true", help="run the newest versions: report, never fail")
    parser.add_argument("--keep", action="store_true", help="keep the folder of the run")
    options, pytest_arguments = parser.parse_known_args()
    try:
        programs = install(latest=options.latest)
        code = run(programs, pytest_arguments, keep=options.keep)
    except (CannotInstall, subprocess.SubprocessError) as error:
        if os.environ.get("CI") == "true" and not options.latest:
            print(f"The real agent programs cannot be set up: {error}")
            return 1
        print(f"Skipped, the real agent programs cannot be set up: {error}")
        return 0
    if options.latest:
        versions = " and ".join(f"{name} {version}" for name, version in programs.versions.items())
        print(f"{versions}: {'all tests pass' if code == 0 else 'some tests do not pass, see above'}")
        return 0
    return code


def run(programs: Programs, pytest_arguments: list[str], *, keep: bool) -> int:
    """Run pytest and clean up; its exit code."""
    folder = Path(tempfile.mkdtemp(prefix="crt", dir="/tmp"))  # short: socket paths end at 107 bytes
    mark = secrets.token_hex(8)
    try:
        user = ordinary_user() if os.geteuid() == 0 else None
        tree = folder / "tree" if user else ROOT
        for name in ("home", "tmp"):
            (folder / name).mkdir(mode=0o700)
        if user:
            copy_tree(tree, user)
            for path in (folder, folder / "home", folder / "tmp"):
                os.chown(path, user.pw_uid, user.pw_gid)
        return _pytest(tree, folder, programs, mark, user, pytest_arguments)
    finally:
        for left in end_leftovers(MARK, mark):
            print(f"Ended a process that the tests had left: {left.name} ({left.pid})")
        if keep:
            print(f"Kept {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _pytest(
    tree: Path,
    folder: Path,
    programs: Programs,
    mark: str,
    user: pwd.struct_passwd | None,
    arguments: list[str],
) -> int:
    environment = {
        "PATH": f"{programs.bin}:{programs.node.parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(folder / "home"),
        "USER": user.pw_name if user else pwd.getpwuid(os.getuid()).pw_name,
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "TMPDIR": str(folder / "tmp"),
        MARK: mark,
    }
    command = [str(tree / ".venv" / "bin" / "python"), "-m", "pytest", "-p", "no:cacheprovider"]
    command += [f"--timeout={TEST_S}", *arguments]
    if not any(argument.startswith("tests/") for argument in arguments):
        command.append("tests/real")
    done = subprocess.run(
        command,
        cwd=tree,
        env=environment,
        user=user.pw_uid if user else None,
        group=user.pw_gid if user else None,
        extra_groups=[] if user else None,
        check=False,
    )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

"""When started as root: an ordinary user, a copy of the tree that is theirs, and a venv they can use.

The agents refuse some things as root and behave differently, and nothing that the tests start should be
able to touch the machine.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

from tests.real.programs import CannotInstall, cache_root

USER = "controlroom-test"
ROOT = Path(__file__).parents[2]
PROBE = "import sys, ensurepip, venv, ssl, sqlite3; sys.exit(sys.version_info < (3, 11))"
SETUP_S = 900  # packages over a slow line


def ordinary_user() -> pwd.struct_passwd:
    """The user who runs the tests, made when missing."""
    try:
        return pwd.getpwnam(USER)
    except KeyError:
        print(f"Making the user {USER}", flush=True)
        subprocess.run(["useradd", "-m", "-s", "/bin/bash", USER], check=True, timeout=60)
        return pwd.getpwnam(USER)


def copy_tree(target: Path, user: pwd.struct_passwd) -> None:
    """All files that git knows or would add, and a virtual environment, owned by ``user``."""
    print(f"Copying the tree for {user.pw_name} into {target}", flush=True)
    listing = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached", "--others"]
    names = subprocess.run(
        [*listing, "--exclude-standard"], cwd=ROOT, check=True, timeout=60, stdout=subprocess.PIPE
    ).stdout
    for name in filter(None, names.decode().split("\0")):
        source = ROOT / name
        if source.is_file():  # not one that is deleted but not yet committed
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name, follow_symlinks=False)
    python = python_for(user)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "--no-print-directory", "setup-dev", f"PYTHON={python}"]
    subprocess.run(command, cwd=target, check=True, timeout=SETUP_S, env=environment)
    subprocess.run(["chown", "-R", f"{user.pw_uid}:{user.pw_gid}", str(target)], check=True, timeout=60)


def python_for(user: pwd.struct_passwd) -> Path:
    """A Python 3.11 or newer that ``user`` can run: our own, the system's, else a readable copy of ours."""
    own = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    system = [Path(f"/usr/bin/python3{minor}") for minor in (".13", ".12", ".11", "")]
    for candidate in [own, *system]:
        if _runs(candidate, user, PROBE):
            return candidate
    old_debian = Path("/usr/bin/python3")
    if _runs(old_debian, user, "import sys; sys.exit(sys.version_info < (3, 11))"):
        print("Installing python3-venv", flush=True)
        subprocess.run(["apt-get", "update", "-qq"], check=False, timeout=SETUP_S)
        subprocess.run(["apt-get", "install", "-y", "-qq", "python3-venv"], check=False, timeout=SETUP_S)
        if _runs(old_debian, user, PROBE):
            return old_debian
    copy = _readable_copy()
    if not _runs(copy, user, PROBE):
        raise CannotInstall(f"no Python 3.11 or newer that {user.pw_name} can run (tried {own}, {copy})")
    return copy


def _readable_copy() -> Path:
    prefix = Path(sys.base_prefix)
    key = hashlib.sha256(f"{prefix} {sys.version}".encode()).hexdigest()[:12]
    target = cache_root() / f"python-{key}"
    if not target.exists():
        print(f"Copying {prefix} to {target}", flush=True)
        partial = target.with_name(f"{target.name}.{os.getpid()}")
        shutil.copytree(prefix, partial, symlinks=True)
        subprocess.run(["chmod", "-R", "a+rX", str(partial)], check=True, timeout=300)
        partial.rename(target)
    return target / "bin" / f"python3.{sys.version_info.minor}"


def _runs(python: Path, user: pwd.struct_passwd, code: str) -> bool:
    try:
        done = subprocess.run(
            [str(python), "-c", code],
            cwd="/",
            env={"PATH": "/usr/bin:/bin"},
            user=user.pw_uid,
            group=user.pw_gid,
            extra_groups=[],
            capture_output=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0

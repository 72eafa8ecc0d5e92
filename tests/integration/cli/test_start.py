"""What a start must not load: it would be slow for nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

READY = "Control Room is ready at "
HEAVY = ("alembic.", "rich.", "webauthn.")  # what is found missing is listed too, by its name alone


@pytest.mark.timeout(60)
def test_nothing_heavy_is_loaded_on_the_way_to_ready(tmp_path: Path) -> None:
    imports = tmp_path / "imports"
    environ = os.environ | {
        "CONTROLROOM_TMUX_SOCKETS": str(tmp_path / "none.sock"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    for _ in range(2):  # the first start makes the databases, the second finds them
        with imports.open("wb") as log:
            room = subprocess.Popen(
                [
                    *(sys.executable, "-X", "importtime", "-m", "controlroom.cli.main"),
                    *("--home", str(tmp_path / "room"), "up", "--port", "0"),
                ],
                env=environ,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        with room:
            assert room.stdout is not None
            assert any(line.startswith(READY) for line in room.stdout)
            loaded = {line.rpartition("|")[2].strip() for line in imports.read_text().splitlines()}
            room.terminate()
        assert "structlog" in loaded
        assert not {name for name in loaded if name.startswith(HEAVY)}

"""Which control room a command speaks to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlroom.kit.home import Home


def home_of(option: Path | None) -> Home:
    """``--home``, else CONTROLROOM_HOME, else the usual place."""
    from controlroom.kit.home import Home, default_path

    chosen = option or (Path(said) if (said := os.environ.get("CONTROLROOM_HOME")) else default_path())
    return Home(chosen.expanduser().absolute())

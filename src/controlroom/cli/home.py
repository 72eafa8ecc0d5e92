"""Which control room a command speaks to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlroom.kit.home import Home


def home_of(option: Path | None) -> Home:
    """``--home``, else CONTROLROOM_HOME, else the usual place for a program's data."""
    from controlroom.kit.home import Home

    chosen = option or (Path(said) if (said := os.environ.get("CONTROLROOM_HOME")) else None)
    if chosen is None:
        import platformdirs

        chosen = platformdirs.user_data_path("controlroom")
    return Home(chosen.expanduser().absolute())

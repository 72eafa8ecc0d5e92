"""The command line, but it kills itself (SIGKILL) at one moment of a move: see tests.support.move_moments.

``python -m tests.real.support.move_victim MOMENT up …``
"""

from __future__ import annotations

import sys

from controlroom.cli.main import main
from tests.support.move_moments import killed_at

if __name__ == "__main__":
    with killed_at(sys.argv.pop(1)):
        main()

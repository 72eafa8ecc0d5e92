"""Draws ``fleet.svg`` from the demo's scripted agents: ``python -m docs.pictures.make``."""

from __future__ import annotations

import re
import sys
import tempfile
import time
from io import StringIO
from pathlib import Path

from bench.room import Room
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from controlroom.testing.scripted.desk import Desk
from controlroom.testing.scripted.scenes import demo_scenes

COLUMNS, ROWS = 88, 40


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="crp-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        desk = Desk(Path(folder))
        for scene in demo_scenes():
            desk.add(scene)
        room = Room(desk)
        time.sleep(12)
        command = f"{sys.executable} -m controlroom.cli.main --home {room.home} fleet; sleep 60"
        desk.tmux("new-window", "-d", "-n", "picture", "sh", "-c", command)
        desk.tmux("resize-window", "-t", "desk:picture", "-x", str(COLUMNS), "-y", str(ROWS))
        time.sleep(3)
        shown = desk.tmux("capture-pane", "-p", "-e", "-t", "desk:picture").rstrip()
        room.close()
        desk.close()
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(shown))
    svg = console.export_svg(title="controlroom fleet", theme=MONOKAI)
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # fonts from the network: no
    svg = re.sub(r"<!-- Generated.*?-->\s*", "", svg)
    svg = svg.replace("Fira Code", "ui-monospace, Menlo, DejaVu Sans Mono")
    (Path(__file__).parent / "fleet.svg").write_text(svg)


if __name__ == "__main__":
    sys.exit(main())

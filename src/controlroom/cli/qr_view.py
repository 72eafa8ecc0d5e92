"""A QR code in the terminal: two modules to a cell, dark on light whatever the terminal's colours are."""

from __future__ import annotations

BORDER = 2  # modules; the standard says 4, and every camera takes 2
_DARK_ON_LIGHT = "\x1b[38;5;16;48;5;231m"
_RESET = "\x1b[0m"
_CELLS = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}


def qr_lines(text: str, width: int, colour: bool) -> list[str] | None:
    """The lines of the code, None when the terminal is too narrow for it.

    Without colour it is drawn light on dark, as it looks right in a dark terminal.
    """
    import segno

    code = segno.make(text, error="l", micro=False)
    rows = [[bool(module) for module in row] for row in code.matrix_iter(border=BORDER)]
    if len(rows[0]) > width:
        return None
    if len(rows) % 2:
        rows.append([False] * len(rows[0]))
    lines = []
    for upper, lower in zip(rows[::2], rows[1::2], strict=True):
        pairs = zip(upper, lower, strict=True)
        if colour:
            lines.append(_DARK_ON_LIGHT + "".join(_CELLS[pair] for pair in pairs) + _RESET)
        else:
            lines.append("".join(_CELLS[not above, not below] for above, below in pairs))
    return lines


def qr_width(text: str) -> int:
    """How many cells wide the code is."""
    import segno

    return int(segno.make(text, error="l", micro=False).symbol_size(border=BORDER)[0])

"""The style of terminal cells as SGR codes set it, followed through a stream and written out whole.

A style that is written here depends on nothing before it, and holds only codes known to be harmless.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

# code -> (attribute, value); "" is off. Underline keeps its kind ("4", "4:3" curly, "21" double).
_SWITCHES: dict[int, tuple[str, str]] = {
    1: ("bold", "1"),
    2: ("dim", "2"),
    3: ("italic", "3"),
    4: ("underline", "4"),
    5: ("blink", "5"),
    6: ("blink", "5"),
    7: ("reverse", "7"),
    8: ("hidden", "8"),
    9: ("strike", "9"),
    21: ("underline", "4:2"),
    23: ("italic", ""),
    24: ("underline", ""),
    25: ("blink", ""),
    27: ("reverse", ""),
    28: ("hidden", ""),
    29: ("strike", ""),
    39: ("foreground", ""),
    49: ("background", ""),
    53: ("overline", "53"),
    55: ("overline", ""),
    59: ("underline_color", ""),
}
_EXTENDED = {38: "foreground", 48: "background", 58: "underline_color"}
_MAX_CODES = 64  # tmux writes a handful; more is somebody playing


class Style(msgspec.Struct, frozen=True):
    """Each field is the SGR code that switches it on, "" when it is off."""

    bold: str = ""
    dim: str = ""
    italic: str = ""
    underline: str = ""
    blink: str = ""
    reverse: str = ""
    hidden: str = ""
    strike: str = ""
    overline: str = ""
    foreground: str = ""
    background: str = ""
    underline_color: str = ""


PLAIN = Style()


# A screen repeats a few styles hundreds of times: without the caches a colourful frame costs 9 ms, not 1.
@lru_cache(maxsize=2048)
def sgr(style: Style) -> str:
    """The code that sets exactly this style, whatever was before."""
    codes = [code for code in msgspec.structs.astuple(style) if code]
    return "\x1b[" + ";".join(["0", *codes]) + "m"


@lru_cache(maxsize=2048)
def after(style: Style, parameters: str) -> Style:
    """The style after ``ESC [ parameters m``. Codes that are unknown or out of range change nothing."""
    changes = msgspec.structs.asdict(style)
    codes = parameters.split(";")[:_MAX_CODES]
    at = 0
    while at < len(codes):
        code = codes[at]
        at += 1
        if ":" in code:
            _colon_form(changes, code.split(":"))
            continue
        number = _number(code or "0")
        if number is None:
            continue
        if number == 0:
            changes = {}
        elif number == 22:
            changes["bold"] = changes["dim"] = ""
        elif number in _SWITCHES:
            field, value = _SWITCHES[number]
            changes[field] = value
        elif 30 <= number <= 37 or 90 <= number <= 97:
            changes["foreground"] = str(number)
        elif 40 <= number <= 47 or 100 <= number <= 107:
            changes["background"] = str(number)
        elif number in _EXTENDED:
            color, used = _extended_color(codes[at:])
            at += used
            if color:
                changes[_EXTENDED[number]] = f"{number};{color}"
    return Style(**changes)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 4 else None


def _extended_color(codes: list[str]) -> tuple[str, int]:
    """(canonical "5;n" or "2;r;g;b" or "", how many codes belong to it)."""
    kind = codes[0] if codes else ""
    length = {"5": 1, "2": 3}.get(kind, 0)
    values = [_number(code or "0") for code in codes[1 : 1 + length]]
    if not length:
        return "", min(len(codes), 1)
    if len(values) < length or any(value is None or value > 255 for value in values):
        return "", 1 + len(values)
    return ";".join([kind, *map(str, values)]), 1 + length


def _colon_form(changes: dict[str, str], parts: list[str]) -> None:
    """``4:3`` (kinds of underline), ``38:5:n``, ``38:2:r:g:b`` and ``38:2:<space>:r:g:b``."""
    code = _number(parts[0])
    if code == 4 and len(parts) == 2 and parts[1] in {"0", "1", "2", "3", "4", "5"}:
        changes["underline"] = {"0": "", "1": "4"}.get(parts[1], f"4:{parts[1]}")
    elif code in _EXTENDED:
        rest = parts[1:]
        if rest[:1] == ["2"] and len(rest) > 4:
            rest = ["2", *rest[2:5]]  # the colour space identifier is not used by any terminal
        color, _ = _extended_color(rest)
        if color:
            changes[_EXTENDED[code]] = f"{code};{color}"

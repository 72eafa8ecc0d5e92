"""A scripted agent's screen, laid out as Claude Code 2.1.332 does: pure."""

from __future__ import annotations

from rich.cells import cell_len, chop_cells

from controlroom.testing.scripted.look import Block, Dialog, Look
from controlroom.testing.scripted.rows import VERSION

GREY, RULE, WHITE, BLUE, ORANGE, PINK = 246, 244, 231, 153, 174, 211
MODE = "⏸ manual mode on"


def draw(look: Look, width: int, height: int) -> list[str]:
    """Exactly ``height`` rows, complete in their colours."""
    bottom = _dialog(look.dialog, width) if look.dialog else _input(look, width)
    bottom = bottom[-height:]
    room = height - len(bottom)
    content = _content(look, width)
    content = content[len(content) - room :] if len(content) > room else content
    return content + [""] * (room - len(content)) + bottom


def _colour(text: str, number: int) -> str:
    return f"\x1b[38;5;{number}m{text}\x1b[39m" if text else ""


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Lines of at most ``width`` cells, at words where possible; ``indent`` begins each but the first."""
    lines: list[str] = []
    for raw in text.split("\n"):
        current: str | None = None
        for word in raw.split(" "):
            if current is not None:
                if cell_len(f"{indent}{current} {word}") <= width:
                    current = f"{current} {word}"
                    continue
                lines.append(current)
            *heads, current = chop_cells(word, width - len(indent)) or [""]
            lines += heads
        lines.append(current or "")
    return [entry if number == 0 else indent + entry for number, entry in enumerate(lines)]


def _content(look: Look, width: int) -> list[str]:
    rows = [
        "",
        f"{_colour(' ▐▛███▛█', ORANGE)}   \x1b[1mClaude Code\x1b[0m {_colour(f'v{VERSION}', GREY)}",
        f"{_colour('▝▜██████▀', ORANGE)}  {_colour('Opus 5.5 · scripted, no model behind it', GREY)}",
        f"{_colour(' ▝▝   ▝▝ ', ORANGE)}  {_colour(look.folder, GREY)}",
        "",
    ]
    for block in look.blocks:
        rows += ["", *_block(block, width)]
    for text in look.queue:
        queued = wrapped(f"❯ {text}", width, "  ")
        rows += ["", *(_colour(entry, GREY) for entry in queued)]
        rows.append(_colour("  ⎿  Queued · ctrl+x ctrl+s to send now", GREY))
    if look.helpers and not look.spinner:
        rows += ["", _colour(f"✻ Waiting for {len(look.helpers)} background agents to finish", GREY)]
    return rows


def _block(block: Block, width: int) -> list[str]:
    match block.kind:
        case "prompt":
            lines = wrapped(f"❯ {block.text}", width, "  ")
            return [f"\x1b[48;5;237m{_colour(entry, WHITE)}\x1b[49m" for entry in lines]
        case "words":
            first, *rest = wrapped(f"● {block.text}", width, "  ")
            return [_colour("●", WHITE) + first[1:], *rest]
        case "tool":
            rows = [entry for raw in block.text.split("\n") for entry in wrapped(raw, width, "     ")]
            return [_colour(entry, GREY) for entry in rows]
        case "note":
            return [_colour(entry, GREY) for entry in wrapped(f"  ⎿  {block.text}", width, "     ")]
        case "done":
            return [_colour(block.text, GREY)]


def _input(look: Look, width: int) -> list[str]:
    rule = _colour("─" * width, RULE)
    rows: list[str] = []
    if look.spinner:
        spent = f" ({look.busy_s}s · ↓ {look.tokens} tokens)" if look.tokens else ""
        rows += [
            "",
            f"{_colour(look.glyph, ORANGE)} {_colour(look.spinner + '…', ORANGE)}{_colour(spent, GREY)}",
            "",
        ]
    rows.append(rule)
    rows += _composer(look, width)
    rows.append(rule)
    if look.limit:
        rows.append(_colour(f"  ⚠ Usage limit reached · limit resets {look.limit}", WHITE))
        rows.append(_colour(f"    Continuing automatically at {look.limit} · Esc to cancel", WHITE))
    keys = "esc to interrupt" if look.spinner else "? for shortcuts"
    rows.append(_colour(f"  {MODE} · {keys}", GREY))
    if look.helpers:
        rows += ["", "  ● main"]
        rows += [_colour(f"  ◯ {kind:<16} {what}", GREY) for kind, what in look.helpers]
    return rows


def _composer(look: Look, width: int) -> list[str]:
    shown = look.composer.shown
    if not shown and look.queue:
        hint = "Press up to edit queued messages"
        return [f"❯\u00a0\x1b[7m{hint[0]}\x1b[0;2m{hint[1:]}\x1b[0m"]
    lines: list[str] = []
    for raw in shown.split("\n"):
        lines += chop_cells(raw, width - 3) or [""]
    lines = lines[-8:]
    rows = [("❯\u00a0" if number == 0 else "  ") + entry for number, entry in enumerate(lines)]
    rows[-1] += "\x1b[7m \x1b[0m"
    return rows


def _dialog(dialog: Dialog, width: int) -> list[str]:
    return _permission(dialog, width) if dialog.kind == "permission" else _picker(dialog, width)


def _permission(dialog: Dialog, width: int) -> list[str]:
    title, *about = dialog.title.split("\n")
    dashes = _colour("╌" * width, 239)
    rows = [_colour("─" * width, BLUE), f" \x1b[1m{_colour(title, BLUE)}\x1b[0m"]
    rows += [_colour(f" {entry}", GREY) for entry in about]
    rows.append(dashes)
    for raw in dialog.body.split("\n"):
        rows += [f" \x1b[2m│\x1b[0m {entry}" for entry in wrapped(raw, width - 4)]
    rows += [dashes, f" {dialog.question}"]
    for number, option in enumerate(dialog.options):
        mark = _colour("❯", BLUE) if number == dialog.selected else " "
        first, *rest = wrapped(option.label, width - 7)
        rows.append(f" {mark} {_colour(f'{option.key}. ', GREY)}{first}")
        rows += [f"      {entry}" for entry in rest]
    return [*rows, "", _colour(f" {dialog.footer}", GREY)]


def _picker(dialog: Dialog, width: int) -> list[str]:
    rows = [
        _colour("─" * width, GREY),
        f"\x1b[38;5;16;48;5;{BLUE}m ☐ {dialog.title} \x1b[0m",
        "",
        *(f"\x1b[1m{entry}\x1b[0m" for entry in wrapped(dialog.question, width)),
        "",
    ]
    for number, option in enumerate(dialog.options):
        if option.apart:
            rows.append(_colour("─" * width, GREY))
        mark = _colour("❯", BLUE) if number == dialog.selected else " "
        label = option.label
        if dialog.typing is not None and number == dialog.selected:
            label = _field(dialog.typing, label)
        rows.append(f"{mark} {_colour(f'{option.key}.', GREY)} {label}")
        if option.description:
            rows += [_colour(f"     {entry}", GREY) for entry in wrapped(option.description, width - 6)]
    footer = dialog.footer
    if dialog.typing is not None:
        footer = footer.replace("Esc", "ctrl+g to edit in Vim · Esc")
    return [*rows, "", _colour(footer, GREY)]


def _field(typed: str, placeholder: str) -> str:
    """A line that is being typed, with its cursor."""
    if typed:
        return f"{typed}\x1b[7m \x1b[0m"
    return f"\x1b[7m{placeholder[:1]}\x1b[0;2m{placeholder[1:]}\x1b[0m"

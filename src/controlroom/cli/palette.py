"""The terminal's palette: roles, not colours. Amber means *waits for you* and nothing else."""

from __future__ import annotations

from typing import Literal

Role = Literal["plain", "name", "head", "meta", "lamp", "fault", "good", "work", "rest", "mine"]
_SGR: dict[Role, str] = {
    "plain": "",
    "name": "1",
    "head": "1",
    "meta": "2",
    "lamp": "1;33",
    "fault": "1;31",
    "good": "32",
    "work": "36",
    "rest": "2",
    "mine": "36",
}
RESET = "\x1b[0m"


def paint(piece: str, role: Role, colour: bool) -> str:
    """One piece of plain text in its role."""
    code = _SGR[role]
    return f"\x1b[{code}m{piece}{RESET}" if colour and code and piece else piece

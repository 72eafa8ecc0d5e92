"""One finding of ``controlroom doctor``."""

from __future__ import annotations

from typing import Literal

import msgspec

State = Literal["ok", "note", "wrong"]


class Check(msgspec.Struct, frozen=True):
    """One finding. ``fix`` is what to do, "" when nothing is."""

    name: str
    state: State
    text: str
    fix: str = ""

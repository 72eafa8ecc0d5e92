"""What may be asked of a new agent: its model, and flags that the person allowed in the settings. Pure."""

from __future__ import annotations

import re

import msgspec

_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]{0,99}")
"""Names of models never begin like a flag."""


class Starts(msgspec.Struct, frozen=True, kw_only=True):
    """``models``: those that may be named; none = any. ``flags``: ``KIND:FLAGS``; the flags of one entry are
    asked for together, exactly as they stand there."""

    models: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    def refuses(self, kind: str, model: str, flags: tuple[str, ...]) -> str:
        """Why an agent of this kind may not be started so, for people; "" when it may."""
        if model and not _MODEL.fullmatch(model):
            return "model: the name of a model, such as opus or claude-opus-4-5."
        if model and self.models and model not in self.models:
            return f"model: agents.models allows {', '.join(self.models)}."
        allowed = tuple(entry.partition(":")[2] for entry in self.flags if entry.startswith(f"{kind}:"))
        if any(each not in allowed for each in flags):
            listed = ", ".join(repr(each) for each in allowed) or "none"
            return f"flags: only what agents.flags names for {kind} is passed on ({listed})."
        return ""


def words_of(flags: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a command line, each entry split at blanks."""
    return tuple(word for each in flags for word in each.split())

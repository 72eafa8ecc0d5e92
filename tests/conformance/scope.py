"""``scope.toml``: what becomes of every recorded scenario."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from tests.conformance.recording import FIXTURES

Fate = str | dict[str, Any]  # "replayed", {corrected = [differences]} or {later = why}


def scope() -> dict[str, dict[str, Fate]]:
    """By recording and scenario."""
    text = Path(__file__).with_name("scope.toml").read_text(encoding="utf-8")
    read: dict[str, dict[str, Fate]] = tomllib.loads(text)
    return read


def is_later(fate: Fate) -> bool:
    return isinstance(fate, dict) and "later" in fate


def later(name: str) -> frozenset[str]:
    """The scenarios of a recording that are not replayed yet."""
    return frozenset(scenario for scenario, fate in scope()[name].items() if is_later(fate))


def recordings() -> list[str]:
    """The recordings of which something is replayed."""
    kept = {path.stem for path in FIXTURES.glob("*.jsonl")}
    return sorted(
        name for name, fates in scope().items() if name in kept and not all(map(is_later, fates.values()))
    )

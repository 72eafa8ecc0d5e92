"""Which options of a question an answer names: a client's by key or label, a person's in a chat by words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from controlroom.core.similar import normalised

LONGEST_NAMING = 600  # characters; a longer message is no mere choice


class Option(Protocol):
    """An option of a card."""

    @property
    def key(self) -> str: ...
    @property
    def label(self) -> str: ...


class Unknown(Exception):
    """An answer names no option, or too many; the text is a sentence for people."""


def keys_of(options: Sequence[Option], given: str | Sequence[str] | None, *, multi: bool) -> tuple[str, ...]:
    """The keys of the options that a client names, in the order of the card. Raises Unknown.

    By key first, then by the whole label, then by the label in whatever case, if only one has it. A card that
    takes several also takes them in one text, as keys with commas between.
    """
    if given is None or given == "" or given == ():
        return ()
    names = [given] if isinstance(given, str) else list(given)
    if isinstance(given, str) and multi and _key_of(options, given) is None:
        names = [part.strip() for part in given.split(",") if part.strip()]
    found: list[str] = []
    for name in names:
        key = _key_of(options, name)
        if key is None:
            raise Unknown(_unknown(options, name))
        found.append(key)
    chosen = tuple(option.key for option in options if option.key in found)
    if len(chosen) > 1 and not multi:
        raise Unknown("option: this question takes only one.")
    return chosen


def named_in_chat(options: Sequence[Option], said: str) -> str | None:
    """The key of the option that a message in the chat names, when it says nothing else: its key or its
    label."""
    text = said.strip()
    if not text or len(text) > LONGEST_NAMING:
        return None
    bare = text.rstrip(".)!")
    by_key = [option.key for option in options if option.key.casefold() == bare.casefold()]
    if len(by_key) == 1:
        return by_key[0]
    words = normalised(text)
    by_label = [option.key for option in options if words and normalised(option.label) == words]
    return by_label[0] if len(by_label) == 1 else None


def _key_of(options: Sequence[Option], name: str) -> str | None:
    for option in options:
        if option.key == name:
            return option.key
    for option in options:
        if option.label == name:
            return option.key
    same = [option.key for option in options if option.label.casefold() == name.strip().casefold()]
    return same[0] if len(same) == 1 else None


def _unknown(options: Sequence[Option], name: str) -> str:
    if not options:
        return "option: this question has no options; answer with a text."
    offered = ", ".join(f"{option.key} ({option.label[:80]})" for option in options)
    return f"option: {name[:80]!r} is not one of {offered[:1500]}."

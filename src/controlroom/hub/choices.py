"""Which options of an open dialog an answer names: keys, out of keys and labels."""

from __future__ import annotations

from controlroom.hub.errors import HubError
from controlroom.wire.model import WaitingFor

Option = str | tuple[str, ...] | None
"""As in api.md: a key or a label, a list of them for a dialog that takes several."""


def named(option: Option) -> str:
    """The options in the words of whoever named them, for a receipt."""
    return ", ".join(option) if isinstance(option, tuple) else option or ""


def keys_of(waiting: WaitingFor | None, waiting_id: str, option: Option) -> str | None:
    """The keys, joined by commas; None when no option is named.

    ``waiting`` is what the agent waits for as far as the hub knows. When that is another dialog than the one
    that was seen, a single option goes on as it was named: the node reads the dialog again anyway and has
    the last word. Raises HubError ``bad_request`` for what is not among the options, and ``changed`` when
    several are named of a dialog that is not open.
    """
    if not option:
        return None
    names = option if isinstance(option, tuple) else (option,)
    if waiting is None or waiting.id != waiting_id or not waiting.options:
        if len(names) > 1:
            raise HubError("changed", "The dialog is not the one that was seen.")
        return names[0]
    if not isinstance(option, tuple) and waiting.multi and _key_of(waiting, option) is None:
        names = tuple(part.strip() for part in option.split(","))
    if len(names) > 1 and not waiting.multi:
        raise HubError("bad_request", "option: this dialog takes only one.")
    keys = dict.fromkeys(_key_of(waiting, name) or _refuse(waiting, name) for name in names)
    return ",".join(keys)


def _key_of(waiting: WaitingFor, name: str) -> str | None:
    """By key first, then by the whole label."""
    options = waiting.options or ()
    by_key = next((option.key for option in options if option.key == name), None)
    return by_key or next((option.key for option in options if option.label == name), None)


def _refuse(waiting: WaitingFor, name: str) -> str:
    offered = ", ".join(f"{option.key} ({option.label[:80]})" for option in waiting.options or ())
    raise HubError("bad_request", f"option: {name[:80]!r} is not one of {offered}.")

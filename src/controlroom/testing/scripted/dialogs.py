"""The dialogs of a scripted agent: how they look, and what a key does in them."""

from __future__ import annotations

from controlroom.testing.scripted.keys import Key, Paste
from controlroom.testing.scripted.look import Dialog, Option
from controlroom.testing.scripted.steps import Ask, Use

ESCAPED = "\x1b"  # the answer of a person who pressed Escape
FREE_TEXT = "Type something."


def ask_permission(step: Use, folder: str) -> Dialog:
    """May this tool run?"""
    path = step.input.get("file_path", "")
    name = path.rpartition("/")[2]
    match step.name:
        case "Edit":
            title, body = f"Edit file\n{name}", _diff(step)
            question = f"Do you want to make this edit to {name}?"
            second = "Yes, and switch to accept edits (auto-approve file edits) for this session (shift+tab)"
        case "Write":
            title, body = f"Create file\n{name}", step.input.get("content", "").rstrip("\n")
            question = f"Do you want to create {name}?"
            second = "Yes, and switch to accept edits (auto-approve file edits) for this session (shift+tab)"
        case _:
            title = f"{step.name} command\n{step.input.get('description', '')}".rstrip("\n")
            body = step.input.get("command", "")
            question = "Do you want to proceed?"
            first = body.split(" ", 1)[0]
            second = f"Yes, and don't ask again for: {first} commands in {folder}"
    return Dialog(
        kind="permission",
        title=title,
        body=body,
        question=question,
        options=(Option("1", "Yes"), Option("2", second), Option("3", "No")),
        footer="Esc to cancel · Tab to amend",
    )


def _diff(step: Use) -> str:
    old = [f"- {line}" for line in step.input.get("old_string", "").splitlines()]
    new = [f"+ {line}" for line in step.input.get("new_string", "").splitlines()]
    return "\n".join(old + new)


def ask_person(step: Ask) -> Dialog:
    """A question picker."""
    count = len(step.options)
    options = [Option(str(n), choice.label, choice.description) for n, choice in enumerate(step.options, 1)]
    options.append(Option(str(count + 1), FREE_TEXT))
    options.append(Option(str(count + 2), "Chat about this", apart=True))
    return Dialog(
        kind="picker",
        title=step.header,
        body="",
        question=step.question,
        options=tuple(options),
        footer="Enter to select · ↑/↓ to navigate · Esc to cancel",
    )


def press(dialog: Dialog, event: Key | Paste) -> str | None:
    """Change the dialog as the key does; the answer when it gave one: a key, free text, or ESCAPED.

    As in the real program: a digit answers at once, Enter takes the selected option, other text is ignored
    unless free text is being typed.
    """
    if isinstance(event, Paste):
        if dialog.typing is not None:
            dialog.typing += event.text
        return None
    if event.name == "Escape":
        return ESCAPED
    if dialog.typing is not None:
        return _type(dialog, event)
    if event.name in ("Up", "Down"):
        dialog.selected = (dialog.selected + (1 if event.name == "Down" else -1)) % len(dialog.options)
    elif event.name == "Enter":
        return _choose(dialog, dialog.selected)
    elif event.text in (keys := [option.key for option in dialog.options]):
        return _choose(dialog, keys.index(event.text))
    return None


def _choose(dialog: Dialog, number: int) -> str | None:
    dialog.selected = number
    if dialog.options[number].label == FREE_TEXT:
        dialog.typing = ""
        return None
    return dialog.options[number].key


def _type(dialog: Dialog, key: Key) -> str | None:
    assert dialog.typing is not None
    if key.name == "Enter":
        return dialog.typing if dialog.typing.strip() else None
    if key.name == "BSpace":
        dialog.typing = dialog.typing[:-1]
    else:
        dialog.typing += key.text
    return None

"""``controlroom conventions``: tell agents, in their own instruction file, how they reach the person."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.errors import CliError, wrong_use

if TYPE_CHECKING:
    from controlroom.cli.palette import Role
    from controlroom.core.conventions import AgentKind, Block
    from controlroom.kit.edited_file import EditedFile

What = Literal["install", "remove", "show"]


@declare(
    "conventions",
    examples="""
    controlroom conventions install --agent claude
    controlroom conventions install --agent codex --project ~/orchard
    CLAUDE_CONFIG_DIR=~/.claude-second controlroom conventions install --agent claude
    controlroom conventions show --agent claude
    controlroom conventions remove --agent claude
    """,
)
@click.argument("what", type=click.Choice(["install", "remove", "show"]))
@click.option(
    "--agent", "kind", required=True, type=click.Choice(["claude", "codex"]), help="Whose instruction file."
)
@click.option(
    "--project",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="The file of this folder, for the agents in it; without it the one of your own config folder.",
)
@click.option("--yes", is_flag=True, help="Do it without asking.")
def command(call: Call, what: str, kind: str, project: Path | None, yes: bool) -> None:
    """Tell agents in their instruction file how they ask you, and what they report.

    "install" writes a short text between two markers into CLAUDE.md or AGENTS.md, or brings an older one up
    to date; "remove" takes it out again and leaves every other byte as it was. Both show the difference
    first and ask. "show" prints the text and tells whether it is there. Agents read it when they start.
    """
    from controlroom.core.conventions import BrokenMarkers
    from controlroom.kit.edited_file import CannotEdit, open_edited

    agent = cast("AgentKind", kind)
    path = file_of(agent, project, os.environ)
    try:
        file = open_edited(path)
        if what == "show":
            _show(call, agent, file)
        else:
            _change(call, cast(What, what), agent, file, is_link=path.is_symlink(), yes=yes)
    except BrokenMarkers as error:
        raise CliError(f"{path}: {error}", "conflict") from None
    except CannotEdit as error:
        raise CliError(str(error)) from None


def file_of(kind: AgentKind, project: Path | None, environ: Mapping[str, str]) -> Path:
    """The instruction file that is meant. Raises CliError when its folder is not there."""
    from controlroom.core.conventions import FILES

    known = FILES[kind]
    if project is not None:
        folder = project.expanduser().absolute()
        if not folder.is_dir():
            raise CliError(f"There is no folder {folder}.", "not_found")
        return folder / known.name
    named = environ.get(known.variable)
    folder = Path(named).expanduser().absolute() if named else Path.home() / known.folder
    if not folder.is_dir():
        hint = f"{known.variable} names it" if named else f"Name another one with {known.variable}"
        raise CliError(
            f"There is no config folder {folder}. {hint}, or choose a project with --project.", "not_found"
        )
    return folder / known.name


def _show(call: Call, kind: AgentKind, file: EditedFile) -> None:
    from controlroom.core.conventions import VERSION, find

    block = None if file.text is None else find(file.text)
    body = _body(call)
    state = _state(block, body)
    if call.json:
        version = None if block is None else block.version
        said = {"agent": kind, "path": _name(file), "state": state, "version": version, "text": body}
        call.out.json(said)
        return
    words = {
        "missing": "They are not in",
        "current": "They are in",
        "older": f"Another version (now {VERSION}) is in",
        "edited": "They were changed by hand in",
    }
    call.out.raw(body)
    call.out.say()
    call.out.say(f"{words[state]} {_name(file)}.", "meta")
    if state != "current":
        call.out.say(f"Write them: {call.hint('conventions', 'install', '--agent', kind)}", "meta")


def _state(block: Block | None, body: str) -> str:
    if block is None:
        return "missing"
    if block.is_edited:
        return "edited"
    return "current" if block.body == body else "older"


def _change(call: Call, what: What, kind: AgentKind, file: EditedFile, *, is_link: bool, yes: bool) -> None:
    from controlroom.cli.confirm import can_ask, confirm
    from controlroom.core.conventions import difference, find, install, remove
    from controlroom.kit.edited_file import save_edited

    block = None if file.text is None else find(file.text)
    after: str | None = None
    if what == "install":
        after = install(file.text, _body(call))
    elif file.text is not None:
        after = remove(file.text)
    lines = difference(file.text, after, _name(file))
    if after == file.text:
        already = "They are there already" if what == "install" else "They are not there"
        _tell(call, kind, file, [], f"{already}: {_name(file)}. Nothing was changed.")
        return
    notes = ["It is a link; the file behind it is changed."] if is_link else []
    notes += _notes(kind, file, after, block)
    if not call.json:
        _print_difference(call, lines)
        call.out.lines(["", *notes] if notes else [])
    if not yes:
        if call.json or not can_ask():
            raise wrong_use("Nothing was changed. Add --yes to do it without being asked.")
        call.out.say()
        if not confirm(f"Change {_name(file)}?" if after is not None else f"Remove {_name(file)}?"):
            call.out.say("Nothing was changed.")
            return
    save_edited(file, after)
    done = "Written. Agents read it when they start." if what == "install" else "Taken out."
    _tell(call, kind, file, lines, done)


def _notes(kind: AgentKind, file: EditedFile, after: str | None, block: Block | None) -> list[str]:
    """What a person should know before they say yes."""
    from controlroom.core.conventions import FILES

    known, notes = FILES[kind], []
    if block is not None and block.is_edited:
        notes.append("The text between the markers was changed by hand; that change goes.")
    if known.override and after is not None and (file.path.parent / known.override).exists():
        notes.append(f"{known.override} lies beside it, and is read in its place.")
    if known.most_bytes and after is not None and len(after.encode(errors="replace")) > known.most_bytes:
        notes.append(
            f"It has more than {known.most_bytes // 1024} KiB; unless it is set up otherwise, the agent does "
            "not read what stands behind."
        )
    return notes


def _print_difference(call: Call, lines: list[str]) -> None:
    from controlroom.cli import text

    roles: Mapping[str, Role] = {"+": "good", "-": "fault", "@": "meta"}
    for entry in lines:
        call.out.say(text.block(entry, 2_000), roles.get(entry[:1], "plain"))


def _tell(call: Call, kind: AgentKind, file: EditedFile, lines: list[str], words: str) -> None:
    if call.json:
        from controlroom.cli import text

        said = "\n".join(text.block(entry) for entry in lines)
        call.out.json({"agent": kind, "path": _name(file), "changed": bool(lines), "diff": said})
    else:
        call.out.say(words)


def _name(file: EditedFile) -> str:
    from controlroom.cli import text

    return text.line(str(file.path), 400)


def _body(call: Call) -> str:
    """The text for agents, with the command as it can be typed in any folder."""
    from controlroom.cli import text
    from controlroom.core.conventions import conventions

    program, *rest = shlex.split(call.home.command_prefix)
    if "/" in program:
        program = str(Path(program).absolute())
    return conventions(text.line(shlex.join([program, *rest]), 1_000))

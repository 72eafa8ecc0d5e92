"""What goes wrong becomes one sentence and an exit status; no traceback reaches a person."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from controlroom import __version__
from controlroom.cli.main import COMMANDS, root
from tests.integration.cli.conftest import Cli
from tests.integration.cli.stub_hub import StubHub
from tests.support.waiting import until_now
from tests.unit.cli.agents import all_states
from tests.unit.cli.questions import closed, question

PROGRAM = [sys.executable, "-m", "controlroom.cli.main"]


def test_no_hub_is_exit_3_and_says_how_to_start_one(home: Path, cli: Cli) -> None:
    ran = cli("fleet")
    assert ran.status == 3
    assert (
        ran.err
        == f"controlroom: No control room runs at {home}/control.sock. Start it with: controlroom up\n"
    )


def test_errors_as_json(cli: Cli) -> None:
    ran = cli("fleet", "--json")
    assert (ran.status, ran.out) == (3, "")
    assert json.loads(ran.err)["code"] == "offline"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("flet",), "There is no command 'flet'. Did you mean fleet? See: controlroom --help"),
        (("send", "orchard"), "Missing argument 'TEXT'. See: controlroom send --help"),
        (("fleet", "--wat"), "See: controlroom fleet --help"),
        (("send", "a", "b", "--timeout", "3"), "--timeout goes with --wait."),
        (("fleet", "--watch"), "--watch needs a terminal; with --json it prints the fleet"),
        (("watch", "orchard"), "watch needs a terminal; with --json it prints each frame"),
        (("up", "--host", "0.0.0.0"), "is every address of this machine"),
        (("chat", "a", "--follow", "--before", "x"), "do not go together"),
    ],
)
def test_wrong_use_is_exit_2_and_one_line(cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    ran = cli(*arguments)
    assert ran.status == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_a_bug_is_one_sentence_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> None:
        raise KeyError("surprise")

    monkeypatch.setattr("controlroom.cli.command.Call.hub", lambda call, work: broken(work))
    ran = cli("fleet")
    assert ran.status == 1
    assert "controlroom itself is broken here (KeyError: 'surprise')" in ran.err
    assert "Traceback" not in ran.err


def test_an_answer_that_cannot_be_read(hub: StubHub, cli: Cli) -> None:
    hub.status = "nonsense"  # type: ignore[assignment] # a hub of another version
    ran = cli("status")
    assert (ran.status, "cannot be read" in ran.err) == (1, True)


def test_version_and_help(cli: Cli) -> None:
    assert cli("--version").out == f"controlroom {__version__}\n"
    shown = cli("--help").out
    assert all(f"\n  {name} " in shown for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does_and_takes_json_and_home(cli: Cli, name: str) -> None:
    command = root.get_command(None, name)  # type: ignore[arg-type] # looked up without a context
    assert command is not None
    shown = cli(name, "--help").out
    assert "--json" in shown
    assert "--home" in shown
    assert "Examples:" in shown
    first = (command.help or "").splitlines()[0]
    assert COMMANDS[name].split(":")[0].split(",")[0].split(";")[0].rstrip(".") in first


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(cli: Cli, shell: str) -> None:
    assert "_CONTROLROOM_COMPLETE" in cli("completion", shell).out


def completed(home: Path, begun: str, command: str = "chat") -> list[str]:
    environment = os.environ | {
        "_CONTROLROOM_COMPLETE": "bash_complete",
        "COMP_WORDS": f"controlroom --home {home} {command} {begun}",
        "COMP_CWORD": "4",
    }
    done = subprocess.run(PROGRAM, env=environment, capture_output=True, text=True, timeout=30, check=True)
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


def test_agents_are_completed(home: Path, hub: StubHub) -> None:
    hub.fleet = all_states()
    assert completed(home, "or") == ["orchard"]
    assert completed(home, "p") == ["pickers", "printer"]


def test_questions_are_completed(home: Path, hub: StubHub) -> None:
    hub.fleet = all_states()
    hub.questions.add(question(), closed("skipped", "host", id="q_7777"))
    assert completed(home, "q_", "skip") == ["q_3fa9"]
    assert completed(home, "q_", "undo") == ["q_7777"]
    assert completed(home, "q_4", "skip") == []
    assert completed(home, "", "answer")[-1] == "q_3fa9"
    assert "orchard" in completed(home, "", "answer")


def test_completion_without_a_hub_offers_nothing(home: Path) -> None:
    assert completed(home, "or") == []


def test_a_reader_that_leaves_is_no_trouble(home: Path, hub: StubHub) -> None:
    hub.fleet = all_states()
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*PROGRAM, "--home", str(home), "fleet"],
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=30,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_ctrl_c_is_quiet(home: Path, hub: StubHub) -> None:
    hub.fleet = all_states()
    waits = subprocess.Popen(
        [*PROGRAM, "--home", str(home), "send", "orchard", "hello", "--wait"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    until_now(lambda: [name for name, _ in hub.calls if name.startswith("GET /messages")], "it waits")
    waits.send_signal(signal.SIGINT)
    _, said = waits.communicate(timeout=30)
    assert (waits.returncode, said) == (130, b"")


def test_nothing_heavy_is_imported_for_help() -> None:
    """Quick to start: the shell asks for completions at each Tab."""
    check = (
        "import sys; from controlroom.cli.main import run; run(['--help']); run(['fleet', '--help']);"
        "heavy = {'aiohttp', 'asyncio', 'rich', 'msgspec', 'sqlalchemy', 'structlog'} & set(sys.modules);"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 0, done.stderr

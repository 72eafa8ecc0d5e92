"""Command lines and environment of the terminal channel's tmux server."""

from __future__ import annotations

from pathlib import Path

from controlroom.gateway.terminal.tmux import TerminalServer, server_name, shell_environment

ENVIRONMENT = {
    "PATH": "/nowhere",
    "HOME": "/home/ann",
    "LANG": "de_DE.UTF-8",
    "TMUX": "/tmp/tmux-1000/default,1,0",
    "TMUX_PANE": "%1",
    "TMUX_TMPDIR": "/run/ann",
    "CONTROLROOM_DOOR_PORT": "1",
}


def test_a_shell_inherits_what_is_the_persons_and_not_where_we_run() -> None:
    kept = {"PATH": "/nowhere", "HOME": "/home/ann", "LANG": "de_DE.UTF-8", "TMUX_TMPDIR": "/run/ann"}
    assert shell_environment(ENVIRONMENT) == kept


def test_each_data_folder_has_a_server_of_its_own(tmp_path: Path) -> None:
    one, other = server_name(tmp_path / "a"), server_name(tmp_path / "b")
    assert one != other and one == server_name(tmp_path / "b" / ".." / "a")
    assert one.startswith("controlroom-terminal-")


def test_names_are_single_words_and_no_formats(tmp_path: Path) -> None:
    server = TerminalServer(ENVIRONMENT, "x", tmp_path / "tmux.conf")
    words = server.attach_arguments("hermes-#(id);", "#(id);", ("/bin/zsh", "-l"))
    assert words[words.index("-s") + 1] == "hermes-##(id)\\;"
    assert words[words.index("-e") + 1] == "HERMES_RELAY_TERMINAL=#(id)\\;"
    assert words[-2:] == ["/bin/zsh", "-l"]
    assert words[words.index("-L") + 1] == "x"


def test_tmux_that_is_not_installed_is_none(tmp_path: Path) -> None:
    assert TerminalServer(ENVIRONMENT, "x", tmp_path / "tmux.conf").program == ""

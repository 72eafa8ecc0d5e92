"""Settings from a file and the environment, and the one line that a bad one gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlroom.kit.settings import SettingsError, all_settings, load_settings


def load(tmp_path: Path, toml: str = "", **environ: str) -> object:
    (tmp_path / "config.toml").write_text(toml)
    return load_settings(tmp_path / "config.toml", environ)


def value(settings: object, key: str) -> object:
    section, name = key.split(".")
    return getattr(getattr(settings, section), name)


def test_without_a_file_everything_has_its_default(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "none.toml", {})
    for setting in all_settings():
        assert value(settings, setting.key) == setting.default


def test_each_setting_says_what_is_allowed() -> None:
    assert all(setting.allowed for setting in all_settings())


@pytest.mark.parametrize(
    "key",
    [
        "usage.claude_url",
        "usage.every_s",
        "notify.finished_after_s",
        "notify.waiting_after_s",
        "push.allow_private_endpoints",
        "limits.upload_bytes",
        "door.loopback_routes",
        "door.names",
        "tmux.sockets",
        "herdr.sockets",
        "policy.blocking_answers",
    ],
)
def test_the_promised_settings_exist(key: str) -> None:
    assert key in {setting.key for setting in all_settings()}


@pytest.mark.parametrize(
    ("toml", "environ", "key", "expected"),
    [
        ("[door]\nport = 0", {}, "door.port", 0),
        ("[door]\nport = 1", {"CONTROLROOM_DOOR_PORT": "2"}, "door.port", 2),
        ("[usage]\nevery_s = 60", {}, "usage.every_s", 60.0),
        ("", {"CONTROLROOM_USAGE_EVERY_S": "60.5"}, "usage.every_s", 60.5),
        ('[tmux]\nsockets = ["a", "/b"]', {}, "tmux.sockets", ("a", "/b")),
        ("", {"CONTROLROOM_TMUX_SOCKETS": "a, /b"}, "tmux.sockets", ("a", "/b")),
        ("", {"CONTROLROOM_TMUX_SOCKETS": "auto"}, "tmux.sockets", "auto"),
        ("", {"CONTROLROOM_HERDR_SOCKETS": "default, work"}, "herdr.sockets", ("default", "work")),
        ("", {"CONTROLROOM_HERDR_SOCKETS": ""}, "herdr.sockets", ()),
        ("", {"CONTROLROOM_DOOR_LOOPBACK_ROUTES": "true"}, "door.loopback_routes", True),
        ("", {"CONTROLROOM_DOOR_NAMES": "desk.example"}, "door.names", ("desk.example",)),
        ("", {"CONTROLROOM_HOME": "/x", "CONTROLROOM_OTHER_THING": "y"}, "door.port", 8767),
    ],
)
def test_values_from_the_file_and_the_environment(
    tmp_path: Path, toml: str, environ: dict[str, str], key: str, expected: object
) -> None:
    assert value(load(tmp_path, toml, **environ), key) == expected


@pytest.mark.parametrize(
    ("toml", "environ", "said"),
    [
        (
            "[door]\nport = 70000",
            {},
            "config.toml: door.port cannot be 70000; allowed: a port, 0 (any free one) to 65535.",
        ),
        ("[door]\nport = true", {}, "door.port cannot be True"),
        ("[door]\nprot = 1", {}, "config.toml: door.prot is not a setting; did you mean door.port?"),
        ("[door]\nzzz = 1", {}, "door.zzz is not a setting; allowed: door.port, door.proxy_port"),
        ("[dor]\nport = 1", {}, "[dor] is not a section; allowed: agents, checker, door, herdr, limits"),
        ("port = 1", {}, "[port] is not a section"),
        ("[door\nport = 1", {}, "is not valid TOML"),
        ("[tmux]\nsockets = 3", {}, 'tmux.sockets cannot be 3; allowed: "auto" or a list'),
        ("", {"CONTROLROOM_TMUX_SOCKETS": ""}, ""),
        ("", {"CONTROLROOM_DOOR_PORT": "many"}, "CONTROLROOM_DOOR_PORT: door.port cannot be 'many'"),
        ("", {"CONTROLROOM_DOOR_PROT": "1"}, "CONTROLROOM_DOOR_PROT: door.prot is not a setting"),
        ("[usage]\nclaude_url = 'ftp://x'", {}, "allowed: an http or https address"),
        ("[usage]\nevery_s = nan", {}, "usage.every_s cannot be nan"),
        ("[policy]\nblocking_answers = 'all'", {}, 'allowed: "anyone" or "devices"'),
    ],
)
def test_a_bad_setting_is_one_line_with_key_fault_and_choice(
    tmp_path: Path, toml: str, environ: dict[str, str], said: str
) -> None:
    if not said:
        assert value(load(tmp_path, toml, **environ), "tmux.sockets") == ()
        return
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, toml, **environ)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_a_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(tmp_path, {})

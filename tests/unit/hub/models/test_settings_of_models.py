"""Addresses, keys, and which adapter the settings mean."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec
import pytest

from controlroom.hub.models.address import checked
from controlroom.hub.models.base import NeedsLogin, NotPossible
from controlroom.hub.models.choose import choose, key_source
from controlroom.hub.models.keys import KeySource
from controlroom.kit.settings import Checker, SettingsError, load_settings


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com",
        "https://api.example.com:8443/v1",
        "http://localhost:11434/v1",
        "http://LOCALHOST./v1",
        "http://127.0.0.1:8080",
        "http://127.1.2.3:8080",
        "http://[::1]:8080/v1",
    ],
)
def test_over_tls_or_on_this_machine(url: str) -> None:
    assert checked(url + "/", allow_plain=False) == url


@pytest.mark.parametrize(
    "url",
    [
        "http://192.168.1.5:11434/v1",
        "http://localhost.example.com",
        "http://127.0.0.1.example.com",
        "http://127.0.0.1@evil.example/",
        "http://2130706433/",
        "http://[::ffff:10.0.0.1]/",
    ],
)
def test_never_in_the_clear_over_a_network(url: str) -> None:
    with pytest.raises(NotPossible):
        checked(url, allow_plain=False)


def test_unless_the_person_says_so() -> None:
    assert checked("http://192.168.1.5:11434/v1", allow_plain=True) == "http://192.168.1.5:11434/v1"


@pytest.mark.parametrize(
    "url",
    [
        "https://user:secret@api.example.com",
        "https://api.example.com/?key=secret",
        "https://api.example.com/#secret",
        "https://",
        "ftp://api.example.com",
        "https://api.example.com:99999",
        "https://[::1",
    ],
)
def test_what_is_no_address_is_refused_without_its_secret(url: str) -> None:
    with pytest.raises(NotPossible) as caught:
        checked(url, allow_plain=True)
    assert "secret" not in str(caught.value)


# ---- keys --------------------------------------------------------------------------------------------------


def private(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "key"
    path.write_text(text)
    path.chmod(mode)
    return path


def source(folder: Path, variable: str = "", **environment: str) -> KeySource:
    return KeySource(folder, "key", variable, environment)


def test_the_key_of_a_private_file(tmp_path: Path) -> None:
    private(tmp_path, "sk-invented-1\n")
    assert source(tmp_path).read() == "sk-invented-1"


def test_a_new_key_works_at_once(tmp_path: Path) -> None:
    keys = source(tmp_path)
    assert keys.read() is None
    private(tmp_path, "sk-invented-1")
    assert keys.read() == "sk-invented-1"
    private(tmp_path, "sk-invented-2")
    assert keys.read() == "sk-invented-2"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_file_that_others_can_read_is_not_used(tmp_path: Path, mode: int) -> None:
    private(tmp_path, "sk-invented", mode)
    with pytest.raises(NeedsLogin, match="chmod 600") as caught:
        source(tmp_path).read()
    assert "sk-invented" not in str(caught.value)


def test_links_pipes_and_folders_are_no_keys(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.write_text("sk-invented")
    real.chmod(0o600)
    (tmp_path / "key").symlink_to(real)
    with pytest.raises(NeedsLogin):
        source(tmp_path).read()
    (tmp_path / "key").unlink()
    os.mkfifo(tmp_path / "key", 0o600)
    with pytest.raises(NeedsLogin):
        source(tmp_path).read()
    (tmp_path / "key").unlink()
    (tmp_path / "key").mkdir(0o700)
    with pytest.raises(NeedsLogin):
        source(tmp_path).read()


@pytest.mark.parametrize("text", ["", " \n", "two words", "two\nlines", "sk-\x00", "sk-é", "x" * 5000])
def test_what_is_no_key_is_not_sent(tmp_path: Path, text: str) -> None:
    private(tmp_path, text)
    with pytest.raises(NeedsLogin):
        source(tmp_path).read()


def test_a_variable_that_is_named_wins(tmp_path: Path) -> None:
    private(tmp_path, "sk-file")
    assert source(tmp_path, "MY_KEY", MY_KEY="sk-variable").read() == "sk-variable"
    with pytest.raises(NeedsLogin, match="MY_KEY"):
        source(tmp_path, "MY_KEY").read()
    with pytest.raises(NeedsLogin) as caught:
        source(tmp_path, "MY_KEY", MY_KEY="sk bad").read()
    assert "sk bad" not in str(caught.value)


def test_the_usual_place_is_the_data_folder(tmp_path: Path) -> None:
    (tmp_path / "checker-key").write_text("sk-usual")
    (tmp_path / "checker-key").chmod(0o600)
    assert key_source(Checker(), tmp_path, {}).read() == "sk-usual"
    assert key_source(Checker(key_file=""), tmp_path, {}).read() is None


# ---- which adapter -----------------------------------------------------------------------------------------


def test_none_is_a_normal_state(tmp_path: Path) -> None:
    assert choose(Checker(), tmp_path, {}) is None


@pytest.mark.parametrize("name", ["anthropic:claude-haiku-4-5", "openai:gpt-6-nano", "claude:haiku"])
def test_the_setting_names_the_adapter(tmp_path: Path, name: str) -> None:
    model = choose(Checker(model=name), tmp_path, {})
    assert model is not None and model.name == name


def test_models_may_have_colons(tmp_path: Path) -> None:
    model = choose(Checker(model="openai:qwen3:4b", url="http://localhost:11434/v1"), tmp_path, {})
    assert model is not None and model.name == "openai:qwen3:4b"


def test_an_address_that_cannot_be_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotPossible):
        choose(Checker(model="openai:x", url="http://10.0.0.1/v1"), tmp_path, {})


@pytest.mark.parametrize("name", ["anthropic", "anthropic:", "mystery:x", "claude:--help", "claude:a b", "x"])
def test_a_model_that_cannot_be_stops_the_start(tmp_path: Path, name: str) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f"[checker]\nmodel = {msgspec.json.encode(name).decode()}\n")
    with pytest.raises(SettingsError, match="anthropic:MODEL"):
        load_settings(config, {})


def test_no_adapter_is_imported_before_it_is_wanted() -> None:
    import subprocess

    code = (
        "import sys, controlroom.hub.models.choose; "
        "print([n for n in sys.modules if n.startswith('controlroom.hub.models.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert not any(name in done.stdout for name in ("anthropic", "openai", "claude", "http"))

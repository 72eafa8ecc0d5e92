"""A new agent gets no model and no flags but those that the person allowed."""

from __future__ import annotations

import pytest

from controlroom.core.starts import Starts, words_of

PLAN = "--permission-mode plan"
RULES = Starts(flags=(f"claude:{PLAN}", "codex:--search"))


@pytest.mark.parametrize("model", ["", "opus", "claude-opus-4-5-20251101", "gpt-6", "opus[1m]"])
def test_any_model_may_be_named_while_none_are_listed(model: str) -> None:
    assert Starts().refuses("claude", model, ()) == ""


@pytest.mark.parametrize("model", ["--dangerously-skip-permissions", "-x", "a b", "a\nb", "x" * 101])
def test_a_model_is_never_a_flag(model: str) -> None:
    assert Starts().refuses("claude", model, ()).startswith("model:")


def test_only_listed_models() -> None:
    rules = Starts(models=("opus", "haiku"))
    assert rules.refuses("claude", "opus", ()) == rules.refuses("claude", "", ()) == ""
    assert rules.refuses("claude", "sonnet", ()) == "model: agents.models allows opus, haiku."


@pytest.mark.parametrize(
    ("kind", "flags", "is_allowed"),
    [
        ("claude", (), True),
        ("claude", (PLAN,), True),
        ("codex", ("--search",), True),
        ("codex", (PLAN,), False),
        ("claude", ("--permission-mode",), False),
        ("claude", (PLAN, "--verbose"), False),
        ("claude", (f"{PLAN} --verbose",), False),
        ("clau", (PLAN,), False),
    ],
)
def test_flags_are_passed_on_exactly_as_allowed(kind: str, flags: tuple[str, ...], is_allowed: bool) -> None:
    assert (RULES.refuses(kind, "", flags) == "") is is_allowed


def test_without_the_setting_there_are_no_flags() -> None:
    assert "(none)" in Starts().refuses("claude", "", (PLAN,))
    assert words_of((PLAN, "--search")) == ("--permission-mode", "plan", "--search")

"""Which profile is meant, and in which one an agent runs."""

from __future__ import annotations

import pytest

from controlroom.core.usage import profile_id
from controlroom.hub.errors import HubError
from controlroom.hub.operation_profiles import profile_running, profile_said
from tests.unit.hub.test_policy import profile

LINKED = profile("Linked", id=profile_id("mac_1", "claude", "/data/linked"))
FAR = profile("Far", "mac_2")
CODEX = profile("Side", kind="codex")
ALL = (profile("Work"), profile("Home"), LINKED, FAR, CODEX)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("prf_home", "prf_home"),
        ("HOME", "prf_home"),
        ("/home/kim/.claude-home", "prf_home"),
        ("/data/linked", LINKED.id),  # the real path of a link
        ("/home/kim/.claude-linked", LINKED.id),
    ],
)
def test_it_is_meant_by_id_name_or_folder(said: str, found: str) -> None:
    assert profile_said(ALL, "mac_1", "claude", said).id == found


@pytest.mark.parametrize(
    ("said", "code", "words"),
    [
        ("Far", "not_found", "there are: Work, Home, Linked."),
        ("prf_far", "bad_request", "another machine"),
        ("prf_side", "bad_request", "another kind"),
        ("Side", "not_found", "no claude profile Side"),
        ("/srv\n/x", "not_found", "/srv /x"),
    ],
)
def test_what_is_not_meant_is_said(said: str, code: str, words: str) -> None:
    with pytest.raises(HubError) as caught:
        profile_said(ALL, "mac_1", "claude", said)
    assert caught.value.code == code
    assert words in caught.value.text


def test_a_name_of_several_is_a_question() -> None:
    twice = (profile("Home"), profile("home", id="prf_2", folder="/srv/home"))
    with pytest.raises(HubError, match="say which folder: /home/kim"):
        profile_said(twice, "mac_1", "claude", "home")


def test_where_an_agent_runs() -> None:
    assert profile_running(ALL, "mac_1", "claude", "/data/linked") == LINKED
    assert profile_running(ALL, "mac_2", "claude", "/home/kim/.claude-work") is None
    assert profile_running(ALL, "mac_1", "claude", None) is None

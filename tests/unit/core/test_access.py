"""The table of rights: what it must never say."""

from __future__ import annotations

import typing

import pytest

from controlroom.core.access import API, MEANINGS, RIGHTS, Right, rule_of
from controlroom.core.rights import RELAY_RIGHTS, WEB_RIGHTS

OPEN = {
    "GET /",
    "GET /ws",
    "GET /health",
    "GET /app",
    "GET /app/{path}",
    f"GET {API}/health",
    f"POST {API}/pair",
}


def test_the_open_list_is_this_and_no_more() -> None:
    found = {subject for subject, rule in RIGHTS.items() if rule.right == "open"}
    assert found == OPEN


def test_what_gives_rights_is_the_hosts_alone() -> None:
    for subject, rule in RIGHTS.items():
        assert (rule.right == "host") == (f" {API}/host/" in subject), subject
        if "/pairing/" in subject:
            assert rule.right == "local"


def test_agents_only_read_and_ask() -> None:
    assert rule_of(f"POST {API}/questions").agents, "a question by command"
    for subject, rule in RIGHTS.items():
        if rule.agents and subject != f"POST {API}/questions" and not subject.startswith("live "):
            assert subject.startswith("GET ") and rule.right in {"open", "paired", "chat"}, subject
    assert not any(rule_of(f"live {kind}").agents for kind in ("keys", "seen"))


def test_every_right_is_explained_and_can_be_granted() -> None:
    rights = set(typing.get_args(Right))
    assert set(MEANINGS) == rights
    assert rights - {"open", "cookie", "paired", "local", "host"} == {*WEB_RIGHTS, *RELAY_RIGHTS}


def test_what_has_no_row_is_a_bug_and_never_open() -> None:
    with pytest.raises(KeyError):
        rule_of("GET /api/v1/secrets")

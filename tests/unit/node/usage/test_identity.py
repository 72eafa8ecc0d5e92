"""Whose account a folder is logged in to."""

from __future__ import annotations

import base64
import json

import msgspec
import pytest

from controlroom.node.usage.identity import claude_identity, codex_identity


def claude(**account: object) -> bytes:
    return json.dumps({"lastOnboardingVersion": "2.1.332", "oauthAccount": account}).encode()


def codex(claims: object, **tokens: object) -> bytes:
    body = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    named = {"id_token": f"e30.{body}.sig", "refresh_token": "never", "access_token": "never", **tokens}
    return json.dumps({"auth_mode": "chatgpt", "tokens": named}).encode()


CLAIMS = {
    "email": "kim@example.com",
    "https://api.openai.com/auth": {
        "chatgpt_account_id": "acct-1",
        "chatgpt_plan_type": "plus",
        "chatgpt_user_id": "user-1",
    },
}


def test_a_claude_account_is_its_account_and_its_organisation() -> None:
    one = claude_identity(claude(accountUuid="a", organizationUuid="o", emailAddress="kim@example.com"))
    two = claude_identity(claude(accountUuid="a", organizationUuid="p", emailAddress="kim@example.com"))
    assert one is not None
    assert two is not None
    assert one.id != two.id
    assert "kim" not in one.id
    assert (one.name, one.version) == ("kim@example.com", "2.1.332")


def test_an_organisation_is_named_beside_the_address_unless_it_repeats_it() -> None:
    work = claude_identity(
        claude(accountUuid="a", emailAddress="kim@example.com", organizationName="Orchard", seatTier="max")
    )
    own = claude_identity(
        claude(
            accountUuid="a", emailAddress="kim@example.com", organizationName="kim@example.com's Organization"
        )
    )
    assert work is not None
    assert own is not None
    assert (work.name, work.plan) == ("kim@example.com, Orchard", "max")
    assert own.name == "kim@example.com"


@pytest.mark.parametrize("data", [b"{}", b'{"oauthAccount":null}', b'{"oauthAccount":{"emailAddress":"x"}}'])
def test_without_a_claude_login_there_is_no_account(data: bytes) -> None:
    assert claude_identity(data) is None


def test_a_codex_account_is_its_user_and_its_workspace() -> None:
    found = codex_identity(codex(CLAIMS, account_id="acct-1"))
    assert found is not None
    assert (found.account_uuid, found.organisation_uuid) == ("user-1", "acct-1")
    assert (found.name, found.plan) == ("kim@example.com", "plus")


@pytest.mark.parametrize("token", ["", "a.b", "a.!!.c", "e30.bm8.x", 5])
def test_a_codex_token_that_cannot_be_read_leaves_the_workspace(token: object) -> None:
    data = json.dumps({"tokens": {"id_token": token, "account_id": "acct-1"}}).encode()
    if token == 5:
        with pytest.raises(msgspec.MsgspecError):
            codex_identity(data)
        return
    found = codex_identity(data)
    assert found is not None
    assert (found.organisation_uuid, found.name) == ("acct-1", "ChatGPT account")


@pytest.mark.parametrize("data", [b"{}", b'{"tokens":null,"OPENAI_API_KEY":"k"}', b'{"tokens":{}}'])
def test_an_api_key_is_no_account(data: bytes) -> None:
    assert codex_identity(data) is None


def test_names_of_accounts_are_made_safe() -> None:
    found = claude_identity(claude(accountUuid="a", emailAddress="k\x1b[31m" + "x" * 500))
    assert found is not None
    assert "\x1b" not in found.name
    assert len(found.name) <= 120

"""Whose account a config folder is logged in to, as the agents' own files say.

Claude Code: ``oauthAccount`` of ``.claude.json`` (claude-usage.md section 5). Codex: the claims of the id
token in ``auth.json``, decoded for display and not verified (codex.md section 9); no other part of that file
is looked at. Pure.
"""

from __future__ import annotations

import base64
import binascii

import msgspec

from controlroom.core.text import clean_line
from controlroom.core.usage import account_id

NAME_SHOWN = 120


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """One account. Accounts with the same pair of ids share one allowance, in whatever folders. ``version``
    is that of the program, as far as it says."""

    kind: str
    account_uuid: str
    organisation_uuid: str
    name: str
    plan: str = ""
    has_paid: bool | None = None
    version: str = ""

    @property
    def id(self) -> str:
        return account_id(self.kind, self.account_uuid, self.organisation_uuid)


class _OauthAccount(msgspec.Struct, rename="camel"):
    account_uuid: str | None = None
    organization_uuid: str | None = None
    email_address: str | None = None
    organization_name: str | None = None
    plan_display_name: str | None = None
    seat_tier: str | None = None
    has_extra_usage_enabled: bool | None = None


class _ClaudeState(msgspec.Struct, rename="camel"):
    oauth_account: _OauthAccount | None = None
    last_onboarding_version: str | None = None


class _AuthClaims(msgspec.Struct):
    chatgpt_account_id: str | None = None
    chatgpt_plan_type: str | None = None
    chatgpt_user_id: str | None = None


class _Claims(msgspec.Struct):
    email: str | None = None
    auth: _AuthClaims | None = msgspec.field(name="https://api.openai.com/auth", default=None)


class _Tokens(msgspec.Struct):
    id_token: str | None = None
    account_id: str | None = None


class _Auth(msgspec.Struct):
    tokens: _Tokens | None = None


def claude_identity(data: bytes) -> Identity | None:
    """The account of a ``.claude.json``; None without one (an API key, or nobody is signed in).

    Raises msgspec.MsgspecError when the file cannot be read.
    """
    state = msgspec.json.decode(data, type=_ClaudeState)
    account = state.oauth_account
    if account is None or not account.account_uuid:
        return None
    email, organisation = account.email_address or "", account.organization_name or ""
    # The organisation of one person carries their address in its name: said once is enough.
    names = [email, organisation if email not in organisation or not email else ""]
    return Identity(
        kind="claude",
        account_uuid=account.account_uuid,
        organisation_uuid=account.organization_uuid or "",
        name=clean_line(", ".join(filter(None, names)) or "Claude account", NAME_SHOWN),
        plan=clean_line(account.plan_display_name or account.seat_tier or "", 40),
        has_paid=account.has_extra_usage_enabled,
        version=clean_line(state.last_onboarding_version or "", 20),
    )


def codex_identity(data: bytes) -> Identity | None:
    """The account of an ``auth.json``; None without a ChatGPT login. Raises msgspec.MsgspecError."""
    tokens = msgspec.json.decode(data, type=_Auth).tokens
    if tokens is None:
        return None
    claims = _claims(tokens.id_token or "")
    auth = claims.auth or _AuthClaims()
    workspace = tokens.account_id or auth.chatgpt_account_id or ""
    if not workspace:
        return None
    return Identity(
        kind="codex",
        account_uuid=auth.chatgpt_user_id or "",
        organisation_uuid=workspace,
        name=clean_line(claims.email or "ChatGPT account", NAME_SHOWN),
        plan=clean_line(auth.chatgpt_plan_type or "", 40),
    )


def _claims(token: str) -> _Claims:
    part = token.split(".")[1] if token.count(".") == 2 else ""
    try:
        raw = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
        return msgspec.json.decode(raw, type=_Claims)
    except (binascii.Error, ValueError, msgspec.MsgspecError, RecursionError):
        return _Claims()

"""One agent as clients see it: its record, what was sighted and its facts, painted into an ``AgentState``."""

from __future__ import annotations

import msgspec

from controlroom.core.activity import Verdict, derive
from controlroom.core.attachments import split_typed
from controlroom.core.blocks import parse_reply
from controlroom.core.dialogs import dialog_id
from controlroom.core.facts import AgentFacts, Dialog
from controlroom.core.finished import Look, follow
from controlroom.node.agents.base import Sighting
from controlroom.node.journal.records import AgentRecord
from controlroom.wire.model import (
    DialogOption,
    Evidence,
    FaultInfo,
    Finished,
    LastWords,
    PaneAddress,
    WaitingFor,
    Was,
)
from controlroom.wire.node import AgentState

REPLY_LIMIT = 20_000


class Basis(msgspec.Struct, frozen=True):
    """All that a portrait is painted from, but for the time."""

    record: AgentRecord
    who: Sighting
    facts: AgentFacts
    verdict: Verdict
    branch: str | None
    is_twice: bool


class Portrait(msgspec.Struct, frozen=True):
    """The newest state of an agent and its record brought up to date."""

    record: AgentRecord
    state: AgentState
    basis: Basis


def paint(
    record: AgentRecord,
    who: Sighting,
    facts: AgentFacts,
    *,
    before: Portrait | None,
    now_ms: int,
    looked_ms: int,
    branch: str | None,
    is_twice: bool,
) -> Portrait:
    """Derive the activity, keep since when it holds, and follow the busy stretch.

    ``looked_ms`` is when the look before this one began, ``before`` its portrait (None after a start; the
    record remembers the rest). It is the answer again while nothing changed, which is nearly always: time
    alone counts in the verdict only.
    """
    verdict = derive(facts, now_ms)
    basis = Basis(record, who, msgspec.structs.replace(facts, read_at_ms=0), verdict, branch, is_twice)
    if before is not None and before.basis == basis:
        return before
    is_same = verdict.activity == record.activity and record.since_ms > 0 and not _came_back(verdict, before)
    since = record.since_ms if is_same else min(verdict.since_ms or now_ms, now_ms)
    reply = facts.reply
    stretch = follow(
        record.stretch,
        Look(
            activity=verdict.activity,
            now_ms=now_ms,
            looked_ms=looked_ms,
            since_ms=verdict.since_ms,
            is_busy=verdict.is_busy,
            session=who.session_id or "",
            turn=facts.turn.value if facts.turn else "none",
            turn_began_ms=facts.busy_since_ms,
            reply_at_ms=reply.at_ms if reply else 0,
            reply=reply.text if reply else "",
        ),
    )
    header = record.header
    if reply is not None and (status := parse_reply(reply.text).status) is not None:
        header = status
    was = _was(verdict, record, before)
    record = msgspec.structs.replace(
        record,
        activity=verdict.activity,
        since_ms=since,
        stretch=stretch,
        header=header,
        was=was,
    )
    evidence, finished = verdict.evidence, stretch.finished
    state = AgentState(
        id=record.id,
        chat_id=record.chat_id,
        name=record.name,
        kind=record.kind,
        activity=verdict.activity,
        since_ms=since,
        evidence=Evidence(
            rule=evidence.rule, source=evidence.source, detail=evidence.detail, at_ms=evidence.at_ms
        ),
        helpers=facts.helpers.value if facts.helpers else 0,
        rule=record.rule,
        mark=facts.mark,
        pane=None
        if who.pane is None
        else PaneAddress(multiplexer=who.pane.multiplexer, server=who.pane.server, id=who.pane.id),
        folder=who.folder or None,
        branch=branch,
        profile=who.profile or None,
        session_id=who.session_id,
        was=was,
        fault=_fault(facts, before, now_ms, is_twice=is_twice),
        waiting_for=_waiting_for(who, facts, verdict, before, now_ms),
        finished=None
        if finished is None
        else Finished(at_ms=finished.at_ms, busy_ms=finished.busy_ms, text=finished.text),
        header=header,
        last=LastWords(author=facts.last_author, text=_words(facts.last_text), at_ms=facts.last_at_ms)
        if facts.last_author
        else None,
        reply=reply.text[:REPLY_LIMIT] if reply else None,
        uncertain=who.uncertain or None,
        context_used_pct=facts.context_used_pct,
        model=facts.model,
        skipped=facts.skipped,
    )
    return Portrait(record, state, basis)


def _words(text: str) -> str:
    """What was said last; files that went with it are named, their paths are not."""
    own, files = split_typed(text)
    return own or ", ".join(file.name for file in files)


def _came_back(verdict: Verdict, before: Portrait | None) -> bool:
    """The same evidence began anew: between two looks the activity was left and taken up again."""
    if before is None:
        return False
    old, new = before.state.evidence, verdict.evidence
    same = (old.rule, old.source, old.detail) == (new.rule, new.source, new.detail)
    return same and new.at_ms > old.at_ms


def _was(verdict: Verdict, record: AgentRecord, before: Portrait | None) -> Was | None:
    """The last known activity, while it is unknown."""
    if verdict.activity != "unknown":
        return None
    if record.activity == "unknown":
        return record.was
    at = record.since_ms if before is None else before.state.since_ms
    return Was(activity=record.activity, at_ms=at)


def _fault(facts: AgentFacts, before: Portrait | None, now_ms: int, *, is_twice: bool) -> FaultInfo | None:
    old = before.state.fault if before else None
    if is_twice:
        since = old.since_ms if old and old.code == "session_open_twice" else now_ms
        return FaultInfo(
            code="session_open_twice",
            text="Its session is open in two processes that write into one file: close one of them.",
            since_ms=since,
        )
    if facts.fault is None:
        return None
    since = old.since_ms if old and old.code == facts.fault.code else facts.fault.since_ms
    return FaultInfo(code=facts.fault.code, text=facts.fault.text, since_ms=since)


def _waiting_for(
    who: Sighting, facts: AgentFacts, verdict: Verdict, before: Portrait | None, now_ms: int
) -> WaitingFor | None:
    if verdict.activity != "blocked":
        return None
    dialog = facts.screen.value.dialog if facts.screen else None
    if dialog is None:
        dialog = Dialog(kind="other", text=verdict.evidence.detail)
    id = dialog_id(who.incarnation, facts.position, dialog)
    old = before.state.waiting_for if before else None
    since = old.since_ms if old and old.id == id else min(verdict.since_ms or now_ms, now_ms)
    return WaitingFor(
        id=id,
        kind=dialog.kind,
        text=dialog.text,
        since_ms=since,
        options=tuple(DialogOption(key=o.key, label=o.label, risky=o.risky) for o in dialog.options) or None,
        multi=dialog.multi,
        free_text=dialog.free_text,
    )

"""The pause of everything that happens by itself. It lasts over restarts."""

from __future__ import annotations

import hashlib

from sqlalchemy import Connection

from controlroom.hub.errors import HubError
from controlroom.hub.requests import ID
from controlroom.hub.store import question_rows, request_rows
from controlroom.hub.store.store import Change, Event, Store
from controlroom.wire.codec import decode, encode
from controlroom.wire.question import Paused, PauseState, SetPause

LONGEST_WHY = 500


class Pause:
    """Whether the Control Room is paused. ``paused`` follows the events."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.paused: Paused | None = None

    async def start(self) -> None:
        self.paused, _ = await self._store.read(question_rows.pause_of)

    def event(self, event: Event) -> None:
        if event.name == "pause.changed":
            self.paused = decode(event.data, PauseState).paused

    async def set(self, body: SetPause, by: str) -> PauseState:
        """Pause, or go on. What is so already stays as it is. Raises HubError."""
        if not ID.fullmatch(body.request_id):
            raise HubError("bad_request", "request_id: up to 100 letters, digits and _ . : - are allowed.")
        why = (body.why or "").strip()[:LONGEST_WHY] or None
        digest = hashlib.sha256(encode(["pause", body])).hexdigest()

        def job(change: Change) -> PauseState:
            known = request_rows.request_row(change.connection, by, body.request_id)
            if known is not None and known.digest != digest:
                raise HubError("conflict", "This request_id was used for something else.")
            before = _state(change.connection)
            if known is not None or (before.paused is not None) == body.paused:
                return before
            paused = Paused(since_ms=change.now_ms, by=by, why=why) if body.paused else None
            question_rows.put_pause(change, paused)
            what, text = ("pause", "Paused what happens by itself") if paused else ("resume", "Went on")
            text = f"{text}: {why}" if why else f"{text}."
            request_rows.add_receipt(change, by=by, what=what, code="ok", text=text)
            state = PauseState(paused=paused)
            request_rows.add_request(change, by, body.request_id, digest, encode(state))
            change.emit("pause.changed", state)
            return state

        return await self._store.change(job)


def _state(connection: Connection) -> PauseState:
    return PauseState(paused=question_rows.pause_of(connection)[0])

"""Operations on agents (start, restart, fresh, stop, close, rename) as one pure step machine.

Theory. An operation is a list of named steps. It is never told "go on from here": each time it *looks* at the
machine as it is and decides the next effect from that alone (``decide``). What it remembers is only what
looking cannot show: how often it tried something, and since when. That memory is on disk before the effect it
announces, so a kill at any moment leaves a machine that can be looked at again::

    look -> decide -> save -> effect -> look -> ...

Every effect is safe to repeat, because the look that comes before it shows whether it happened: a new window
carries the operation's id, an ended process is seen to have ended, a name is read back. So resuming after a
kill is the same as going on. What cannot go on rolls back: the new window goes away while the old process
still lives in its place; the old process is ended only once the new window waits for that.

A new place is always a new window; the old pane goes away last, when the agent is up in the new one and
nothing else runs in the old (spikes.md section 1: a respawn can kill the whole server). A working agent
counts as up. Whatever happens to the start, the new window gets its name. A process that does not end when
it is asked is left alone, and said; a dead one is stopped already.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Kind = Literal["start", "restart", "fresh", "stop", "close", "rename"]
When = Literal["now", "idle"]
StepName = Literal["wait", "open", "stop", "start", "name", "close"]
StepState = Literal["waiting", "running", "done", "failed", "skipped"]

STEPS: dict[Kind, tuple[StepName, ...]] = {
    "start": ("open", "start", "name"),
    "restart": ("wait", "open", "stop", "start", "name", "close"),
    "fresh": ("wait", "open", "stop", "start", "name", "close"),
    "stop": ("wait", "stop"),
    "close": ("wait", "stop", "close"),
    "rename": ("name",),
}

TRIES = 3
"""How often an effect is tried that a look does not show as done."""

ASK_AGAIN_MS = 10_000  # a program that was asked to end saves its files first
END_MS = 40_000  # then it is left alone
UP_MS = 120_000  # a large conversation on a loaded machine; a prompt is seen long before


class Step(msgspec.Struct, frozen=True, kw_only=True):
    name: StepName
    state: StepState = "waiting"
    detail: str = ""
    at_ms: int = 0


class Failure(msgspec.Struct, frozen=True):
    """Why an operation ended without its aim. Codes are those of api.md, or ``startup_prompt``."""

    code: Literal["busy", "changed", "failed", "startup_prompt", "cancelled"]
    text: str


class Saga(msgspec.Struct, frozen=True, kw_only=True):
    """One operation under way: its steps, and what looking cannot show."""

    kind: Kind
    when: When
    drop: bool
    steps: tuple[Step, ...]
    state: Literal["running", "delivered", "failed"] = "running"
    failure: Failure | None = None
    is_cancelled: bool = False
    is_clearing: bool = False  # the new window has to go: the operation rolls back
    tries: dict[str, int] = {}
    asked_ms: int = 0  # when the old process was first asked to end
    started_ms: int = 0  # when the new one could begin

    @property
    def is_over(self) -> bool:
        return self.state != "running"


Place = Literal["none", "waiting", "starting", "prompt", "up", "dead"]
"""The new window: not there; its launcher waits for the old process to end; the program is coming up; it
asks something before it is up; it is up (idle or working); its program has ended."""


Leftover = Literal["none", "empty", "shared"]
"""The old pane once the old process has ended: not there; nothing of worth runs in it; other programs do."""


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """The machine as one look found it."""

    now_ms: int
    is_clear: bool = True  # False: the panes cannot be listed now, so nothing can be concluded
    is_alive: bool = False  # the agent's old process
    is_free: bool = True  # it is at its prompt, and nothing of it runs
    why_not_free: str = ""
    losses: tuple[str, ...] = ()  # what ending it now would drop
    place: Place = "none"
    words: str = ""  # the prompt, or the last words of a program that ended
    option: str | None = None  # which option of the prompt may be chosen by itself
    note: str = ""  # what is different in the new window, for people
    is_named: bool = False
    leftover: Leftover = "none"


class Wait(msgspec.Struct, frozen=True):
    """Nothing to do now: look again."""


class Open(msgspec.Struct, frozen=True):
    """Open the new window; its launcher waits until the old process has ended."""


class End(msgspec.Struct, frozen=True):
    """Ask the old process to end."""


class Choose(msgspec.Struct, frozen=True):
    """Choose this option of the prompt that was seen; it is read again before the key."""

    option: str


class Name(msgspec.Struct, frozen=True):
    """Give agent and window their name."""


class Remove(msgspec.Struct, frozen=True):
    """Remove the old pane, in which nothing runs any more."""


class Clear(msgspec.Struct, frozen=True):
    """Take the new window away, if no agent runs in it."""


class Finish(msgspec.Struct, frozen=True):
    """The operation is over."""


Effect = Wait | Open | End | Choose | Name | Remove | Clear | Finish


def begin(kind: Kind, *, when: When = "idle", drop: bool = False) -> Saga:
    """A new operation. ``drop``: with ``now``, what runs may be dropped."""
    return Saga(kind=kind, when=when, drop=drop, steps=tuple(Step(name=name) for name in STEPS[kind]))


def cancel(saga: Saga) -> Saga | None:
    """The operation as taken back; None when it has begun to act."""
    is_waiting = all(step.name == "wait" or step.state == "waiting" for step in saga.steps)
    return msgspec.structs.replace(saga, is_cancelled=True) if is_waiting and not saga.is_over else None


def decide(saga: Saga, seen: Seen) -> tuple[Saga, Effect]:
    """The next effect, and the memory that must be on disk before it. ``Finish`` ends it."""
    if saga.is_over:
        return saga, Finish()
    if not seen.is_clear:
        return saga, Wait()
    if saga.is_clearing:
        if seen.place in ("waiting", "dead") and _tried(saga, "clear") < TRIES:
            return _try(saga, "clear"), Clear()
        saga = msgspec.structs.replace(saga, is_clearing=False)
    if saga.is_cancelled and saga.failure is None:
        saga = _fail(saga, seen, "cancelled", "It was taken back.")
    while (step := _current(saga)) is not None:
        saga = _mark(saga, seen, "running", step.detail)
        before = saga
        saga, effect = _DECIDERS[step.name](saga, seen)
        if effect is not None:
            return saga, effect
        assert saga != before, "a step that has no effect is over"
        if saga.is_clearing:
            return decide(saga, seen)
    state: Literal["delivered", "failed"] = "failed" if saga.failure is not None else "delivered"
    return msgspec.structs.replace(saga, state=state), Finish()


_Decided = tuple[Saga, Effect | None]


def _wait(saga: Saga, seen: Seen) -> _Decided:
    if not seen.is_alive:
        return _done(saga, seen, "It does not run."), None
    if (failed := _would_drop(saga, seen)) is not None:
        return failed, None
    if _must_wait(saga, seen):
        return _mark(saga, seen, "running", seen.why_not_free), Wait()
    dropped = f"This drops {_listed(seen.losses)}." if seen.losses else ""
    return _done(saga, seen, dropped), None


def _open(saga: Saga, seen: Seen) -> _Decided:
    if seen.place != "none":
        return _done(saga, seen, seen.note), None
    if _tried(saga, "open") >= TRIES:
        return _fail(saga, seen, "failed", "No new window could be opened."), None
    return _try(saga, "open"), Open()


def _stop(saga: Saga, seen: Seen) -> _Decided:
    if not seen.is_alive:
        return _done(saga, seen, "" if saga.asked_ms else "It had ended already."), None
    if saga.asked_ms == 0:
        if (failed := _would_drop(saga, seen)) is not None:
            return failed, None
        if _must_wait(saga, seen):  # it has begun something since it was free
            return _mark(saga, seen, "running", seen.why_not_free), Wait()
        saga = msgspec.structs.replace(_mark(saga, seen, "running", ""), asked_ms=seen.now_ms)
        return _try(saga, "end"), End()
    waited_ms = seen.now_ms - saga.asked_ms
    if waited_ms >= END_MS:
        return _fail(saga, seen, "failed", "It was asked to end and goes on; it is left as it is."), None
    if waited_ms >= ASK_AGAIN_MS * _tried(saga, "end"):
        return _try(saga, "end"), End()
    return saga, Wait()


def _start(saga: Saga, seen: Seen) -> _Decided:
    if saga.started_ms == 0:
        saga = msgspec.structs.replace(saga, started_ms=seen.now_ms)
    match seen.place:
        case "up":
            return _done(saga, seen), None
        case "none" | "dead":
            said = f" It said: {seen.words}" if seen.words else ""
            return _fail(saga, seen, "failed", f"It ended before it was up.{said}"), None
        case "prompt":
            if seen.option is not None and _tried(saga, "choose") < TRIES:
                saga = _mark(saga, seen, "running", f"It asks: {seen.words}")
                return _try(saga, "choose"), Choose(seen.option)
            return _fail(saga, seen, "startup_prompt", f"It waits for a person: {seen.words}"), None
        case "waiting" | "starting":
            if seen.now_ms - saga.started_ms >= UP_MS:
                text = "It is not up after two minutes; it may still come up in its new window."
                return _fail(saga, seen, "failed", text), None
    return saga, Wait()


def _name(saga: Saga, seen: Seen) -> _Decided:
    if seen.is_named:
        return _done(saga, seen), None
    if _tried(saga, "name") >= TRIES:
        text = "Its window could not be renamed: it holds other panes, or its server does not answer."
        return _done(saga, seen, text), None
    return _try(saga, "name"), Name()


def _close(saga: Saga, seen: Seen) -> _Decided:
    if seen.leftover == "none":
        return _done(saga, seen), None
    if seen.leftover == "shared":
        return _done(saga, seen, "Other programs run in its old pane, so the pane stays."), None
    if _tried(saga, "remove") >= TRIES:
        return _done(saga, seen, "Its old pane could not be removed."), None
    return _try(saga, "remove"), Remove()


_DECIDERS = {"wait": _wait, "open": _open, "stop": _stop, "start": _start, "name": _name, "close": _close}


def _must_wait(saga: Saga, seen: Seen) -> bool:
    return saga.when == "idle" and not seen.is_free


def _would_drop(saga: Saga, seen: Seen) -> Saga | None:
    """The operation as refused, when it would drop what nobody allowed it to drop."""
    if saga.when == "idle" or saga.drop or not seen.losses:
        return None
    text = f"It would drop {_listed(seen.losses)}. Ask for it again with drop, or when it is idle."
    return _fail(saga, seen, "busy", text)


def _listed(losses: tuple[str, ...]) -> str:
    return " and ".join(losses)


def _current(saga: Saga) -> Step | None:
    return next((step for step in saga.steps if step.state in ("waiting", "running")), None)


def _mark(saga: Saga, seen: Seen, state: StepState, detail: str = "") -> Saga:
    """The saga with its present step in this state; its time moves only when something of it changed."""
    current = _current(saga)
    if current is None or (current.state, current.detail) == (state, detail):
        return saga
    changed = Step(name=current.name, state=state, detail=detail, at_ms=seen.now_ms)
    steps = tuple(changed if step is current else step for step in saga.steps)
    return msgspec.structs.replace(saga, steps=steps)


def _done(saga: Saga, seen: Seen, detail: str = "") -> Saga:
    return _mark(saga, seen, "done", detail)


def _fail(
    saga: Saga,
    seen: Seen,
    code: Literal["busy", "changed", "failed", "startup_prompt", "cancelled"],
    text: str,
) -> Saga:
    """The present step fails; of the others only the name is still given, to a window that has an agent."""
    saga = _mark(saga, seen, "failed", text)
    lives_there = seen.place in ("starting", "prompt", "up")
    steps = tuple(
        msgspec.structs.replace(step, state="skipped", at_ms=seen.now_ms)
        if step.state in ("waiting", "running") and not (step.name == "name" and lives_there)
        else step
        for step in saga.steps
    )
    return msgspec.structs.replace(
        saga,
        steps=steps,
        failure=Failure(code, text),
        is_clearing=seen.place in ("waiting", "dead"),
    )


def _tried(saga: Saga, what: str) -> int:
    return saga.tries.get(what, 0)


def _try(saga: Saga, what: str) -> Saga:
    return msgspec.structs.replace(saga, tries={**saga.tries, what: _tried(saga, what) + 1})

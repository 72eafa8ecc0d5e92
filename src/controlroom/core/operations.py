"""Operations on agents (start, restart, fresh, stop, close, rename, move) as one pure step machine.

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

A move ends the agent, copies its session to another profile and starts it there. Its new window waits until
it is released, and the release says where it goes: there, or, when the copy failed, back. What does not come
up there is ended, and the agent goes on where it was: the session there is never touched.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Kind = Literal["start", "restart", "fresh", "stop", "close", "rename", "move"]
When = Literal["now", "idle"]
StepName = Literal["wait", "open", "stop", "copy", "start", "back", "name", "close"]
StepState = Literal["waiting", "running", "done", "failed", "skipped"]

STEPS: dict[Kind, tuple[StepName, ...]] = {
    "start": ("open", "start", "name"),
    "restart": ("wait", "open", "stop", "start", "name", "close"),
    "fresh": ("wait", "open", "stop", "start", "name", "close"),
    "stop": ("wait", "stop"),
    "close": ("wait", "stop", "close"),
    "rename": ("name",),
    "move": ("wait", "open", "stop", "copy", "start", "name", "close"),
}
"""In their order. A move that fails after its agent was ended has ``back`` before ``name``."""

Heading = Literal["there", "back"]
"""Of a move: to the other profile, or back where it was."""

NOT_RUNNING = "It does not run."
"""Of the step *wait*: there was no agent to wait for, or to end."""

TRIES = 3
"""How often an effect is tried that a look does not show as done."""

ASK_AGAIN_MS = 10_000  # a program that was asked to end saves its files first
END_MS = 40_000  # then it is left alone
READY_MS = 30_000  # a small program that reads an environment, on a loaded machine
UP_MS = 120_000  # a large conversation on a loaded machine; a prompt is seen long before

LOST_ENVIRONMENT = (
    "It ended before its environment was read, so it begins with that of its new window and its own profile."
)


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
    opened_ms: int = 0  # when the new window was first asked for
    heading: Heading = "there"
    ran: bool = False  # the agent ran when its turn came
    abandoned_ms: int = 0  # when what did not come up there was first asked to end

    @property
    def is_over(self) -> bool:
        return self.state != "running"


Place = Literal["none", "waiting", "starting", "prompt", "up", "dead"]
"""The new window: not there; its launcher waits (for the old process to end, or for its release); the program
is coming up; it asks something before it is up; it is up (idle or working); its program has ended."""

Copied = Literal["no", "yes", "failed"]


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
    is_ready: bool = True  # the environment of the old process, if there was one, is held
    # of moves
    elsewhere: str = ""  # where else its session runs, for people
    copied: Copied = "no"
    copy_words: str = ""  # what was copied, or why not, for people
    released: tuple[Heading, ...] = ()  # where the launcher was sent


class Wait(msgspec.Struct, frozen=True):
    """Nothing to do now: look again."""


class Open(msgspec.Struct, frozen=True):
    """Open the new window; its launcher waits until the old process has ended."""


class End(msgspec.Struct, frozen=True):
    """Ask the old process to end."""


class Copy(msgspec.Struct, frozen=True):
    """Copy the session into the other profile."""


class Release(msgspec.Struct, frozen=True):
    """Send the launcher on its way."""

    heading: Heading


class Abandon(msgspec.Struct, frozen=True):
    """Ask what did not come up in the new window to end."""


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


Effect = Wait | Open | End | Copy | Release | Abandon | Choose | Name | Remove | Clear | Finish


def begin(kind: Kind, *, when: When = "idle", drop: bool = False) -> Saga:
    """A new operation. ``drop``: with ``now``, what runs may be dropped."""
    return Saga(kind=kind, when=when, drop=drop, steps=tuple(Step(name=name) for name in STEPS[kind]))


def nothing_to_do(saga: Saga, now_ms: int, text: str) -> Saga:
    """The operation as over without an act: what was asked for is so already."""
    first, *others = saga.steps
    return msgspec.structs.replace(
        saga,
        state="delivered",
        steps=(
            msgspec.structs.replace(first, state="done", detail=text, at_ms=now_ms),
            *(msgspec.structs.replace(step, state="skipped", at_ms=now_ms) for step in others),
        ),
    )


def given_up(saga: Saga, now_ms: int, text: str) -> Saga:
    """The operation as failed at its present step, with nothing more to be done."""
    seen = Seen(now_ms=now_ms)
    saga = _skip_rest(_mark(saga, seen, "failed", text), seen)
    return msgspec.structs.replace(saga, state="failed", failure=Failure("failed", text), is_clearing=False)


def noted(saga: Saga, text: str) -> Saga:
    """The operation with a sentence more at its last step."""
    last = saga.steps[-1]
    said = msgspec.structs.replace(last, detail=" ".join(filter(None, (last.detail, text))))
    return msgspec.structs.replace(saga, steps=(*saga.steps[:-1], said))


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
    if saga.kind == "move" and seen.elsewhere:
        text = f"Its session also runs {seen.elsewhere}. End it there first."
        return _fail(saga, seen, "busy", text), None
    if not seen.is_alive:
        return _done(saga, seen, NOT_RUNNING), None
    saga = msgspec.structs.replace(saga, ran=True)
    if (failed := _would_drop(saga, seen)) is not None:
        return failed, None
    if _must_wait(saga, seen):
        return _mark(saga, seen, "running", seen.why_not_free), Wait()
    dropped = f"This drops {_listed(seen.losses)}." if seen.losses else ""
    return _done(saga, seen, dropped), None


def _open(saga: Saga, seen: Seen) -> _Decided:
    if seen.place == "none":
        if _tried(saga, "open") >= TRIES:
            return _fail(saga, seen, "failed", "No new window could be opened."), None
        return _try(msgspec.structs.replace(saga, opened_ms=seen.now_ms), "open"), Open()
    if seen.is_ready or not seen.is_alive:
        return _done(saga, seen, seen.note if seen.is_ready else LOST_ENVIRONMENT), None
    if seen.place == "dead" or seen.now_ms - saga.opened_ms >= READY_MS:
        return _fail(saga, seen, "failed", f"The new window is of no use. {seen.words}".rstrip()), None
    return saga, Wait()


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


def _copy(saga: Saga, seen: Seen) -> _Decided:
    if seen.copied == "yes":
        return _done(saga, seen, seen.copy_words), None
    if seen.copied == "failed":
        return _fail(saga, seen, "failed", seen.copy_words), None
    if seen.elsewhere:
        return _fail(saga, seen, "busy", f"Its session also runs {seen.elsewhere}."), None
    if _tried(saga, "copy") >= TRIES:
        return _fail(saga, seen, "failed", "Copying its session broke off again and again."), None
    return _try(saga, "copy"), Copy()


def _start(saga: Saga, seen: Seen) -> _Decided:
    if saga.started_ms == 0:
        saga = msgspec.structs.replace(saga, started_ms=seen.now_ms)
    if saga.kind == "move" and seen.place == "waiting" and saga.heading not in seen.released:
        return _release(saga, seen)
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
            if saga.kind == "move" and saga.heading == "there":
                return _fail(saga, seen, "failed", f"There it asks what is for a person: {seen.words}"), None
            return _fail(saga, seen, "startup_prompt", f"It waits for a person: {seen.words}"), None
        case "waiting" | "starting":
            if seen.now_ms - saga.started_ms >= UP_MS:
                text = "It is not up after two minutes"
                text += "." if saga.kind == "move" else "; it may still come up in its new window."
                return _fail(saga, seen, "failed", text), None
    return saga, Wait()


def _release(saga: Saga, seen: Seen) -> _Decided:
    what = f"release {saga.heading}"
    if _tried(saga, what) >= TRIES:
        return _fail(saga, seen, "failed", "Its new window could not be told to go on."), None
    return _try(saga, what), Release(saga.heading)


def _back(saga: Saga, seen: Seen) -> _Decided:
    """What came up there, or did not, goes away first; then the agent is started where it was."""
    is_there = "there" in seen.released and not _tried(saga, "open back")
    if seen.place in ("starting", "prompt", "up") and is_there:
        return _abandon(saga, seen)
    is_useless = is_there or not saga.ran or (seen.place == "dead" and "back" not in seen.released)
    if seen.place in ("waiting", "dead") and is_useless:
        if _tried(saga, "clear back") >= TRIES:
            return _fail(saga, seen, "failed", "The new window could not be removed."), None
        return _try(saga, "clear back"), Clear()
    if not saga.ran:
        return _skip_rest(
            _is_back(saga, seen, "It did not run before, and is left where it was."), seen
        ), None
    if seen.place == "none":
        if _tried(saga, "open back") >= TRIES:
            return _fail(saga, seen, "failed", "No new window could be opened."), None
        return _try(saga, "open back"), Open()
    if seen.place == "up":
        return _is_back(saga, seen, "It goes on where it was."), None
    return _start(saga, seen)


def _is_back(saga: Saga, seen: Seen, text: str) -> Saga:
    assert saga.failure is not None
    failure = Failure(saga.failure.code, f"{saga.failure.text} {text}")
    return msgspec.structs.replace(_done(saga, seen, text), failure=failure)


def _abandon(saga: Saga, seen: Seen) -> _Decided:
    if saga.abandoned_ms == 0:
        return _try(msgspec.structs.replace(saga, abandoned_ms=seen.now_ms), "abandon"), Abandon()
    waited_ms = seen.now_ms - saga.abandoned_ms
    if waited_ms >= END_MS:
        return _fail(
            saga, seen, "failed", "The new window's program does not end; it is left as it is."
        ), None
    if waited_ms >= ASK_AGAIN_MS * _tried(saga, "abandon"):
        return _try(saga, "abandon"), Abandon()
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


_DECIDERS = {
    "wait": _wait,
    "open": _open,
    "stop": _stop,
    "copy": _copy,
    "start": _start,
    "back": _back,
    "name": _name,
    "close": _close,
}


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
    """The present step fails; of the others only the name is still given, to a window that has an agent. A
    move whose agent has ended goes back first."""
    if (
        saga.kind == "move"
        and saga.heading == "there"
        and not seen.is_alive
        and saga.steps[0].state == "done"
    ):
        return _turn_back(saga, seen, Failure(code, text))
    saga = _mark(saga, seen, "failed", text)
    if saga.failure is not None:  # the way back
        code, text = saga.failure.code, f"{saga.failure.text} Back where it was: {text}"
    lives_there = seen.place in ("starting", "prompt", "up")
    return msgspec.structs.replace(
        _skip_rest(saga, seen, but="name" if lives_there else None),
        failure=Failure(code, text),
        is_clearing=seen.place in ("waiting", "dead"),
    )


def _skip_rest(saga: Saga, seen: Seen, *, but: StepName | None = None) -> Saga:
    steps = tuple(
        msgspec.structs.replace(step, state="skipped", at_ms=seen.now_ms)
        if step.state in ("waiting", "running") and step.name != but
        else step
        for step in saga.steps
    )
    return msgspec.structs.replace(saga, steps=steps)


def _turn_back(saga: Saga, seen: Seen, failure: Failure) -> Saga:
    """The agent is to go on where it was: then the steps are not over, but the move has failed."""
    saga = _mark(saga, seen, "failed", failure.text)
    steps = [step for step in saga.steps if step.name not in ("name", "close")]
    ended = (
        msgspec.structs.replace(step, state="skipped", at_ms=seen.now_ms) if step.state == "waiting" else step
        for step in steps
    )
    return msgspec.structs.replace(
        saga,
        steps=(*ended, Step(name="back"), Step(name="name"), Step(name="close")),
        failure=failure,
        heading="back",
        started_ms=0,
    )


def _tried(saga: Saga, what: str) -> int:
    return saga.tries.get(what, 0)


def _try(saga: Saga, what: str) -> Saga:
    return msgspec.structs.replace(saga, tries={**saga.tries, what: _tried(saga, what) + 1})

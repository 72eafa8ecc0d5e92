"""One message typed into an agent's composer: what to do next, and what may be called delivered.

Theory. The only lasting memory is the *intent*: it is stored (effect ``Save``) before anything of the message
is typed, and a restarted run gets nothing else. The machine asks for one effect at a time and gets one event.

1. Look. May it go now? Held (``working``, ``dialog``, ``draft``, ``startup``, ``gone``, ``offline``) costs
   nothing: nothing was typed. A draft is waited for, cleared line by line, or written behind.
2. Store the intent with ``pasted``, look again, paste in one piece.
3. Watch: search the agent's own file and queue behind the intent's position, look at the composer, wait.
   A row is ``delivered``. A row of the agent's queue is held ``in_agents_queue``, and the intent says so:
   what stands in the composer later was taken back by a person, who may be editing it. The end of patience is
   ``unconfirmed``, or held while something (a dialog, a turn that began) stands between us and the composer.
4. When the composer shows our whole text and nothing forbids it: store the intent with one more ``entered``,
   look again, press Enter as an act of its own. Once more when the text still stands there long after; in a
   run that looks for the message of an earlier run, only once.
5. An act that was not done after all (what was seen changed, the pane is another's) is taken out of the
   intent again.

``Sending.phase`` names the question that was asked last; a run begins at 1, or at 3 when its intent says that
the text was (or may have been) pasted.

What must never happen: a second paste of a message (an intent with ``pasted`` is only searched for); Enter
without a look right before it that shows our whole text and no dialog; ``delivered`` without a row; an
unseen composer taken for an empty one; a run that ends without saying where the message is.
What cannot be avoided: a dialog that opens in the milliseconds between a look and the key that follows.

The shell (``node.agents.typing``) re-checks right before each act that the pane still holds the agent, and
answers ``NotDone`` when it does not.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from controlroom.core.delivery import WAITS, AgentNow, HeldCode, Intent, OnDraft, Outcome, SendWhen, Trace
from controlroom.core.facts import Composer, ScreenReading
from controlroom.core.text import clean_line

# --- effects and events ------------------------------------------------------------------------------


class Look(msgspec.Struct, frozen=True):
    """Read the agent's evidence and its screen freshly. ``expected`` is what ``Looked.holds`` is about."""

    expected: str


class Locate(msgspec.Struct, frozen=True):
    """Ask for the session and position that the message can only stand behind."""


class Save(msgspec.Struct, frozen=True):
    """Store the intent; answered when it is on disk."""

    intent: Intent


class Paste(msgspec.Struct, frozen=True):
    """Type this text as one bracketed paste."""

    text: str


class Submit(msgspec.Struct, frozen=True):
    """Press the key that submits, for an agent that is in this state now."""

    now: AgentNow


class ClearLine(msgspec.Struct, frozen=True):
    """Clear one line of the composer (Ctrl-U). ``to_end``: press End first."""

    to_end: bool = False


class Search(msgspec.Struct, frozen=True):
    """Look for the message behind the intent's position."""

    intent: Intent


class Wait(msgspec.Struct, frozen=True):
    """Let the program react."""

    seconds: float


class Finish(msgspec.Struct, frozen=True):
    """The run is over."""

    outcome: Outcome


Effect = Look | Locate | Save | Paste | Submit | ClearLine | Search | Wait | Finish


class Looked(msgspec.Struct, frozen=True, kw_only=True):
    """``alive``: the pane still holds the agent. ``screen`` None: it cannot be read now. ``holds``: the
    composer shows the expected text whole, and nothing else. ``draft_is_command``: the composer's own
    text would run as a command when it is submitted."""

    alive: bool
    now: AgentNow
    screen: ScreenReading | None
    holds: bool = False
    draft_is_command: bool = False


class Located(msgspec.Struct, frozen=True):
    session_id: str | None
    position: str


class Done(msgspec.Struct, frozen=True):
    """A ``Save``, ``Wait`` or act was done, or an act may have been (the multiplexer broke off)."""


class NotDone(msgspec.Struct, frozen=True):
    """An act was certainly not done: the pane does not hold the agent any more."""


Event = Looked | Located | Done | NotDone | Trace


# --- the machine -------------------------------------------------------------------------------------

APPEAR_S = 3.0  # a paste of 60 kB is drawn within one second; Codex may take 1.5 s after a resume
CONFIRM_S = 8.0  # a row is written at submit, within 0.1 s; a loaded machine may take seconds
GIVE_UP_S = 12.0  # our text came and went in the composer for so long: nothing more is pressed
AGAIN_S = 1.5  # our text still in the composer so long after Enter: the key was swallowed
POLL_S = 0.15
REDRAW_S = 0.05
MAX_CLEARS = 400  # lines of a draft; more is no draft
DRAFT_SHOWN = 160  # characters of a draft in the reason why a message waits
MAX_STUCK = 4  # looks without a change after Ctrl-U

FirstPhase = Literal[
    "looking",
    "locating",
    "keeping_draft",
    "looking_before_clear",
    "clearing",
    "redrawing",
    "looking_for_clear",
]
PastePhase = Literal["marking", "looking_before_paste", "pasting"]
WatchPhase = Literal["waiting", "searching", "watching", "queueing"]
EnterPhase = Literal["entering", "looking_before_enter", "submitting"]
Phase = FirstPhase | PastePhase | WatchPhase | EnterPhase | Literal["unmarking", "over"]


class Sending(msgspec.Struct, frozen=True, kw_only=True):
    """One run for one message. ``text`` is exactly what is typed; ``intent`` is what was stored last."""

    text: str
    phase: Phase
    command: bool = False
    when: SendWhen = "idle"
    on_draft: OnDraft = "wait"
    intent: Intent | None = None
    draft: Composer | None = None  # what stood in the composer at the first look
    resumed: bool = False
    entered: int = 0  # presses in this run
    waited: float = 0.0  # patience used since the paste, the start of a resumed run, or the first Enter
    entered_at: float = 0.0  # ``waited`` at the last press
    looked_at: float = 0.0  # ``waited`` at the last look while watching
    is_readable: bool = True  # the last search could read the agent's file
    is_last_search: bool = False  # the agent is gone: what its file says now is all it will ever say
    clears: int = 0
    stuck: int = 0  # looks without a change after a clear
    ends_as: Outcome | None = None  # how the run ends once the intent is stored without the act

    @property
    def expected(self) -> str:
        """What the composer shows once the text is pasted."""
        return (self.intent.draft if self.intent is not None else "") + self.text


Step = tuple[Sending, Effect]
_with = msgspec.structs.replace


def start(
    text: str,
    *,
    command: bool = False,
    when: SendWhen = "idle",
    on_draft: OnDraft = "wait",
    intent: Intent | None = None,
) -> Step:
    """Begin a run. ``intent`` is what an earlier run stored last, if any."""
    if intent is not None and intent.pasted:
        run = Sending(
            text=intent.text, phase="searching", command=command, when=when, intent=intent, resumed=True
        )
        return run, Search(intent)
    run = Sending(text=text, phase="looking", command=command, when=when, on_draft=on_draft)
    if not text.strip():
        return _end(run, Outcome(state="failed", text="There is nothing in it that can be typed."))
    return run, Look(run.expected)


def step(run: Sending, event: Event) -> Step:
    """The next effect after one event. Raises ValueError for an event that nothing asked for."""
    match run.phase, event:
        case "looking", Looked():
            return _first_look(run, event)
        case "locating", Located():
            return _located(run, event)
        case "keeping_draft", Done():
            return _with(run, phase="looking_before_clear"), Look(run.expected)
        case "looking_before_clear", Looked():
            return _before_clear(run, event)
        case "clearing", Done():
            return _with(run, phase="redrawing"), Wait(REDRAW_S)
        case "clearing", NotDone():
            return _end(run, _GONE)
        case "redrawing", Done():
            return _with(run, phase="looking_for_clear"), Look(run.expected)
        case "looking_for_clear", Looked():
            return _cleared(run, event)
        case "marking", Done():
            return _with(run, phase="looking_before_paste"), Look(run.expected)
        case "looking_before_paste", Looked():
            return _before_paste(run, event)
        case "pasting", Done():
            return _with(run, phase="waiting"), Wait(REDRAW_S)
        case "pasting", NotDone():
            return _unmark_paste(run, _GONE)
        case "waiting", Done():
            return _with(run, phase="searching"), Search(_stored(run))
        case "searching", Trace():
            return _searched(run, event)
        case "watching", Looked():
            return _watched(run, event)
        case "queueing", Done():
            return _end(run, _QUEUED)
        case "entering", Done():
            return _with(run, phase="looking_before_enter"), Look(run.expected)
        case "looking_before_enter", Looked():
            return _before_enter(run, event)
        case "submitting", Done():
            return _submitted(run)
        case "submitting", NotDone():
            return _unmark_enter(run, None)
        case "unmarking", Done():
            return _wait(run) if run.ends_as is None else _end(run, run.ends_as)
    raise ValueError(f"nothing asked for {type(event).__name__} in {run.phase}")


# --- 1. may it go now? -------------------------------------------------------------------------------


def _first_look(run: Sending, seen: Looked) -> Step:
    if (held := _forbids(seen, run.when)) is not None:
        return _end(run, held)
    composer = _composer(seen)
    if not _is_empty(composer):
        if run.on_draft == "wait":
            return _end(run, _held("draft", f"Its input line holds an unsent text: {_quoted(composer)}"))
        if run.on_draft == "after" and (composer.collapsed or run.command or seen.draft_is_command):
            return _end(run, _held("draft", "It cannot stand behind the unsent text in its input line."))
        run = _with(run, draft=composer)
        if run.on_draft == "after":
            run = _with(run, text="\n" + run.text)
    return _with(run, phase="locating"), Locate()


def _forbids(seen: Looked, when: SendWhen) -> Outcome | None:
    """What is against typing or submitting now, None when nothing is."""
    if not seen.alive:
        return _GONE
    screen = seen.screen
    if screen is None:
        return _held("offline", "Its screen cannot be read now.")
    if screen.look == "startup" or seen.now == "starting":
        return _held("startup")
    if _is_covered(screen) or seen.now == "waiting":
        return _held("dialog")
    if seen.now == "unknown":
        return _held("working", "Whether it is idle cannot be told now.")
    if seen.now == "working" and when == "idle":
        return _held("working")
    if screen.composer is None:
        return _held("dialog", "Its input line cannot be seen now.")
    return None


def _composer(seen: Looked) -> Composer:
    assert seen.screen is not None and seen.screen.composer is not None  # ``_forbids`` said so
    return seen.screen.composer


def _is_empty(composer: Composer) -> bool:
    return not composer.text.strip() and not composer.collapsed


def _located(run: Sending, at: Located) -> Step:
    draft = "" if run.draft is None else run.draft.text
    intent = Intent(session_id=at.session_id, position=at.position, text=run.text, draft=draft)
    if run.draft is not None and run.on_draft == "replace":
        return _with(run, intent=intent, phase="keeping_draft"), Save(intent)
    return _mark(_with(run, intent=intent))


def _before_clear(run: Sending, seen: Looked) -> Step:
    """The first key needs a look of its own: since the one before it, files were read and written."""
    if (held := _forbids(seen, run.when)) is not None:
        return _end(run, held)
    if _composer(seen) != run.draft:
        return _end(run, _held("draft", "Somebody writes in its input line."))
    return _with(run, phase="clearing"), ClearLine()


def _cleared(run: Sending, seen: Looked) -> Step:
    if (held := _forbids(seen, run.when)) is not None:
        return _end(run, held)
    composer = _composer(seen)
    if _is_empty(composer):
        return _mark(_with(run, intent=_with(_stored(run), draft=""), draft=None))
    stuck = run.stuck + 1 if composer == run.draft else 0
    if stuck >= MAX_STUCK or run.clears >= MAX_CLEARS:
        return _end(run, _held("draft", "The unsent text in its input line could not be cleared."))
    run = _with(run, phase="clearing", draft=composer, stuck=stuck, clears=run.clears + 1)
    return run, ClearLine(to_end=stuck > 0)


# --- 2. the paste ------------------------------------------------------------------------------------


def _mark(run: Sending) -> Step:
    intent = _with(_stored(run), pasted=True)
    return _with(run, intent=intent, phase="marking"), Save(intent)


def _before_paste(run: Sending, seen: Looked) -> Step:
    if (held := _forbids(seen, run.when)) is not None:
        return _unmark_paste(run, held)
    composer = _composer(seen)
    if composer != run.draft if run.draft is not None else not _is_empty(composer):
        return _unmark_paste(run, _held("draft", "Somebody writes in its input line."))
    return _with(run, phase="pasting"), Paste(run.text)


def _unmark_paste(run: Sending, ends_as: Outcome) -> Step:
    intent = _with(_stored(run), pasted=False)
    return _with(run, intent=intent, phase="unmarking", ends_as=ends_as), Save(intent)


# --- 3. watching -------------------------------------------------------------------------------------


def _wait(run: Sending) -> Step:
    return _with(run, phase="waiting", waited=run.waited + POLL_S), Wait(POLL_S)


def _is_over(run: Sending) -> bool:
    return run.waited >= (CONFIRM_S if run.entered or run.resumed else APPEAR_S)


def _searched(run: Sending, trace: Trace) -> Step:
    if trace.state == "row":
        return _end(run, Outcome(state="delivered", item_id=trace.item_id, at_ms=trace.at_ms))
    if trace.state == "queued":
        if _stored(run).queued:
            return _end(run, _QUEUED)
        intent = _with(_stored(run), queued=True)
        return _with(run, intent=intent, phase="queueing"), Save(intent)
    if run.is_last_search:
        return _end(run, _unconfirmed("The agent ended before its file showed the message."))
    if run.entered and run.waited - run.looked_at < AGAIN_S and not _is_over(run):
        return _wait(run)
    return _with(run, phase="watching", is_readable=trace.state != "unreadable"), Look(run.expected)


def _watched(run: Sending, seen: Looked) -> Step:
    run = _with(run, looked_at=run.waited)
    if not seen.alive:
        return _with(run, phase="searching", is_last_search=True), Search(_stored(run))
    forbidden = _forbids(seen, run.when)
    if seen.holds and _stored(run).queued:
        return _end(run, _held("draft", "It was taken out of the agent's queue into its input line."))
    if seen.holds and forbidden is None and _may_enter(run):
        intent = _with(_stored(run), entered=_stored(run).entered + 1)
        return _with(run, intent=intent, phase="entering"), Save(intent)
    if _is_over(run) or (not run.entered and _stands_between(seen, forbidden)):
        return _conclude(run, seen, forbidden)
    return _wait(run)


def _may_enter(run: Sending) -> bool:
    if not run.entered:
        return run.waited < GIVE_UP_S
    return run.entered == 1 and not run.resumed and run.waited - run.entered_at >= AGAIN_S


def _stands_between(seen: Looked, forbidden: Outcome | None) -> bool:
    """A dialog or a start-up prompt is open, or a turn began while our text stands in the composer."""
    if forbidden is None or seen.screen is None:
        return False
    if forbidden.code == "working":
        return seen.holds and seen.now == "working"
    return _is_covered(seen.screen) or seen.now in ("waiting", "starting")


def _is_covered(screen: ScreenReading) -> bool:
    return screen.look in ("dialog", "startup") or screen.dialog is not None


def _conclude(run: Sending, seen: Looked, forbidden: Outcome | None) -> Step:
    """Held as long as looking again later can still tell; else only a person can."""
    if forbidden is not None and (forbidden.code != "working" or (seen.holds and not run.entered)):
        return _end(run, forbidden)
    if not run.is_readable:
        return _end(run, _unconfirmed("The agent's own file cannot be read."))
    if seen.holds:
        return _end(run, _unconfirmed("It stands in the input line; the agent did not take it."))
    if not run.entered and not run.resumed:
        return _end(run, _unconfirmed("It did not appear whole in the agent's input line."))
    return _end(run, _unconfirmed("The agent's own file does not show it."))


# --- 4. Enter ----------------------------------------------------------------------------------------


def _before_enter(run: Sending, seen: Looked) -> Step:
    forbidden = _forbids(seen, run.when)
    if seen.holds and forbidden is None:
        return _with(run, phase="submitting"), Submit(seen.now)
    return _unmark_enter(run, forbidden if not run.entered and _stands_between(seen, forbidden) else None)


def _submitted(run: Sending) -> Step:
    waited = run.waited if run.entered else 0.0
    run = _with(
        run, entered=run.entered + 1, waited=waited, entered_at=waited, looked_at=waited, phase="waiting"
    )
    return run, Wait(REDRAW_S)


def _unmark_enter(run: Sending, ends_as: Outcome | None) -> Step:
    intent = _with(_stored(run), entered=_stored(run).entered - 1)
    return _with(run, intent=intent, phase="unmarking", ends_as=ends_as), Save(intent)


# --- ends --------------------------------------------------------------------------------------------


def _quoted(composer: Composer) -> str:
    """What stands in a composer, for people: a person decides what becomes of it."""
    return f"“{clean_line(composer.text, DRAFT_SHOWN)}”"


def _held(code: HeldCode, text: str = "") -> Outcome:
    return Outcome(state="held", code=code, text=text or WAITS[code])


_GONE = _held("gone", "The agent does not run in its pane now.")
_QUEUED = _held("in_agents_queue")


def _unconfirmed(text: str) -> Outcome:
    return Outcome(state="unconfirmed", text=text)


def _stored(run: Sending) -> Intent:
    assert run.intent is not None  # only a run that has stored one gets here
    return run.intent


def _end(run: Sending, outcome: Outcome) -> Step:
    return _with(run, phase="over"), Finish(outcome)

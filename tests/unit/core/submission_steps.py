"""Words for the playbooks of one typed message."""

from __future__ import annotations

from controlroom.core.delivery import AgentNow, Intent, SendWhen, Trace
from controlroom.core.facts import Composer, Dialog, ScreenReading
from controlroom.core.submission import (
    Done,
    Event,
    Finish,
    Locate,
    Located,
    Look,
    Looked,
    Save,
    Search,
    Step,
    Wait,
    start,
    step,
)

READY = ScreenReading(look="ready", composer=Composer(""))
DIALOG = ScreenReading(look="dialog", dialog=Dialog(kind="permission", text="Run it?"))
NONE = Trace(state="none")
MARKED = Intent(session_id="s", position="7", text="hello", pasted=True)


def saw(
    composer: str | None = "",
    *,
    now: AgentNow = "idle",
    holds: bool = False,
    alive: bool = True,
    collapsed: bool = False,
    is_command: bool = False,
) -> Looked:
    screen = ScreenReading(
        look="ready" if composer is not None else "other",
        composer=None if composer is None else Composer(composer, collapsed),
    )
    return Looked(alive=alive, now=now, screen=screen, holds=holds, draft_is_command=is_command)


OURS = saw("hello", holds=True)
COVERED = Looked(alive=True, now="waiting", screen=DIALOG)


def again(intent: Intent = MARKED) -> Step:
    """A run right after a kill."""
    return until(start("hello", intent=intent), Search)


def until(at: Step, kind: type, *events: Event) -> Step:
    """Answer with these events in turn, then say what the last effect is."""
    run, effect = at
    for event in events:
        run, effect = step(run, event)
    assert isinstance(effect, kind), effect
    return run, effect


def pasted(text: str = "hello", when: SendWhen = "idle") -> Step:
    """A run right after its paste."""
    located = until(start(text, when=when), Locate, saw(now="idle" if when == "idle" else "working"))
    marked = until(located, Save, Located("s", "7"))
    return until(marked, Wait, Done(), saw(now="idle" if when == "idle" else "working"), Done())


def patient(at: Step, looked: Looked, trace: Trace = NONE) -> Finish:
    """Answer every search and look the same until the run is over."""
    run, effect = at
    for _ in range(400):
        match effect:
            case Finish():
                return effect
            case Search():
                run, effect = step(run, trace)
            case Look():
                run, effect = step(run, looked)
            case _:
                run, effect = step(run, Done())
    raise AssertionError("never over")

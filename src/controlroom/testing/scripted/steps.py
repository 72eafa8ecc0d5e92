"""What a scripted agent does, as data: the scenes of the demo and the commands of a test.

A turn is a prompt and steps; its last ``say`` ends it. Nothing here depends on time unless a step says so:
``pause`` lets the demo look alive, ``hold`` waits until a test says ``go``.
"""

from __future__ import annotations

import msgspec


class Step(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", tag=str.lower):
    """Base of all steps; on the wire ``{"do": "say", …}``."""


class Say(Step, frozen=True, kw_only=True):
    """Words of the agent. ``{prompt}`` stands for the prompt of this turn."""

    text: str


class Think(Step, frozen=True, kw_only=True):
    text: str


class Use(Step, frozen=True, kw_only=True):
    """A tool call. ``ask``: a permission dialog comes first and the tool runs only when it is allowed."""

    name: str
    input: dict[str, str]
    output: str = ""
    failed: bool = False
    ask: bool = False
    pause_s: float = 0.0


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    label: str
    description: str = ""


class Ask(Step, frozen=True, kw_only=True):
    """A question picker with one question."""

    header: str
    question: str
    options: tuple[Choice, ...]


class Pause(Step, frozen=True, kw_only=True):
    seconds: float


class Hold(Step, frozen=True, kw_only=True):
    """Work until the command ``go`` comes (or the turn is interrupted)."""


class Helper(msgspec.Struct, frozen=True, kw_only=True):
    kind: str
    description: str


class Helpers(Step, frozen=True, kw_only=True):
    """Start helpers in the background; they run until ``helper_done``."""

    helpers: tuple[Helper, ...]


class Limit(Step, frozen=True, kw_only=True):
    """The turn ends at a usage limit; the agent waits for its reset by itself and asks nothing."""

    resets: str = "1:06pm"
    resets_at_s: int = 1_796_043_962


class Loop(Step, frozen=True, kw_only=True):
    """These steps again and again, until the turn is interrupted."""

    steps: tuple[AnyStep, ...]


AnyStep = Say | Think | Use | Ask | Pause | Hold | Helpers | Limit | Loop


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    prompt: str
    steps: tuple[AnyStep, ...]


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """One agent's part. ``turns`` are played at the start; ``reply`` answers every later prompt."""

    name: str
    folder: str = "orchard"
    turns: tuple[Turn, ...] = ()
    reply: tuple[AnyStep, ...] = (Say(text="Understood: {prompt}"),)
    refuses_in: str = ""  # the name of a config folder in which it finds no session, and ends at once
    asks_in: str = ""  # the name of one in which it asks something that only a person may answer
    animated: bool = False  # the spinner turns, as in the real program; still frames are kinder to tests


class Go(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", tag="go"):
    """End the ``hold`` that runs now."""


class Begin(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", tag="turn"):
    """A turn as if a person had typed its prompt."""

    turn: Turn


class HelperDone(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", tag="helper_done"):
    """The helper with this description ends; a turn of the agent's own follows."""

    description: str
    result: str


class Quit(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", tag="quit"):
    """End cleanly, as after /exit."""


Command = Go | Begin | HelperDone | Quit

decode_command = msgspec.json.Decoder(Command).decode
decode_scene = msgspec.json.Decoder(Scene).decode

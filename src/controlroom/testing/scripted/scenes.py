"""The scenes of ``controlroom demo``: one agent in each state that a person should know."""

from __future__ import annotations

from controlroom.testing.scripted.steps import (
    Ask,
    Choice,
    Helper,
    Helpers,
    Limit,
    Loop,
    Pause,
    Say,
    Scene,
    Think,
    Turn,
    Use,
)

REPLY = (
    Think(text="A message from the control room. I am only a script, so I answer in a friendly way."),
    Pause(seconds=2),
    Use(name="Bash", input={"command": "git status --short", "description": "See what changed"}, pause_s=1),
    Pause(seconds=1),
    Say(text="Thank you, I got it: {prompt}\n\nI am a scripted agent, so that is all I can do with it."),
)


def demo_scenes() -> tuple[Scene, ...]:
    """All agents of the demo, in the order in which they start."""
    return (
        _idle(),
        _working(),
        _permission(),
        _question(),
        _picker(),
        _helpers(),
        _finished(),
        _limit(),
    )


def _scene(name: str, folder: str, *turns: Turn) -> Scene:
    return Scene(name=name, folder=folder, turns=turns, reply=REPLY, animated=True)


def _idle() -> Scene:
    steps = (
        Use(name="Read", input={"file_path": "orchard/api.py"}, output="def trees(): ..."),
        Say(text="The API lists all trees. Tell me when you want the next endpoint."),
    )
    return _scene("orchard-api", "orchard", Turn(prompt="What does the API do so far?", steps=steps))


def _working() -> Scene:
    work = (
        Think(text="Next file: which crates can be merged?"),
        Pause(seconds=4),
        Use(name="Read", input={"file_path": "sorter/crates.py"}, output="class Crate: ...", pause_s=3),
        Say(text="The size check is written twice; I will merge it."),
        Pause(seconds=5),
        Use(
            name="Edit",
            input={
                "file_path": "sorter/crates.py",
                "old_string": "if size > 40:\n    return BIG\n",
                "new_string": "return size_class(size)\n",
            },
            pause_s=4,
        ),
        Use(
            name="Bash",
            input={"command": "python3 -m pytest -q sorter", "description": "Run the sorter's tests"},
            output="42 passed in 3.1s",
            pause_s=6,
        ),
        Pause(seconds=3),
    )
    return _scene(
        "crate-sorter", "sorter", Turn(prompt="Tidy the sorter, file by file.", steps=(Loop(steps=work),))
    )


def _permission() -> Scene:
    steps = (
        Say(text="The report is written. I need to replace the old one."),
        Use(
            name="Bash",
            input={
                "command": "rm -r reports/october && python3 -m inventory.report > reports/november.txt",
                "description": "Replace last month's inventory report",
            },
            output="",
            ask=True,
            pause_s=2,
        ),
        Say(
            text="Result: The November report is in place.\n"
            "Changed: reports/november.txt\n"
            "Checked: the totals match."
        ),
    )
    return _scene("inventory", "inventory", Turn(prompt="Make the November report.", steps=steps))


def _question() -> Scene:
    steps = (
        Use(
            name="Bash",
            input={"command": "python3 labels.py --preview", "description": "Preview the labels"},
            output="120 labels, 2 pages",
        ),
        Say(
            text="The label printer can go out today.\n\n"
            "Question for Founder: Ship the label printer today?\n"
            "- Ship today: tag v1.0 and print the first batch (recommended)\n"
            "- Wait: hold until the review on Thursday\n"
            "  Default: I will ship today by tomorrow 18:00\n"
            "  Context: Tests pass. The review is only about the colours."
        ),
    )
    return _scene("label-printer", "labels", Turn(prompt="Is the label printer ready?", steps=steps))


def _picker() -> Scene:
    steps = (
        Say(text="Before I write the plan I need one choice from you."),
        Ask(
            header="Fruit",
            question="Which fruit should we harvest first?",
            options=(
                Choice(label="Pears (Recommended)", description="They bruise soonest"),
                Choice(label="Plums", description="Smaller crop, one morning"),
                Choice(label="Apples", description="Can wait two weeks"),
            ),
        ),
        Pause(seconds=1),
        Say(text="Thanks, I will start with that."),
    )
    return _scene("harvest-plan", "harvest", Turn(prompt="Draft the harvest plan.", steps=steps))


def _helpers() -> Scene:
    steps = (
        Say(text="I will ask three helpers to count in parallel."),
        Helpers(
            helpers=(
                Helper(kind="general-purpose", description="Count pears"),
                Helper(kind="Explore", description="Count plums"),
                Helper(kind="Explore", description="Count apples"),
            )
        ),
        Say(text="Status: three helpers count the fruit"),
    )
    return _scene("fruit-count", "orchard", Turn(prompt="Count all fruit.", steps=steps))


def _finished() -> Scene:
    steps = (
        Think(text="The gallery is slow because every picture is loaded at once."),
        Pause(seconds=6),
        Use(
            name="Write", input={"file_path": "site/gallery.js", "content": "// loads on demand\n"}, pause_s=2
        ),
        Pause(seconds=2),
        Say(
            text="Result: The gallery opens in 0.4 s instead of 3 s.\n"
            "Changed: site/gallery.js loads pictures when they come into view\n"
            "Checked: 3 phones, slow network\n"
            "Not done: old browsers still load all pictures\n"
            "Look at: http://localhost:8080/gallery"
        ),
    )
    return _scene("pear-site", "site", Turn(prompt="Make the gallery quick.", steps=steps))


def _limit() -> Scene:
    return _scene(
        "night-batch", "batch", Turn(prompt="Go on with the batch.", steps=(Pause(seconds=2), Limit()))
    )

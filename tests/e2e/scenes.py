"""Scripted agents for the browser tests: small ones, each in one state."""

from __future__ import annotations

from controlroom.testing.scripted.steps import AnyStep, Ask, Choice, Hold, Say, Scene, Turn, Use

READY = Turn(prompt="Are you there?", steps=(Say(text="I am here."),))


def scene(name: str, prompt: str, *steps: AnyStep) -> Scene:
    """An agent that plays one turn at its start."""
    return Scene(name=name, folder=name, turns=(Turn(prompt=prompt, steps=steps),))


def run(command: str, why: str = "Do it") -> Use:
    """A command that the agent asks for."""
    return Use(name="Bash", input={"command": command, "description": why}, output="ok", ask=True)


def idle(name: str = "orchard") -> Scene:
    """An agent that has answered once and answers every prompt at once."""
    return Scene(name=name, folder=name, turns=(READY,))


def busy(name: str = "sorter") -> Scene:
    """An agent that works until it is told to go on."""
    return scene(name, "Sort it.", Hold(), Say(text="Sorted."))


def permission(name: str = "inventory", command: str = "make report") -> Scene:
    """An agent that asks before it runs a command."""
    use = run(command, "Make the report")
    return scene(name, "Report.", use, Say(text="The report is made."))


def picker(name: str = "harvest") -> Scene:
    """An agent that lets the person choose."""
    options = (Choice(label="Pears", description="They bruise."), Choice(label="Apples, then plums: both"))
    ask = Ask(header="Fruit", question="Which fruit first?", options=options)
    return scene(name, "Plan.", ask, Say(text="Planned."))


def asking(name: str, *lines: str) -> Scene:
    """An agent that ends its reply with a question in these lines, and goes on with whatever it is told."""
    words = "\n".join(("I looked at it.", "", *lines))
    turns = (Turn(prompt="Look.", steps=(Say(text=words),)),)
    return Scene(name=name, folder=name, turns=turns, reply=(Say(text="I go on with it."),))

"""One story that the hub and the web app must tell alike: a fleet, events, and the fleet after them.

``python -m tests.unit.hub.sync_case`` writes it to ``tests/fixtures/live/sync.json``, where the app's tests
read it.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from controlroom.hub.store.store import Event
from controlroom.wire.client import (
    Ack,
    FromServer,
    ItemsFrame,
    Ping,
    Proof,
    Refused,
    Resync,
    ScreenFrame,
    Welcome,
)
from controlroom.wire.codec import encode
from controlroom.wire.device import Device
from controlroom.wire.events import AccountGone, AgentGone, ChatHidden, ChatItems, DeviceGone
from controlroom.wire.model import (
    Agent,
    DialogOption,
    Evidence,
    Finished,
    Fleet,
    Item,
    Machine,
    Message,
    Receipt,
    ScreenCursor,
    WaitingFor,
)
from controlroom.wire.notification import Notification
from controlroom.wire.operation import Operation, OperationArgs, OperationStep
from controlroom.wire.question import Paused, PauseState, Question, QuestionOption, QuestionStep
from controlroom.wire.usage import Account

FILE = Path(__file__).parents[2] / "fixtures" / "live" / "sync.json"


def _agent(number: int, **more: object) -> Agent:
    agent = Agent(
        id=f"agt_{number}",
        chat_id=f"cht_{number}",
        name=f"orchard-{number}",
        kind="claude",
        machine_id="mac_1",
        activity="idle",
        since_ms=1_000,
        evidence=Evidence(rule="prompt", source="screen", detail="❯", at_ms=1_000),
        helpers=0,
        unread=0,
    )
    return msgspec.structs.replace(agent, **more)


def _machine(number: int, **more: object) -> Machine:
    machine = Machine(
        id=f"mac_{number}",
        name=f"barn-{number}",
        primary=number == 1,
        online=True,
        last_seen_ms=1_000,
        version="0.1.0",
        capabilities=("items",),
    )
    return msgspec.structs.replace(machine, **more)


def _notification() -> Notification:
    """The app keeps none of it: whoever looks at them asks."""
    return Notification(
        id="ntf_1",
        kind="question",
        state="pushed",
        began_ms=1_000,
        at_ms=1_000,
        title="orchard-1 asks",
        text="Which tree?",
        why="It was told at once.",
        open="inbox/q_1",
    )


def _waiting() -> WaitingFor:
    options = (
        DialogOption(key="1", label="Yes", risky=True),
        DialogOption(key="2", label="No", risky=False),
    )
    return WaitingFor(id="wai_1", kind="permission", text="rm -r pears", since_ms=2_000, options=options)


START = Fleet(seq=40, machines=(_machine(1), _machine(2)), agents=(_agent(1), _agent(2)))

_MESSAGE = Message(
    id="msg_1",
    chat_id="cht_1",
    agent_id="agt_1",
    text="Good morning",
    state="accepted",
    when="idle",
    created_at_ms=2_000,
    changed_at_ms=2_000,
)
_DEVICE = Device(
    id="dev_1",
    prefix="abcdefgh",
    kind="web",
    name="Phone",
    device_id="web_1",
    created_ms=1_000,
    last_seen_ms=1_000,
    expires_ms=None,
    grants={"chat": None},
)
_RECEIPT = Receipt(seq=48, id="rct_1", at_ms=2_000, by="host", what="keys", code="ok", text="Pressed y.")
_QUESTION = Question(
    id="q_1",
    agent_id="agt_1",
    chat_id="cht_1",
    state="open",
    source="block",
    question="Pick the pears?",
    options=(QuestionOption(key="1", label="Yes"),),
    multi=False,
    blocking=False,
    asked_at_ms=2_000,
    history=(QuestionStep(state="open", at_ms=2_000, by="agent:agt_1", why="Asked."),),
)

_OPERATION = Operation(
    id="op_1",
    seq=1,
    kind="stop",
    machine_id="mac_1",
    state="delivered",
    steps=(OperationStep(name="stop", state="done", at_ms=2_000),),
    args=OperationArgs(),
    why="The harvest is over.",
    by="host",
    created_at_ms=1_000,
    changed_at_ms=2_000,
    agent_id="agt_1",
)

_ACCOUNT = Account(id="acc_1", kind="claude", name="Orchard", login="ok", profiles=("prf_1",), windows=())

_TOLD: tuple[tuple[str, msgspec.Struct], ...] = (
    ("agent.changed", _agent(1, activity="blocked", waiting_for=_waiting(), since_ms=2_000)),
    ("machine.changed", _machine(2, online=False)),
    ("agent.changed", _agent(3, activity="working", unread=2)),
    ("message.changed", _MESSAGE),
    ("agent.gone", AgentGone(id="agt_2", chat_id="cht_2")),
    ("chat.items", ChatItems(chat_id="cht_1", agent_id="agt_1", after=None, count=1, last="…")),
    ("chat.hidden", ChatHidden(chat_id="cht_1", agent_id="agt_1", is_hidden=True, item_id="itm_1")),
    ("receipt.added", _RECEIPT),
    ("question.changed", _QUESTION),
    ("notification.changed", _notification()),
    ("pause.changed", PauseState(paused=Paused(since_ms=2_000, by="host", why="Harvest"))),
    ("operation.changed", _OPERATION),
    ("account.changed", _ACCOUNT),
    ("account.gone", AccountGone(id="acc_1")),
    ("device.changed", _DEVICE),
    ("device.gone", DeviceGone(id="dev_1")),
    ("agent.changed", _agent(1, finished=Finished(at_ms=3_000, busy_ms=900, text="Result: picked"))),
    ("machine.changed", _machine(3)),
)

EVENTS = tuple(
    Event(START.seq + number, 2_000 + number, name, encode(data))
    for number, (name, data) in enumerate(_TOLD, start=1)
)

FRAMES: tuple[FromServer, ...] = (
    Welcome(seq=40, protocol=1, server_time_ms=5_000, version="0.1.0"),
    Resync(fleet=START),
    ItemsFrame(chat_id="cht_1", items=(Item(id="itm_1", at_ms=1, kind="assistant", text="hello"),)),
    ScreenFrame(
        agent_id="agt_1",
        revision="r1",
        width=80,
        height=24,
        cursor=ScreenCursor(row=0, column=0, visible=True),
        data="\x1b[?2026h",
    ),
    Ack(request_id="req_1"),
    Ping(),
    Proof(seq=40, server_time_ms=5_000),
    Refused(code="locked", text="Unlock this device."),
)


def document(end: Fleet) -> bytes:
    """The story as the app's tests read it: frames as the texts that go over the socket."""
    story = {
        "start": START,
        "events": [event.frame.decode() for event in EVENTS],
        "end": end,
        "frames": [encode(frame).decode() for frame in FRAMES],
    }
    return msgspec.json.format(encode(story), indent=1) + b"\n"


if __name__ == "__main__":
    from controlroom.hub.fleet_view import FleetView

    view = FleetView(START.seq, START.machines, START.agents)
    for each in EVENTS:
        view.apply(each)
    FILE.write_bytes(document(view.fleet()))

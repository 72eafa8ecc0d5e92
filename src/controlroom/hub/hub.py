"""The hub, put together: opened in order, closed in reverse."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import msgspec
import structlog
from aiohttp import web

from controlroom import __version__
from controlroom.core.limiter import Limiter
from controlroom.core.rights import is_active
from controlroom.hub.accounts import Accounts
from controlroom.hub.acts import Acts
from controlroom.hub.api.app import make_app
from controlroom.hub.api.callers import SocketCallers
from controlroom.hub.api.device_app import door_routes
from controlroom.hub.api.live import LiveClients
from controlroom.hub.api.parts import Parts
from controlroom.hub.api.served import body_limit
from controlroom.hub.api.terminals import TerminalSockets
from controlroom.hub.channels.proactive import PhoneMail
from controlroom.hub.channels.services import Services
from controlroom.hub.channels.subscriptions import Subscriptions
from controlroom.hub.channels.ways import Ways
from controlroom.hub.chat_finder import ChatFinder
from controlroom.hub.chats import Chats
from controlroom.hub.checker import Checker
from controlroom.hub.courier import Courier
from controlroom.hub.credit import CreditGuard
from controlroom.hub.devices import DeviceBook
from controlroom.hub.fleet import Follower, all_away
from controlroom.hub.fleet_view import FleetView
from controlroom.hub.glance import GlanceBook
from controlroom.hub.hidden import Hiding
from controlroom.hub.invitations import LinkOnly
from controlroom.hub.messages import Messages
from controlroom.hub.mirror import Mirror
from controlroom.hub.nodes import Node, Nodes
from controlroom.hub.notifications import NotificationBook
from controlroom.hub.notify_sight import Sight
from controlroom.hub.operations import OperationBook
from controlroom.hub.passkeys import Passkeys
from controlroom.hub.policy import reserve_of
from controlroom.hub.policy_desk import PolicyDesk, account_of, place_of
from controlroom.hub.ports import Callers, HostTerminals, Invitations, NodeLink
from controlroom.hub.postman import Postman
from controlroom.hub.questions import Questions
from controlroom.hub.receipts import ReceiptBook
from controlroom.hub.requests import Requests
from controlroom.hub.store import fleet_rows, identity_rows, policy_rows
from controlroom.hub.store.chat_rows import ChatRow
from controlroom.hub.store.store import Change, Store
from controlroom.hub.unlocks import Unlocks
from controlroom.hub.uploads import Uploads
from controlroom.kit.clock import Clock
from controlroom.kit.health import HealthBoard
from controlroom.kit.home import Home
from controlroom.kit.http import serve_unix
from controlroom.kit.settings import Settings
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.supervise import Tasks
from controlroom.wire.client import Status
from controlroom.wire.model import Fleet, Health, Item, Machine
from controlroom.wire.node import AgentState, ReplyAsks
from controlroom.wire.usage import UsageState

_log = structlog.get_logger("hub")

PRUNE_EVERY_S = 3600.0
SETTLE_S = 2.0  # a node that lives has told its first snapshot by then
STOP_S = 5.0  # for requests that are under way


class Hub:
    """One hub over these nodes. The first link is the primary machine's.

    The caller holds the lock of the data folder, and serves ``door_routes`` at ``url``.
    """

    def __init__(
        self,
        settings: Settings,
        home: Home,
        store: Store,
        links: Sequence[NodeLink],
        callers: Callers,
        clock: Clock,
        health: HealthBoard,
        invitations: Invitations | None = None,
        limiter: Limiter | None = None,
        url: str = "",
    ) -> None:
        self._settings = settings
        self._home = home
        self._store = store
        self._links = links
        self._callers = callers
        self._clock = clock
        self._health = health
        self._invitations = invitations
        self._limiter = limiter or Limiter()
        self._nodes = Nodes()
        self._tasks = Tasks("hub")
        self._closers: list[Callable[[], Awaitable[None]]] = []
        self._settled = asyncio.Event()
        self._started_at_ms = clock.now_ms()
        self.url = url

    async def start(self) -> None:
        """Open the store, follow the nodes, and serve. Raises SchemaTooNew, DatabaseTrouble."""
        try:
            await self._start()
        except BaseException:
            await self.aclose()
            raise

    async def _start(self) -> None:
        store, clock, nodes = self._store, self._clock, self._nodes
        self._closers.append(store.aclose)
        await store.start()
        await store.change(all_away)
        self.devices = DeviceBook(store, clock)
        await self.devices.start()
        self._closers.append(self.devices.aclose)
        self.unlocks = Unlocks(clock)
        self.devices.on_end(lambda device_id, _why: self.unlocks.forget(device_id))
        subscriptions = Subscriptions(store, self.devices, clock, Services(self._home.path).targets)
        await subscriptions.start()
        self.ways = Ways(
            subscriptions,
            PhoneMail(store, subscriptions, clock),
            self.devices,
            self._settings.push,
            self._home,
            clock,
        )
        self._closers.append(self.ways.aclose)
        glances = GlanceBook(store, clock)
        await glances.start()
        self._hub_id = await store.change(identity_rows.hub_id)
        self._view = await store.read(
            lambda c: FleetView(
                store.seq,
                [row.machine for row in fleet_rows.machine_rows(c)],
                fleet_rows.listed_agents(c),
            )
        )
        self._chats = Chats(store, nodes, self._push_items, self._took)
        await self._chats.start()
        self._closers.append(self._chats.aclose)
        limits = self._settings.limits
        uploads = Uploads(store, self._home.path / "uploads", limits.upload_bytes, limits.message_bytes)
        self._closers.append(uploads.aclose)
        await uploads.start()
        self._courier = Courier(store, nodes, uploads, self._health)
        self._closers.append(self._courier.aclose)
        receipts = ReceiptBook(store, clock)
        self.acts = Acts(
            self._view,
            nodes,
            Requests(store),
            receipts,
            clock,
            only_devices_answer=self._settings.policy.blocking_answers == "devices",
            may_answer=self._may_answer,
        )
        messages = Messages(store, nodes, self._courier, limits.message_bytes)
        policy = self._settings.policy
        self._accounts = Accounts(store, nodes, clock, partial(reserve_of, policy))
        await self._accounts.start()
        self._operations = OperationBook(store, nodes, messages, self._health, self._accounts.profiles)
        self._courier.hears_operations(self._operations)
        self._operations.start()
        self._closers.append(self._operations.aclose)
        self._questions = Questions(
            store,
            clock,
            nodes=nodes,
            messages=messages,
            acts=self.acts,
            receipts=receipts,
            is_read=self._chats.is_read,
            only_devices_answer=self._settings.policy.blocking_answers == "devices",
        )
        self._closers.append(self._questions.aclose)
        credit = CreditGuard(
            store,
            clock,
            self._questions.steps,
            agent_of=self._view.agent,
            place_of=partial(place_of, self._accounts),
            account_of=partial(account_of, self._accounts),
        )
        self._operations.guarded_by(credit)
        self._courier.guarded_by(credit)
        self.policy = PolicyDesk(
            store,
            clock,
            fleet=self.fleet,
            accounts=self._accounts,
            operations=self._operations,
            credit=credit,
            is_paused=lambda: self._questions.paused is not None,
            reconsider=self._reconsider,
            settings=policy,
        )
        self.mirror = Mirror(self._view, nodes, self._health)
        self._closers.append(self.mirror.aclose)
        self._live = LiveClients(
            store=store,
            fleet=self.fleet,
            chats=self._chats,
            acts=self.acts,
            mirror=self.mirror,
            receipts=receipts,
            clock=clock,
        )
        self._terminals = TerminalSockets(self.devices, receipts)
        store.subscribe(self._view.apply)
        store.subscribe(self._live.event)
        store.subscribe(self._chats.event)
        store.subscribe(messages.event)
        store.subscribe(self._operations.event)
        store.subscribe(self._courier.event)
        store.subscribe(self.policy.event)
        await self._questions.start(self._health)
        self._checker = Checker(
            store=store,
            chats=self._chats,
            questions=self._questions,
            agent=self._view.agent,
            settings=self._settings.checker,
            home=self._home.path,
            clock=clock,
            health=self._health,
        )
        await self._checker.start()
        store.subscribe(self._checker.event)
        postman = Postman(store, self.ways, clock, self._health)
        self._closers.append(postman.aclose)
        await postman.start()
        sight = Sight(
            fleet=self.fleet,
            health=self._troubles,
            is_open=self._live.is_open,
            acts=self.acts,
            book=subscriptions,
            devices=self.devices,
            clock=clock,
        )
        self.notifications = NotificationBook(store, clock, sight, postman, self._settings.notify)
        await self.notifications.start(self._questions.open)
        self.devices.on_end(self._live.end_device)
        self.unlocks.on_lock(self._live.device_changed)
        self.unlocks.on_lock(lambda device: self._terminals.poke(device.id))
        self.devices.on_change(self._live.device_changed)
        self.devices.on_end(lambda device_id, _why: self._terminals.poke(device_id))
        self.devices.on_change(lambda device: self._terminals.poke(device.id))
        self.devices.connected(self._live.device_ids)
        self._closers.append(self._tasks.aclose)
        for number, link in enumerate(self._links):
            follower = Follower(
                link, is_primary=number == 0, store=store, nodes=nodes, clock=clock, listener=self
            )
            self._tasks.supervise(f"node {number}", follower.run, self._health)
        self._tasks.supervise("devices", self.devices.run, self._health)
        self._tasks.supervise("ends of devices", self.devices.tell_ends, self._health)
        self._tasks.supervise("prune", self._prune_for_ever, self._health)
        self._tasks.supervise("checker", self._checker.run, self._health)
        self._tasks.supervise("accounts", self._accounts.run, self._health)
        self._tasks.supervise("policy", self.policy.run, self._health)
        self._tasks.supervise("notifications", self.notifications.run, self._health)
        self._tasks.supervise("postman", postman.run, self._health)
        self._parts = Parts(
            fleet=self.fleet,
            status=self.status,
            store=store,
            chats=self._chats,
            finder=ChatFinder(store, nodes, self._chats),
            uploads=uploads,
            hiding=Hiding(store, nodes),
            messages=messages,
            acts=self.acts,
            questions=self._questions,
            operations=self._operations,
            accounts=self._accounts,
            policy=self.policy.report,
            notifications=self.notifications,
            receipts=receipts,
            live=self._live,
            devices=self.devices,
            ways=self.ways,
            glances=glances,
            unlocks=self.unlocks,
            passkeys=Passkeys(store, self.devices, self.unlocks, clock),
            invitations=self._invitations or LinkOnly(lambda: self.url),
            limiter=self._limiter,
            clock=clock,
        )
        await self._serve(self._parts)

    def door_routes(self, terminals: HostTerminals | None = None) -> list[web.RouteDef]:
        """The API for paired devices, to be mounted on the doors; only after ``start``. ``terminals``: the
        shells of this machine, None when devices cannot have any."""
        self._terminals.over = terminals
        return door_routes(self._parts, self._terminals, self._hub_id)

    @property
    def body_limit(self) -> int:
        """The largest body that a route of ``door_routes`` takes, in bytes."""
        return body_limit(self._settings.limits.message_bytes)

    async def say_good_bye(self) -> None:
        """End the live sockets and the terminals; clients come again by themselves."""
        await self._live.aclose()
        await self._terminals.aclose()

    async def _serve(self, parts: Parts) -> None:
        app = make_app(parts, SocketCallers(self._callers), self._settings.limits.message_bytes)
        inner = _runner(app)
        await inner.setup()
        self._closers.append(inner.cleanup)
        self._closers.append(self._live.aclose)
        self._closers.append(self._remove_socket)
        await serve_unix(inner, self._home.socket)

    def _reconsider(self) -> None:
        self._operations.reconsider()
        self._courier.reconsider()

    def _may_answer(self, by: str) -> bool:
        device = self.devices.get(by.removeprefix("device:"))
        return device is not None and is_active(device.grants, "answers", self._clock.now_ms())

    async def _remove_socket(self) -> None:
        self._home.socket.unlink(missing_ok=True)  # the folder's lock is held: it is ours

    async def aclose(self) -> None:
        """Close in reverse order of opening; a failure is logged and the rest goes on."""
        while self._closers:
            closer = self._closers.pop()
            try:
                await closer()
            except Exception as error:  # noqa: BLE001 - the others must be closed too
                _log.error("closing failed", part=getattr(closer, "__qualname__", "?"), exc_info=error)

    async def settled(self) -> bool:
        """Wait (not long) until the first node has told its agents; whether it has."""
        try:
            async with asyncio.timeout(SETTLE_S):
                await self._settled.wait()
        except TimeoutError:
            return False
        return True

    # ---- what it shows ---------------------------------------------------------------------------------

    def fleet(self) -> Fleet:
        return self._view.fleet(self._freshened)

    def _freshened(self, machine: Machine) -> Machine:
        """Freshness is outside the events on purpose: it changes all the time."""
        node = self._nodes.get(machine.id)
        if node is None or not machine.online:
            return machine
        return msgspec.structs.replace(machine, last_seen_ms=node.last_seen_ms, load=node.load)

    def _troubles(self) -> tuple[Health, ...]:
        own = tuple(
            Health(code=item.code, title=item.title, since_ms=item.since_ms, do=item.do)
            for item in self._health.items
        )
        # In one process hub and node share a board: the same trouble is told once.
        known = {(item.code, item.title) for item in own}
        theirs = tuple(
            item for node in self._nodes.all() for item in node.health if (item.code, item.title) not in known
        )
        return own + theirs

    def status(self) -> Status:
        machines, agents = self._view.counts
        return Status(
            url=self.url,
            version=__version__,
            pid=os.getpid(),
            started_at_ms=self._started_at_ms,
            machines=machines,
            agents=agents,
            health=self._troubles(),
            paused=self._questions.paused,
            checker=self._checker.state(),
        )

    # ---- what it hears of nodes ------------------------------------------------------------------------

    def met(self, node: Node) -> None:
        self._courier.met(node)
        self._operations.met(node)

    def snapshot(self, node: Node, states: Sequence[AgentState]) -> None:
        self._chats.snapshot(node, states)
        self._questions.snapshot(node, states)
        self._settled.set()

    def usage(self, node: Node, usage: UsageState) -> None:
        self._accounts.snapshot(node, usage)

    def flipped(self, node: Node) -> None:
        self._courier.flipped(node)

    def _took(
        self,
        change: Change,
        chat: ChatRow,
        node: Node,
        items: Sequence[Item],
        asks: Sequence[ReplyAsks],
        is_first: bool,
    ) -> None:
        self._questions.took(change, chat, node, items, asks, is_first)

    def _push_items(self, chat_id: str, items: tuple[Item, ...]) -> None:
        self._live.items(chat_id, items)

    async def _prune_for_ever(self) -> None:
        while True:
            try:
                await self._store.prune()
                await self._store.change(policy_rows.forget_old)
            except DatabaseTrouble as error:  # the database shows it in Health
                _log.warning("cannot prune", error=str(error))
            await asyncio.sleep(PRUNE_EVERY_S)


def _runner(app: web.Application) -> web.AppRunner:
    return web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=STOP_S)

"""Typed calls of the hub's REST API, over its Unix socket or over the network to one that we logged in to."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from types import TracebackType
from typing import Literal, TypeVar
from urllib.parse import quote

import aiohttp
import msgspec

from controlroom.client.addresses import first_that_answers
from controlroom.client.answers import answered
from controlroom.client.errors import CannotReach, Refused, cannot_reach
from controlroom.client.live import Live
from controlroom.client.logins import Login
from controlroom.wire.client import (
    Accepted,
    AnswerDialog,
    Done,
    Interrupt,
    OpenHealth,
    PatchAgent,
    PatchMessage,
    PressKeys,
    Receipts,
    SendMessage,
    Status,
)
from controlroom.wire.codec import encode
from controlroom.wire.device import (
    ApprovePairing,
    Device,
    DeviceList,
    ExtendDevice,
    Invitation,
    MintPairing,
    PairingCode,
    Pairings,
    PatchDevice,
)
from controlroom.wire.glance import GlanceToken, GlanceTokens, MakeGlanceToken
from controlroom.wire.model import Agent, Fleet, Items, Message, Screen, Scrollback
from controlroom.wire.notification import (
    Notification,
    Notifications,
    NotificationSettings,
    PatchNotificationSettings,
    SnoozeNotifications,
)
from controlroom.wire.operation import AskOperation, Operation, Operations, UndoOperation
from controlroom.wire.policy import PolicyReport
from controlroom.wire.push import PushTested
from controlroom.wire.question import (
    AnswerQuestion,
    AskQuestion,
    CloseQuestion,
    PauseState,
    Question,
    Questions,
    SetPause,
)
from controlroom.wire.usage import Account, Profile, ReadingAsked, UsageBy, UsageReport

T = TypeVar("T")
QuestionAct = Literal["skip", "dismiss", "undo", "reopen"]

API = "http://localhost/api/v1"  # the host of a Unix socket is only a word
CONNECT_S = 5.0  # a local socket answers at once or not at all; a network has a few tries
ANSWER_S = 60.0  # an answer to a dialog waits for the agent's own reaction


class HubClient:
    """The hub behind ``control.sock``, or behind a login. Use it as ``async with HubClient(where) as hub``.

    Every call raises CannotReach when no hub answers there, and Refused with the hub's code and sentence. A
    hub elsewhere is dialled on entering, which raises CannotReach too.
    """

    def __init__(self, where: Path | Login) -> None:
        self._where = where
        self._name = str(where) if isinstance(where, Path) else where.name
        self._api = API
        self._headers: dict[str, str] = {}
        self._session: aiohttp.ClientSession | None = None
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> HubClient:
        timeout = aiohttp.ClientTimeout(total=ANSWER_S, connect=CONNECT_S)
        if isinstance(self._where, Path):
            connector = aiohttp.UnixConnector(path=str(self._where))
            session = aiohttp.ClientSession(connector=connector, timeout=timeout)
            self._session = await self._stack.enter_async_context(session)
            return self
        dialled = first_that_answers(self._where.addresses, timeout)
        address, self._session = await self._stack.enter_async_context(dialled)
        self._name = address.url
        self._api = f"{address.url}/api/v1"
        self._headers = {"Authorization": f"Bearer {self._where.token}"}
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    # ---- the house -------------------------------------------------------------------------------------

    async def health(self) -> OpenHealth:
        return await self._get("/health", OpenHealth)

    async def status(self) -> Status:
        """What runs there, and what troubles it."""
        return await self._get("/status", Status)

    async def fleet(self) -> Fleet:
        return await self._get("/fleet", Fleet)

    async def receipts(self, after: int = 0) -> Receipts:
        """Receipts with ``seq`` > ``after``, oldest first, at most one page."""
        return await self._get("/receipts", Receipts, after=after)

    async def newest_receipts(self, before: int | None = None, limit: int = 100) -> Receipts:
        """The newest receipts with ``seq`` < ``before``, oldest first; ``more``: older ones follow."""
        return await self._get("/receipts", Receipts, before=2**62 if before is None else before, limit=limit)

    # ---- widgets ---------------------------------------------------------------------------------------

    async def glance_tokens(self) -> GlanceTokens:
        return await self._get("/glance-tokens", GlanceTokens)

    async def make_glance_token(self, name: str) -> GlanceToken:
        """On the hub's own machine alone."""
        return await self._call("POST", "/host/glance-tokens", MakeGlanceToken(name=name), GlanceToken)

    async def remove_glance_token(self, id_: str) -> GlanceTokens:
        return await self._call("DELETE", f"/glance-tokens/{_part(id_)}", None, GlanceTokens)

    # ---- devices ---------------------------------------------------------------------------------------

    async def devices(self) -> DeviceList:
        return await self._get("/devices", DeviceList)

    async def patch_device(self, device: str, patch: PatchDevice) -> Device:
        return await self._call("PATCH", f"/devices/{_part(device)}", patch, Device)

    async def revoke_device(self, device: str) -> Device:
        """It is out at once."""
        return await self._call("DELETE", f"/devices/{_part(device)}", None, Device)

    async def pair(self, wish: MintPairing) -> Invitation:
        """Host-only: a pairing code, and every way to use it."""
        return await self._call("POST", "/host/pair", wish, Invitation)

    async def pairings(self) -> Pairings:
        """Host-only: phones that wait for approval."""
        return await self._get("/host/pairings", Pairings)

    async def approve_pairing(self, approval: ApprovePairing) -> PairingCode:
        """Host-only: let in the phone that shows this code."""
        return await self._call("POST", "/host/pairings/approve", approval, PairingCode)

    async def extend_device(self, device: str, extension: ExtendDevice) -> Device:
        """Host-only: a device's time and rights anew."""
        return await self._call("POST", f"/host/devices/{_part(device)}/extend", extension, Device)

    # ---- chats and messages ----------------------------------------------------------------------------

    async def items(
        self, chat_id: str, *, before: str | None = None, after: str | None = None, limit: int | None = None
    ) -> Items:
        """A page of a chat, oldest first; the newest page without a cursor."""
        return await self._get(
            f"/chats/{_part(chat_id)}/items", Items, before=before, after=after, limit=limit
        )

    async def agent_items(
        self, agent_id: str, *, before: str | None = None, after: str | None = None, limit: int | None = None
    ) -> Items:
        """The same of an agent's present chat."""
        return await self._get(
            f"/agents/{_part(agent_id)}/chat", Items, before=before, after=after, limit=limit
        )

    async def send(self, agent_id: str, message: SendMessage) -> Accepted:
        """Store a message for an agent. The same id again (same text) is the same message."""
        return await self._call("POST", f"/agents/{_part(agent_id)}/messages", message, Accepted)

    async def send_to_chat(self, chat_id: str, message: SendMessage) -> Accepted:
        return await self._call("POST", f"/chats/{_part(chat_id)}/messages", message, Accepted)

    async def message(self, message_id: str) -> Message:
        return await self._get(f"/messages/{_part(message_id)}", Message)

    async def patch_message(self, message_id: str, patch: PatchMessage) -> Message:
        """Change a message that has not been typed yet; Refused ``conflict`` after."""
        return await self._call("PATCH", f"/messages/{_part(message_id)}", patch, Message)

    async def cancel_message(self, message_id: str) -> Message:
        """Take back a message that has not been typed yet; Refused ``conflict`` after."""
        return await self._call("DELETE", f"/messages/{_part(message_id)}", None, Message)

    # ---- usage -----------------------------------------------------------------------------------------

    async def accounts(self) -> tuple[Account, ...]:
        """All accounts with their windows."""
        return await self._get("/accounts", tuple[Account, ...])

    async def read_accounts(self) -> ReadingAsked:
        """Have all machines read again what accounts have left."""
        return await self._call("POST", "/accounts/read", None, ReadingAsked)

    async def profiles(self) -> tuple[Profile, ...]:
        """The config folders of agents, on all machines."""
        return await self._get("/profiles", tuple[Profile, ...])

    async def usage(self, by: UsageBy = "agent") -> UsageReport:
        """What agents used."""
        return await self._get("/usage", UsageReport, by=by)

    async def policy(self) -> PolicyReport:
        """On which account each agent should be now, and why."""
        return await self._get("/policy", PolicyReport)

    # ---- notifications ---------------------------------------------------------------------------------

    async def notifications(
        self,
        *,
        before: str | None = None,
        limit: int | None = None,
        agent_id: str | None = None,
        question_id: str | None = None,
    ) -> Notifications:
        """What was sent or not, the newest first."""
        return await self._get(
            "/notifications",
            Notifications,
            before=before,
            limit=limit,
            agent=agent_id,
            question=question_id,
        )

    async def notification(self, notification_id: str) -> Notification:
        """One, with what became of it on each device."""
        return await self._get(f"/notifications/{_part(notification_id)}", Notification)

    async def test_notifications(self) -> PushTested:
        """To this device's ways, or, on the hub's own machine, to all."""
        return await self._call("POST", "/push/test", None, PushTested)

    async def notification_settings(self) -> NotificationSettings:
        return await self._get("/notifications/settings", NotificationSettings)

    async def set_notifications(self, wish: PatchNotificationSettings) -> NotificationSettings:
        """Change what is told; Refused ``bad_request``."""
        return await self._call("PATCH", "/notifications/settings", wish, NotificationSettings)

    async def snooze_notifications(self, until_ms: int, what: str = "") -> NotificationSettings:
        """Hold everything, or what is about one agent or question; a time that is past ends it."""
        body = SnoozeNotifications(what=what, until_ms=until_ms)
        return await self._call("POST", "/notifications/snooze", body, NotificationSettings)

    # ---- questions -------------------------------------------------------------------------------------

    async def questions(
        self,
        state: Literal["open", "all"] = "open",
        *,
        before: str | None = None,
        agent_id: str | None = None,
        limit: int | None = None,
    ) -> Questions:
        """The open ones as they wait, or a page of all, the newest first."""
        return await self._get(
            "/questions", Questions, state=state, before=before, agent=agent_id, limit=limit
        )

    async def question(self, question_id: str, wait_s: int = 0) -> Question:
        """One question; with ``wait_s`` (25 at most) as soon as it is not open any more."""
        return await self._get(f"/questions/{_part(question_id)}", Question, wait=wait_s or None)

    async def ask(self, question: AskQuestion) -> Question:
        """Ask the person. The same id again is the same question."""
        return await self._call("POST", "/questions", question, Question)

    async def answer_question(self, question_id: str, answer: AnswerQuestion) -> Question:
        """Answer a question; Refused ``conflict`` names who closed it before."""
        return await self._call("POST", f"/questions/{_part(question_id)}/answer", answer, Question)

    async def close_question(self, question_id: str, act: QuestionAct, body: CloseQuestion) -> Question:
        """Skip or dismiss a question, or take its end back."""
        return await self._call("POST", f"/questions/{_part(question_id)}/{act}", body, Question)

    async def set_paused(self, wish: SetPause) -> PauseState:
        """Pause what happens by itself, or go on."""
        return await self._call("PUT", "/pause", wish, PauseState)

    # ---- operations ------------------------------------------------------------------------------------

    async def operate(self, wish: AskOperation) -> Operation:
        """Ask for an operation. The same id again is the same operation."""
        return await self._call("POST", "/operations", wish, Operation)

    async def operation(self, operation_id: str) -> Operation:
        return await self._get(f"/operations/{_part(operation_id)}", Operation)

    async def operations(self, after: int = 0) -> Operations:
        """Operations that changed behind this ``seq``, oldest change first, at most one page."""
        return await self._get("/operations", Operations, after=after)

    async def newest_operations(self, before: int | None = None, limit: int = 50) -> Operations:
        """The newest ones with ``seq`` < ``before``, oldest first; ``more``: older ones follow."""
        return await self._get(
            "/operations", Operations, before=2**62 if before is None else before, limit=limit
        )

    async def undo_operation(self, operation_id: str, wish: UndoOperation) -> Operation:
        """Take an operation back; the answer is it (it had not begun), or the one that takes it back."""
        return await self._call("POST", f"/operations/{_part(operation_id)}/undo", wish, Operation)

    # ---- agents ----------------------------------------------------------------------------------------

    async def patch_agent(self, agent_id: str, patch: PatchAgent) -> Agent:
        return await self._call("PATCH", f"/agents/{_part(agent_id)}", patch, Agent)

    async def answer(self, agent_id: str, answer: AnswerDialog) -> Done:
        """Answer the dialog ``waiting_id``; Refused ``changed`` when another one is open by now."""
        return await self._call("POST", f"/agents/{_part(agent_id)}/answer", answer, Done)

    async def interrupt(self, agent_id: str, request: Interrupt) -> Done:
        """End the running turn."""
        return await self._call("POST", f"/agents/{_part(agent_id)}/interrupt", request, Done)

    async def keys(self, agent_id: str, keys: PressKeys) -> Done:
        return await self._call("POST", f"/agents/{_part(agent_id)}/keys", keys, Done)

    async def screen(self, agent_id: str) -> Screen:
        return await self._get(f"/agents/{_part(agent_id)}/screen", Screen)

    async def scrollback(self, agent_id: str, lines: int | None = None) -> Scrollback:
        """The end of the pane's history with its screen."""
        return await self._get(f"/agents/{_part(agent_id)}/scrollback", Scrollback, lines=lines)

    # ---- the live socket -------------------------------------------------------------------------------

    def live(self, after: int | None = None) -> Live:
        """Events since ``after`` (None: a fleet to begin with, then events) and the frames asked for."""
        if self._session is None:
            raise RuntimeError("HubClient is used outside its context")
        return Live(self._session, f"{self._api}/live", self._name, after, self._headers)

    # ---- how -------------------------------------------------------------------------------------------

    async def _get(self, path: str, kind: type[T], **query: str | int | None) -> T:
        return await self._call(
            "GET", path, None, kind, {k: str(v) for k, v in query.items() if v is not None}
        )

    async def _call(
        self,
        method: str,
        path: str,
        body: msgspec.Struct | None,
        kind: type[T],
        query: dict[str, str] | None = None,
    ) -> T:
        if self._session is None:
            raise RuntimeError("HubClient is used outside its context")
        if path.startswith("/host/") and not isinstance(self._where, Path):
            raise Refused("not_allowed", "Only the person at the control room's own machine may do this.")
        headers = dict(self._headers)
        if body is not None:
            headers["Content-Type"] = "application/json"
        data = None if body is None else io.BytesIO(encode(body))  # bytes over 1 MB make aiohttp warn
        try:
            async with self._session.request(
                method, self._api + path, data=data, params=query, headers=headers, allow_redirects=False
            ) as response:
                answer = await response.read()
                status = response.status
        except TimeoutError:
            raise CannotReach(f"The hub at {self._name} does not answer.") from None
        except (aiohttp.ClientError, OSError) as error:
            raise cannot_reach(self._name, error) from None
        return answered(status, answer, kind, f"{method} {path}")


def _part(text: str) -> str:
    return quote(text, safe="")

"""Questions to the person: the Inbox, cards in chats, and who wins when several answer."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from controlroom.testing.scripted.steps import Begin, Go, Hold, Say, Scene, Turn
from tests.e2e.scenes import asking, idle, picker
from tests.e2e.support.browser import CUT, Kind, Visitor, findings, said
from tests.e2e.support.hands import TAPPED, drag, finger_on, mouse_on, stands_still, tap_at_once
from tests.e2e.support.house import House
from tests.support.waiting import until_now

Visit = Callable[..., Visitor]

TENANT = (
    "Question for Founder: Should bursts be counted per tenant or per key?",
    "- Per tenant: two customers will see lower limits (recommended)",
    "- Per key: as before",
    "Context: The overload came from one tenant with forty keys.",
)
IN_3_HOURS = "Default: I count per tenant by in 3 hours"
RELEASE = (
    "Question for Founder: Publish 4.2.0 to the store now?",
    "- Wait: the fix comes first (recommended)",
    "- Publish: it cannot be taken back",
    "Blocking: yes",
)


def card(page: Page, name: str) -> Locator:
    return page.get_by_role("article", name=re.compile(name))


def ready(button: Locator) -> Locator:
    stands_still(button)
    return button


def told(house: House, name: str, text: str) -> int:
    """How often the agent was told something that begins so."""
    return sum(1 for item in house.items(name) if item["kind"] == "user" and text in (item.get("text") or ""))


def until_told(house: House, name: str, text: str) -> None:
    until_now(lambda: told(house, name, text) > 0, f"{name} is told {text}", within_s=60)


def asked(house: House, *scenes: Scene) -> None:
    house.start()
    house.add(*scenes)
    until_now(lambda: len(house.questions()) >= len(scenes), "all of them asked", within_s=60)


# ---- the story of two minutes ------------------------------------------------------------------------------


def test_the_default_passes_and_the_agent_goes_on(house: House, visit: Visit) -> None:
    """It asks, nobody answers, it is told to use its default, it works on; later it can be corrected."""
    house.start()
    house.add(idle("api"))
    house.until_agent("api", "idle")
    page = visit("phone").pair(house.url, house.code())
    page.get_by_role("link", name=re.compile("^Inbox")).click()
    expect(page.get_by_text("Nothing waits for you").last).to_be_visible()
    words = "\n".join((*TENANT, "Default: I count per tenant by in 12 seconds"))
    house.tell("api", Begin(turn=Turn(prompt="And bursts?", steps=(Say(text=words),))))
    here = card(page, "api")
    expect(here).to_contain_text(re.compile(r"Default in \d+ s"))
    expect(here.locator(".default")).to_contain_text("If you say nothing: I count per tenant")
    expect(page.get_by_role("status", name="News")).to_contain_text("New question from api")
    expect(page.get_by_role("link", name=re.compile("Inbox.*1 open question"))).to_be_visible()
    # Its time comes.
    expect(here).to_have_count(0, timeout=40_000)
    expect(page.get_by_text("Nothing waits for you").last).to_be_visible()
    expect(page.get_by_role("status", name="News")).to_contain_text("Default used")
    until_told(house, "api", "Use your default: I count per tenant.")
    house.until_pane("api", "Understood: ")
    assert told(house, "api", "Use your default: I count per tenant.") == 1
    page.get_by_role("link", name="Closed", exact=True).click()
    row = page.get_by_role("listitem").filter(has_text="Should bursts be counted")
    expect(row).to_contain_text("Default used.")
    row.get_by_role("link").click()
    expect(card(page, "api")).to_contain_text("It was told to use its default")
    page.get_by_role("button", name="Answer after all").click()
    ready(card(page, "api").get_by_role("button", name=re.compile("^Per key"))).click()
    until_told(house, "api", "in place of your default: Per key")
    assert [one["state"] for one in house.questions("all")] == ["answered"]


# ---- who wins ----------------------------------------------------------------------------------------------


def test_two_browsers_race_for_one_card(house: House, visit: Visit) -> None:
    asked(house, asking("api", *TENANT, IN_3_HOURS))
    phone_visitor, desk_visitor = visit("phone"), visit("desktop")
    phone = phone_visitor.pair(house.url, house.code("Kim's phone"))
    desk = desk_visitor.pair(house.url, house.code("Kim's laptop"))
    held: list[Route] = []
    for page in (phone, desk):
        page.route("**/api/v1/questions/*/answer", lambda route: held.append(route))
        page.goto(f"{house.url}inbox")
    ready(card(phone, "api").get_by_role("button", name=re.compile("^Per tenant"))).tap()
    ready(card(desk, "api").get_by_role("button", name=re.compile("^Per key"))).click()
    for page in (phone, desk):
        expect(card(page, "api")).to_contain_text("Sending")
    assert len(held) == 2
    for route in held:
        route.continue_()
    lost = "Your answer was not sent."
    losers = [page for page in (phone, desk) if _tells(page, lost)]
    assert len(losers) == 1
    (loser,) = losers
    choice = "Per key" if loser is phone else "Per tenant"
    winner = "Kim's laptop" if loser is phone else "Kim's phone"
    expect(card(loser, "api").get_by_role("alert")).to_contain_text(lost)
    expect(card(loser, "api").get_by_role("alert")).to_contain_text(winner)
    expect(card(loser, "api")).to_contain_text(f"“{choice}”")
    card(loser, "api").get_by_role("button", name="OK").click()
    until_told(house, "api", "Answer to")
    assert told(house, "api", "Answer to") == 1
    assert told(house, "api", choice) == 1
    for visitor in (phone_visitor, desk_visitor):
        visitor.expect("409")


def _tells(page: Page, text: str) -> bool:
    """Whether the card says this, as soon as it says how its act ended."""
    alert = page.get_by_role("article").get_by_role("alert").filter(has_text=text)
    toast = page.locator(".toast").filter(has_text=re.compile("^Answered"))
    alert.or_(toast).first.wait_for()
    return alert.count() > 0


def test_an_answer_whose_word_got_lost_counts_once(house: House, visit: Visit) -> None:
    asked(house, asking("api", *TENANT, IN_3_HOURS))
    visitor = visit("phone")
    page = visitor.pair(house.url, house.code())
    bodies: list[str] = []

    def lose(route: Route) -> None:
        bodies.append(route.request.post_data or "")
        if len(bodies) > 1:
            route.continue_()
            return
        assert route.fetch().status == 200  # the control room has it
        route.abort()  # and its word does not come back

    page.route("**/api/v1/questions/*/answer", lose)
    page.goto(f"{house.url}inbox")
    ready(card(page, "api").get_by_role("button", name=re.compile("^Per key"))).tap()
    expect(page.locator(".toast")).to_contain_text("Answered “Per key”")
    expect(card(page, "api")).to_have_count(0)
    assert len(bodies) == 2
    assert bodies[0] == bodies[1]
    until_told(house, "api", "Answer to")
    assert told(house, "api", "Answer to") == 1
    visitor.expect("ERR_FAILED")


def test_cards_are_no_news_while_the_control_room_is_away(house: House, visit: Visit) -> None:
    asked(house, asking("api", *TENANT, IN_3_HOURS))
    visitor = visit("phone")
    page = visitor.pair(house.url, house.code())
    page.goto(f"{house.url}inbox")
    per_key = card(page, "api").get_by_role("button", name=re.compile("^Per key"))
    expect(per_key).to_be_enabled()
    house.kill()
    expect(card(page, "api")).to_contain_text("Not connected, so this may be answered already.")
    expect(per_key).to_be_disabled()
    house.start()
    expect(per_key).to_be_enabled(timeout=60_000)
    ready(per_key).tap()
    expect(card(page, "api")).to_have_count(0)
    until_told(house, "api", "Answer to")
    assert told(house, "api", "Answer to") == 1
    visitor.expect(CUT)


# ---- answers -----------------------------------------------------------------------------------------------


def test_option_and_note_arrive_in_one_message(house: House, visit: Visit) -> None:
    tabs = (line.replace("bursts", "tabs") for line in TENANT)
    asked(house, asking("api", *TENANT, IN_3_HOURS), asking("web", *tabs, IN_3_HOURS))
    page = visit("phone").pair(house.url, house.code())
    page.goto(f"{house.url}inbox")
    here = card(page, "api")
    expect(here).to_contain_text("The overload came from one tenant with forty keys.")
    expect(here.get_by_role("button", name=re.compile("^Per tenant"))).to_contain_text("Recommended")
    here.get_by_role("button", name="Answer in words").click()
    here.get_by_role("textbox").fill("But only from Monday on")
    ready(here.get_by_role("button", name=re.compile("^Per tenant"))).tap()
    expect(page.locator(".toast")).to_contain_text("Answered “Per tenant")
    expect(here).to_have_count(0)
    until_told(house, "api", "Answer to")
    assert told(house, "api", "Answer to") == 1
    assert told(house, "api", "Note: But only from Monday on") == 1

    desk = visit("desktop").pair(house.url, house.code())
    desk.keyboard.press("g")
    desk.keyboard.press("i")
    here = card(desk, "web")
    stands_still(here)
    desk.keyboard.press("r")
    desk.keyboard.type("As it was")
    desk.keyboard.press("Escape")
    desk.keyboard.press("2")
    expect(here).to_contain_text("Answered by you")
    until_told(house, "web", "Note: As it was")
    assert told(house, "web", "Answer to") == 1


def test_a_blocking_one_is_held(house: House, visit: Visit) -> None:
    asked(house, asking("ios", *RELEASE))
    page = visit("phone").pair(house.url, house.code())
    page.goto(f"{house.url}inbox")
    here = card(page, "ios")
    expect(here).to_contain_text("Blocking")
    expect(here).to_contain_text("nobody else may answer this one")
    wait = ready(here.get_by_role("button", name=re.compile("^Wait")))
    wait.tap()
    expect(wait).to_contain_text("Hold to answer")
    drag(wait, -200)
    assert house.questions()[0]["state"] == "open"
    with finger_on(ready(wait)):
        expect(here).to_contain_text("Answered by you")  # it stays while the finger is there
    expect(here).to_have_count(0)
    until_told(house, "ios", "Wait")

    house.tell("ios", Begin(turn=Turn(prompt="Again.", steps=(Say(text="\n".join(RELEASE)),))))
    house.until_asked("Publish 4.2.0")
    desk = visit("desktop").pair(house.url, house.code())
    desk.goto(f"{house.url}inbox")
    stands_still(card(desk, "ios"))
    desk.keyboard.press("2")
    dialog = desk.get_by_role("dialog", name=re.compile("Publish"))
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    desk.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    assert len(house.questions()) == 1
    with mouse_on(ready(card(desk, "ios").get_by_role("button", name=re.compile("^Publish")))):
        expect(card(desk, "ios")).to_contain_text("Answered by you")


def test_what_only_just_appeared_is_no_answer(house: House, visit: Visit) -> None:
    house.start()
    page = visit("phone").pair(house.url, house.code())
    page.goto(f"{house.url}inbox")
    expect(page.get_by_text("Nothing waits for you").last).to_be_visible()
    tap_at_once(page, ".question-card .opt, .answers > .card-acts .btn:last-child")  # Skip
    house.add(asking("api", *TENANT, IN_3_HOURS))
    expect(card(page, "api")).to_be_visible()
    stands_still(card(page, "api").locator(".answers"))
    assert page.evaluate(f"window.{TAPPED}") > 2
    assert house.questions()[0]["state"] == "open"
    assert "answer" not in house.receipts()


# ---- ways back ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["phone", "desktop"])
def test_skip_dismiss_and_their_way_back(house: House, visit: Visit, kind: Kind) -> None:
    asked(house, asking("api", *TENANT, IN_3_HOURS))
    page = visit(kind).pair(house.url, house.code())
    page.goto(f"{house.url}inbox")
    here = card(page, "api")
    here.get_by_role("button", name=re.compile("^More")).click()
    page.get_by_role("menuitem", name=re.compile("Dismiss")).click()
    expect(page.locator(".toast")).to_contain_text("The agent is told nothing")
    expect(here.get_by_role("group", name="Answers")).to_have_count(0)
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(here.get_by_role("group", name="Answers")).to_be_visible()
    # From its history too.
    here.get_by_role("button", name=re.compile("^More")).click()
    page.get_by_role("menuitem", name=re.compile("Dismiss")).click()
    page.get_by_role("link", name="Closed", exact=True).click()
    row = page.get_by_role("listitem").filter(has_text="Should bursts be counted")
    expect(row).to_contain_text("Dismissed by you.")
    row.get_by_role("button", name="Undo").click()
    expect(row).to_have_count(0)
    assert told(house, "api", "bursts") == 0
    page.get_by_role("link", name=re.compile("^Open")).click()
    skip = here.get_by_role("button", name="Skip")
    ready(skip)
    skip.click()
    expect(page.locator(".toast")).to_contain_text("The agent is told that nobody decided")
    until_told(house, "api", "this is no approval")


def test_what_the_agent_settled_can_be_reopened(house: House, visit: Visit) -> None:
    asked(house, asking("api", *TENANT, IN_3_HOURS))
    page = visit("phone").pair(house.url, house.code())
    page.goto(f"{house.url}inbox")
    expect(card(page, "api")).to_be_visible()
    line = "Resolved for Founder: Should bursts be counted per tenant or per key?: You said it in the chat."
    house.tell("api", Begin(turn=Turn(prompt="Go on.", steps=(Say(text=line),))))
    expect(card(page, "api")).to_have_count(0)
    page.get_by_role("link", name="Closed", exact=True).click()
    row = page.get_by_role("listitem").filter(has_text="Should bursts be counted")
    expect(row).to_contain_text("Resolved by the agent.")
    expect(row).to_contain_text("You said it in the chat.")
    row.get_by_role("button", name="Reopen").click()
    expect(row).to_have_count(0)
    page.get_by_role("link", name=re.compile("^Open")).click()
    expect(card(page, "api").get_by_role("group", name="Answers")).to_be_visible()


def test_an_answer_comes_back_until_it_is_typed(house: House, visit: Visit) -> None:
    asked(house, asking("api", *TENANT, IN_3_HOURS))
    house.tell("api", Begin(turn=Turn(prompt="Meanwhile, sort.", steps=(Hold(), Say(text="Sorted.")))))
    house.until_agent("api", "working")
    page = visit("phone").pair(house.url, house.code())
    expect(page.get_by_role("link", name=re.compile("api"))).to_contain_text("Question open")
    page.goto(f"{house.url}inbox")
    ready(card(page, "api").get_by_role("button", name=re.compile("^Per key"))).tap()
    expect(card(page, "api")).to_have_count(0)
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(card(page, "api")).to_be_visible()
    ready(card(page, "api").get_by_role("button", name=re.compile("^Per tenant"))).tap()
    expect(card(page, "api")).to_have_count(0)
    house.tell("api", Go())
    until_told(house, "api", "Answer to")
    assert told(house, "api", "Per key") == 0
    page.get_by_role("link", name="Closed", exact=True).click()
    page.get_by_role("listitem").filter(has_text="Should bursts").get_by_role("link").click()
    expect(card(page, "api")).to_contain_text("Delivered")


# ---- other kinds -------------------------------------------------------------------------------------------


def test_a_picker_counts_once_and_is_answered_by_its_card(house: House, visit: Visit) -> None:
    house.start()
    house.add(picker())
    house.until_agent("harvest", "blocked")
    page = visit("phone").pair(house.url, house.code())
    expect(page.get_by_role("link", name=re.compile("Inbox.*1 open question"))).to_be_visible()
    expect(page.get_by_role("link", name="Agents", exact=True)).to_be_visible()
    page.goto(f"{house.url}inbox")
    expect(page.get_by_role("article")).to_have_count(1)
    ready(card(page, "harvest").get_by_role("button", name=re.compile("^Apples, then plums"))).tap()
    house.until_pane("harvest", "Which fruit first? → Apples, then plums: both")
    expect(page.get_by_text("Nothing waits for you").last).to_be_visible()


def test_a_malformed_block_is_a_card_that_says_what_is_wrong(house: House, visit: Visit) -> None:
    asked(house, asking("api", "Question for Founder: Go on?", "- Yes", "- Yes", "Default: Yes by noonish"))
    page = visit("phone").pair(house.url, house.code())
    page.goto(f"{house.url}inbox")
    here = card(page, "api")
    expect(here.locator(".callout").first).to_be_visible()
    expect(here.locator(".default")).to_contain_text("It is not used by itself")
    here.get_by_text("As it was written").click()
    expect(here.get_by_role("group", name="The block as it was written")).to_contain_text("by noonish")
    here.get_by_role("button", name=re.compile("^Answer")).last.click()
    here.get_by_role("textbox").fill("Go on")
    ready(here.get_by_role("button", name=re.compile("^Send"))).tap()
    until_told(house, "api", "Go on")


def test_in_its_chat_the_card_stands_where_it_was_asked(house: House, visit: Visit) -> None:
    retried = (line.replace("bursts", "retries") for line in TENANT)
    retried = (line.replace("bursts", "retries") for line in TENANT)
    asked(house, asking("api", *TENANT, IN_3_HOURS, "", *retried, IN_3_HOURS))
    page = visit("phone").pair(house.url, house.code())
    page.goto(f"{house.url}agents/{house.agents()['api']['id']}")
    expect(said(page, "I looked at it.").first).to_be_visible()
    bursts, retries = card(page, "bursts"), card(page, "retries")
    expect(retries).to_be_visible()
    ready(bursts.get_by_role("button", name=re.compile("^Per tenant"))).tap()
    expect(bursts).to_contain_text("Answered by you")
    expect(bursts).to_contain_text("“Per tenant”")
    expect(retries.get_by_role("group", name="Answers")).to_be_visible()
    until_told(house, "api", "Answer to")
    page.reload()
    expect(card(page, "bursts")).to_contain_text("Answered by you")


def test_a_pause_is_said_and_ended(house: House, visit: Visit) -> None:
    asked(house, asking("api", *TENANT, IN_3_HOURS))
    page = visit("desktop").pair(house.url, house.code())
    page.goto(f"{house.url}inbox")
    expect(card(page, "api")).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Go to or do")).to_be_focused()
    page.keyboard.type("pause")
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile("^Paused by you since"))).to_be_visible()
    expect(card(page, "api")).to_contain_text("marked late")
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text(re.compile("^Paused by you since"))).to_have_count(0)


@pytest.mark.parametrize("kind", ["phone", "desktop"])
def test_nothing_for_axe_to_find(house: House, visit: Visit, kind: Kind) -> None:
    asked(house, asking("api", *TENANT, IN_3_HOURS), asking("ios", *RELEASE))
    page = visit(kind, reduced_motion="reduce").pair(house.url, house.code())
    sizes = ((390, 844), (320, 640)) if kind == "phone" else ((1280, 800), (640, 400))
    for place in ("inbox", f"inbox/{house.questions()[0]['id']}"):
        page.goto(f"{house.url}{place}")
        card(page, "ios").wait_for()
        page.get_by_role("button", name="Answer in words").first.click()
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                assert findings(page) == []
            wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wider <= 0, (place, width)

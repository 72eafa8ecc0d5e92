"""When the default of a question is due: the time that an agent wrote behind "by", as a moment.

Tolerant in form, strict in sense: what could mean two moments gets no moment but a ``problem`` that says so,
and where one reading is merely the likelier one, the later is taken and said. A default that comes late
costs minutes; one that comes early decides without the person.

Times without a zone are meant in the zone of the agent's machine. A clock time without a day is the next one
after the question was asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import NamedTuple

LONGEST = 200  # characters of a time that are looked at
FAR = timedelta(days=366)
END_OF_DAY = time(23, 59)
_LAST_YEAR = 9998  # a day of any zone is still a date then

_EXTRA = re.compile(r"(?i),? (?:at the latest|latest|sharp|local time)$")

ZoneOf = Callable[[str], tzinfo | None]
"""A zone by its name in the tz database (``Europe/Berlin``); None when there is none."""


class Due(NamedTuple):
    """``at_ms`` None: there is no moment that it surely means. ``problem``: for the card, a sentence."""

    at_ms: int | None
    problem: str | None = None


def read_due(said: str, *, asked_at_ms: int, zone: tzinfo, zone_of: ZoneOf) -> Due:
    """The moment that ``said`` means for a question asked at ``asked_at_ms``. Never raises."""
    text = _EXTRA.sub("", " ".join(said.strip().strip(".!,;()*_`\"'").split()))
    if not text:
        return Due(None, "No time is given, so the default is not used by itself.")
    if len(text) > LONGEST:
        return Due(None, "The time is too long to be one.")
    asked = datetime.fromtimestamp(asked_at_ms / 1000, UTC)
    try:
        return _read(text, asked, zone, zone_of)
    except OverflowError:
        return Due(None, "That time is beyond all calendars.")


def _read(text: str, asked: datetime, zone: tzinfo, zone_of: ZoneOf) -> Due:
    span = _duration(text)
    if span is not None:
        return _checked(asked + span, asked, None)
    rest, given, problem = _zone(text, zone_of)
    if problem is not None:
        return Due(None, problem)
    zone = given or zone
    found = _day_and_time(rest, asked.astimezone(zone))
    if isinstance(found, str):
        return Due(None, found)
    day, clock = found
    local = asked.astimezone(zone)
    note = None
    if day is None:
        assert clock is not None
        day = local.date()
        moment, note = _moment(day, clock, zone)
        if moment <= asked:
            moment, note = _moment(day + timedelta(days=1), clock, zone)
            note = note or f"{clock:%H:%M} was over when it was asked; the next day's is taken."
    else:
        moment, note = _moment(day, clock or END_OF_DAY, zone)
    return _checked(moment, asked, note)


def _checked(moment: datetime, asked: datetime, note: str | None) -> Due:
    if moment <= asked:
        return Due(None, "That time was over when it was asked, so the default is not used by itself.")
    if moment - asked > FAR:
        note = note or "That is more than a year away."
    return Due(int(moment.timestamp() * 1000), note)


def _moment(day: date, clock: time, zone: tzinfo) -> tuple[datetime, str | None]:
    """A wall-clock time as a moment; the later one where clocks are changed."""
    first = datetime.combine(day, clock, zone)
    second = first.replace(fold=1)
    early, late = sorted((first.astimezone(UTC), second.astimezone(UTC)))
    if early == late:
        return early, None
    if late.astimezone(zone).replace(tzinfo=None) != first.replace(tzinfo=None):
        return (
            late,
            f"{clock:%H:%M} does not exist on that day: clocks are changed. The time after it is taken.",
        )
    return late, f"{clock:%H:%M} comes twice on that day: clocks are changed. The later one is taken."


# ---- durations -------------------------------------------------------------------------------------------

_UNITS = {
    "s": 1, "sec": 1, "second": 1,
    "m": 60, "min": 60, "minute": 60,
    "h": 3600, "hr": 3600, "hour": 3600,
    "d": 86400, "day": 86400,
    "w": 604800, "week": 604800,
}  # fmt: skip
_PART = re.compile(
    r"(\d{1,6}(?:[.,]\d{1,3})?)\s*"
    r"(seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|[smhdw])(?![a-z])\s*(?:,|and)?\s*",
    re.IGNORECASE,
)
_SHORT_PART = re.compile(r"(\d{1,3})h\s?(\d{1,2})(?:m(?:in)?)?", re.IGNORECASE)
_WORDS = {"half an hour": 1800, "an hour": 3600, "a day": 86400, "a week": 604800, "a minute": 60}
_IN = re.compile(r"(?:in|within|after)\s+", re.IGNORECASE)
_FROM_NOW = re.compile(r"\s+(?:from now|later)$", re.IGNORECASE)


def _duration(text: str) -> timedelta | None:
    """``in 2 hours``, ``90 min``. ``18h`` without a word before it is a clock time in many languages."""
    opened = _IN.match(text)
    body = _FROM_NOW.sub("", text[opened.end() :] if opened else text)
    marked = opened is not None or body != text
    if (seconds := _WORDS.get(body.lower())) is not None:
        return timedelta(seconds=seconds)
    if (short := _SHORT_PART.fullmatch(body)) is not None and marked:
        return timedelta(hours=int(short[1]), minutes=int(short[2]))
    total, at = 0.0, 0
    while part := _PART.match(body, at):
        if not marked and part[2].lower() == "h":
            return None
        unit = part[2].lower()
        total += float(part[1].replace(",", ".")) * _UNITS[unit if len(unit) == 1 else unit.removesuffix("s")]
        at = part.end()
    return timedelta(seconds=total) if at and at == len(body) else None


# ---- zones -----------------------------------------------------------------------------------------------

_OFFSET = re.compile(
    r"^(?P<rest>.*?)\s*\(?(?:UTC|GMT)?(?P<sign>[+−-])(?P<hour>\d{1,2}):?(?P<minute>\d{2})?\)?$", re.I
)
_UTC = re.compile(r"^(?P<rest>.*?)\s*\(?\b(?:UTC|GMT|Zulu)\)?$", re.IGNORECASE)
_Z = re.compile(r"^(?P<rest>.*\d)Z$")
_NAMED = re.compile(r"^(?P<rest>.*?)\s*\(?\[?(?P<name>[A-Z][A-Za-z_]+(?:/[A-Za-z_+-]+){1,2})\]?\)?$")
_LETTERS = re.compile(r"^(?P<rest>.*?)\s*\(?(?P<name>[A-Z]{2,5})\)?$")
_CLEAR = {
    "CET": 60,
    "CEST": 120,
    "EET": 120,
    "EEST": 180,
    "WET": 0,
    "WEST": 60,
    "EDT": -240,
    "CDT": -300,
    "MDT": -360,
    "PDT": -420,
    "JST": 540,
    "KST": 540,
    "AEST": 600,
    "AEDT": 660,
    "NZST": 720,
    "NZDT": 780,
}  # minutes east of UTC, for names that mean one zone
_UNCLEAR = {"IST", "CST", "BST", "AST", "EST", "PST", "MST", "ET", "PT", "CT", "MT", "SST", "GST"}
_NO_ZONES = {"AM", "PM", "EOD", "EOW", "COB"}


def _zone(text: str, zone_of: ZoneOf) -> tuple[str, tzinfo | None, str | None]:
    """The text without its zone, the zone, and what is wrong with it."""
    if (found := _Z.match(text)) or (found := _UTC.match(text)):
        return found["rest"], UTC, None
    if (found := _NAMED.match(text)) is not None:
        zone = zone_of(found["name"])
        return found["rest"], zone, None if zone else f"“{found['name']}” is no time zone that is known here."
    if (found := _OFFSET.match(text)) is not None and _has_clock(found["rest"]):
        minutes = int(found["hour"]) * 60 + int(found["minute"] or 0)
        if minutes > 14 * 60:
            return text, None, "No zone is that far from UTC."
        return found["rest"], timezone(timedelta(minutes=-minutes if found["sign"] != "+" else minutes)), None
    if (found := _LETTERS.match(text)) is not None and found["name"] not in _NO_ZONES:
        name = found["name"]
        if name in _CLEAR:
            return found["rest"], timezone(timedelta(minutes=_CLEAR[name]), name), None
        if name in _UNCLEAR:
            return (
                text,
                None,
                f"“{name}” means more than one time; a zone like UTC or Europe/Berlin is clear.",
            )
    return text, None, None


def _has_clock(text: str) -> bool:
    return re.search(r"\d{1,2}[:.]\d{2}|\d\s*[ap]\.?m|T\d{2}", text, re.IGNORECASE) is not None


# ---- days and clock times ----------------------------------------------------------------------------------

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_ISO = re.compile(r"^(\d{4,5})-(\d{1,2})-(\d{1,2})(?:[T ,]+|$)")
_SLASHED = re.compile(r"^(\d{1,2})[/](\d{1,2})(?:[/](\d{2,4}))?(?:[ ,]+|$)")
_DOTTED = re.compile(r"^(\d{1,2})\.(\d{1,2})\.(\d{4})?(?:[ ,]+|$)")
_MONTH = r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"  # noqa: E501
_DAY_MONTH = re.compile(
    rf"^(?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? (\d{{4,5}}))?(?:[ ,]+|$)", re.I
)
_MONTH_DAY = re.compile(
    rf"^{_MONTH} (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4,5}}))?(?:[ ,]+|$)", re.IGNORECASE
)
_WEEKDAY = re.compile(
    r"^(?:(next|this|on) )?(mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?(?:[ ,]+|$)",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"^(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d{2}))?(?::(?P<second>\d{2})(?:\.\d+)?)?\s*"
    r"(?P<mark>a\.?m\.?|p\.?m\.?|h|uhr|o'?clock|hrs)?$",
    re.IGNORECASE,
)
_NAMED_TIMES = {
    "noon": time(12),
    "midday": time(12),
    "end of day": END_OF_DAY,
    "eod": END_OF_DAY,
    "morning": time(9),
    "afternoon": time(15),
    "evening": time(19),
    "night": time(21),
}
_FILLERS = re.compile(r"^(?:at|@|around|about|by|until|the|in the|-|,)\s+", re.IGNORECASE)

_Found = tuple[date | None, time | None] | str


def _day_and_time(text: str, now: datetime) -> _Found:
    """The day and the clock time that stand in a text, in either order; a sentence when that is not sure."""
    day, rest = _day(text, now)
    if isinstance(day, str):
        return day
    if day is None:
        for split in re.finditer(r"(?:,? on |,? )", text):  # "14:00 on Friday", "6pm tomorrow"
            later, left = _day(text[split.end() :], now)
            if isinstance(later, str):
                return later
            if later is not None and not left:
                day, rest = later, text[: split.start()]
                break
    clock = _clock(rest, now) if rest else None
    if isinstance(clock, str):
        return clock
    if day is None and clock is None:
        return f"“{text[:60]}” is not understood as a time."
    return day, clock


def _day(text: str, now: datetime) -> tuple[date | str | None, str]:
    """The day at the start of a text, and what follows it."""
    text = _FILLERS.sub("", text)
    lower = text.lower()
    today = now.date()
    for word, days in (("day after tomorrow", 2), ("tomorrow", 1), ("today", 0)):
        if lower.startswith(word):
            return today + timedelta(days=days), text[len(word) :].strip(" ,")
    if lower.startswith("tonight"):
        return today, text[7:].strip(" ,") or "night"
    if lower in ("end of week", "end of the week", "eow"):
        return today + timedelta(days=(4 - today.weekday()) % 7), ""
    if lower == "midnight":
        return today + timedelta(days=1), "0:00"
    if (found := _WEEKDAY.match(text)) is not None:
        ahead = (_DAYS.index(found[2][:3].lower()) - today.weekday()) % 7
        if (found[1] or "").lower() == "next" or not ahead:
            return f"“{found[0].strip(' ,')}” can be one of two days; write the date.", ""
        return today + timedelta(days=ahead), text[found.end() :]
    if (found := _ISO.match(text)) is not None:
        return _date(int(found[1]), int(found[2]), int(found[3])), text[found.end() :]
    if (found := _SLASHED.match(text)) is not None:
        return _slashed(found, today), text[found.end() :]
    if (found := _DOTTED.match(text)) is not None:
        return _named(found[3], int(found[2]), int(found[1]), today), text[found.end() :]
    if (found := _DAY_MONTH.match(text)) is not None:
        return _named(found[3], _month(found[2]), int(found[1]), today), text[found.end() :]
    if (found := _MONTH_DAY.match(text)) is not None:
        return _named(found[3], _month(found[1]), int(found[2]), today), text[found.end() :]
    return None, text


def _slashed(found: re.Match[str], today: date) -> date | str:
    first, second = int(found[1]), int(found[2])
    if first <= 12 and second <= 12 and first != second:
        return f"“{found[0].strip(' ,')}” can be two dates; write it like 2026-12-31."
    day, month = (first, second) if second <= 12 else (second, first)
    year = found[3]
    return _named(None if year is None else year if len(year) > 2 else "20" + year, month, day, today)


def _named(year: str | None, month: int, day: int, today: date) -> date | str:
    """A day without a year is the next one."""
    if year is not None:
        return _date(int(year), month, day)
    this = _date(today.year, month, day)
    return _date(today.year + 1, month, day) if isinstance(this, date) and this < today else this


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _date(year: int, month: int, day: int) -> date | str:
    if year > _LAST_YEAR:
        return "That year is beyond all calendars."
    try:
        return date(year, month, day)
    except ValueError:
        return "There is no such day."


def _clock(text: str, now: datetime) -> time | str | None:
    text = _FILLERS.sub("", text.strip(" ,"))
    text = _FILLERS.sub("", text)
    if (named := _NAMED_TIMES.get(text.lower())) is not None:
        return named
    found = _CLOCK.match(text)
    if found is None:
        return f"“{text[:60]}” is not understood as a time."
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    mark = (found["mark"] or "").lower().replace(".", "")
    if mark in ("am", "pm"):
        if not 1 <= hour <= 12:
            return f"“{text[:60]}” is no clock time."
        hour = hour % 12 + (12 if mark == "pm" else 0)
    elif mark == "h" and found["minute"] is None and (hour <= 12 or hour == 24):
        return (
            f"“{text[:60]}” can be a clock time or a duration: write a time like 14:00, or in {hour} hours."
        )
    elif not mark and found["minute"] is None:
        return f"“{text[:60]}” is not clear: write a time like 14:00."
    elif mark in ("o'clock", "oclock") and hour <= 12:
        return f"“{text[:60]}” can be morning or evening: write a time like 14:00."
    if (hour, minute) == (24, 0):
        return END_OF_DAY
    if hour > 23 or minute > 59:
        return f"“{text[:60]}” is no clock time."
    return time(hour, minute)

"""The words of notifications (short, plain, present tense), and what a locked screen may show of them.

Everything that agents say is outside text: one line, limited, without controls. Unless whole texts are
allowed, code, commands, long addresses and whatever looks like a secret are taken out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from functools import lru_cache

from controlroom.core.notify.model import Asked, Done, Episode, Previews, Seen, Silent, Trouble
from controlroom.core.policy_words import span
from controlroom.core.text import clean_line

NAME_LIMIT = 60
TEXT_LIMIT = 240
WHOLE_LIMIT = 600
NAMES_SHOWN = 3
MINUTE_MS = 60_000

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_CODE = re.compile(r"(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
_PROMPT = re.compile(r"^\s*(?:[$#❯]|>>>)\s+\S.*$", re.MULTILINE)
_PEM = re.compile(r"-----BEGIN [A-Z ]{1,40}-----.*?(?:-----END [A-Z ]{1,40}-----|\Z)", re.DOTALL)
_PROGRAMS = (
    r"rm|cp|mv|git|gh|docker|podman|kubectl|helm|terraform|ssh|scp|rsync|curl|wget|chmod|chown|systemctl|dd|psql|mysql"
    r"|sed|awk|bash|zsh|python3?|pip3?|uv|npm|npx|yarn|pnpm|cargo|apt|apt-get|brew|pkill|killall"
)
_DOES = (
    r"install|uninstall|add|remove|run|exec|push|pull|reset|checkout|commit|merge|rebase|clone|delete|apply"
    r"|destroy|restart|stop|start|rm|upgrade|update|publish"
)
# A program that does something, or that is given a flag or a path soon after; to the end of what is asked.
_COMMAND = re.compile(
    rf"(?<![\w./-])(?:sudo\s+\S|(?:{_PROGRAMS})\s+(?:(?:{_DOES})\b|(?:[\w.:-]+\s+){{0,2}}(?:-{{1,2}}\w|[~./]|\w+[/=@]\w)))"
    r"[^\n?]*"
)
_BEARER = re.compile(r"\b(Bearer\s+)[\w.~+/=-]{8,}", re.IGNORECASE)
_SAID_CODE = re.compile(
    r"\b((?:code|otp|pin|passcode)\s*(?:=|:|is)?\s*)(?:[A-Z]{1,3}-)?\d{4,}\b", re.IGNORECASE
)
_ADDRESS = re.compile(r"\b([a-z][a-z0-9+.-]{1,15}://)(?:[^\s/@]*@)?([^\s/?#]*)[^\s]*", re.IGNORECASE)
_ASSIGNED = re.compile(
    r"\b([\w-]*(?:password|passwd|passphrase|passwort|secret|token|api[_-]?key|access[_-]?key|credential|pin|otp)s?)"
    r"(\s*(?:=|:|\bis\b)\s*)(?:\"[^\"]*\"|'[^']*'|\S+)",
    re.IGNORECASE,
)
_KNOWN = re.compile(
    r"\b(?:sk-|pk_|rk_|sk_|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|ya29\.|eyJ|npm_|hf_"
    r"|dop_v1_|SG\.)[\w.\-]{6,}"
)
_LONG = re.compile(r"(?<![\w/.-])(?=[\w+/=-]*[0-9])(?=[\w+/=-]*[A-Za-z])[\w+/=-]{24,}")
_DIGITS = re.compile(r"\b(?:\d[ -]?){6,}\b")
_MARKS = re.compile(r"(?m)^\s{0,3}(?:#{1,6}|>|[-*+])\s+|\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
_RESULT = re.compile(r"^\s*(?:\*\*)?Result:(?:\*\*)?\s*", re.IGNORECASE)

LEFT_OUT = "[…]"

_WANTS = {
    "permission": "It asks for your permission.",
    "picker": "It asks you to choose.",
    "plan": "It asks whether its plan is right.",
    "startup": "It asks something before it starts.",
    "limit": "It asks what to do at its usage limit.",
    "other": "It asks something.",
}


def shown_name(name: str) -> str:
    return clean_line(name, NAME_LIMIT) or "An agent"


def shown(text: str, previews: Previews) -> str:
    """One line of an agent's words, as far as a locked screen may show them."""
    if previews == "none":
        return ""
    if previews == "all":
        return clean_line(text, WHOLE_LIMIT)
    return clean_line(without_secrets(text), TEXT_LIMIT)


def without_secrets(text: str) -> str:
    """The text without code, commands, long addresses, long numbers and what looks like a secret. It errs
    on the side of leaving out."""
    return _without_secrets(text[: 8 * WHOLE_LIMIT])


@lru_cache(maxsize=2048)  # each look asks for the words of all that stands, a second after the last one
def _without_secrets(text: str) -> str:
    for pattern in (_PEM, _FENCE, _CODE, _PROMPT, _COMMAND):
        text = pattern.sub(LEFT_OUT, text)
    for pattern in (_BEARER, _SAID_CODE):
        text = pattern.sub(lambda found: found[1] + LEFT_OUT, text)
    text = _ADDRESS.sub(lambda found: found[1] + found[2], text)
    text = _ASSIGNED.sub(lambda found: found[1] + found[2] + LEFT_OUT, text)
    for pattern in (_KNOWN, _LONG, _DIGITS):
        text = pattern.sub(LEFT_OUT, text)
    return _MARKS.sub("", text)


def asked_words(asked: Asked, name: str, previews: Previews, now_ms: int, zone: tzinfo) -> tuple[str, str]:
    """Title and text of a question."""
    title = f"{name} asks, blocking" if asked.is_blocking else f"{name} asks"
    if asked.more:
        title = f"{name} asks {asked.more} things"
    says = shown(asked.question, previews)
    if asked.is_blocking:
        ends = "It waits for you."
    elif asked.due_at_ms is not None and asked.default:
        default = shown(asked.default, previews).rstrip(".")
        ends = f"Without an answer: {default} at {moment(asked.due_at_ms, now_ms, zone)}."
    else:
        ends = ""
    return title, _lines(says, ends)


def waiting_words(agent: Seen, name: str, previews: Previews) -> tuple[str, str]:
    """Title and text of a dialog that stands."""
    stands = agent.stands
    if stands is None:
        return f"{name} waits at a prompt", "It asks something."
    risk = "One of the answers is risky." if stands.has_risk else ""
    wants = _WANTS[stands.kind]
    if previews == "all":
        return f"{name} waits at a prompt", _lines(clean_line(stands.text, WHOLE_LIMIT) or wants, risk)
    return f"{name} waits at a prompt", _lines(wants, risk)


@lru_cache(maxsize=1024)  # an end stands until it is read
def done_words(done: Done, name: str, previews: Previews) -> tuple[str, str]:
    """Title and text of the end of a busy stretch."""
    first = next((line for line in done.text.splitlines() if line.strip()), "")
    says = shown(_RESULT.sub("", first), previews)
    busy = span(done.busy_ms) if done.busy_ms >= MINUTE_MS else f"{done.busy_ms // 1000} s"
    return f"{name} finished", _lines(says, f"Busy for {busy}.")


def silent_words(silent: Silent, now_ms: int, zone: tzinfo) -> tuple[str, str]:
    name = clean_line(silent.name, NAME_LIMIT)
    count = silent.agents
    means = f" Its {count} agents are shown as they were." if count > 1 else " Its agent is shown as it was."
    seen = f"Last seen at {moment(silent.seen_ms, now_ms, zone)}."
    return f"{name} is not reachable", seen + (means if count else "")


def trouble_words(trouble: Trouble) -> tuple[str, str]:
    where = clean_line(trouble.machine, NAME_LIMIT)
    title = clean_line(without_secrets(trouble.title), TEXT_LIMIT).rstrip(".")
    return (f"{where}: {title}" if where else title), clean_line(without_secrets(trouble.do), TEXT_LIMIT)


def together_words(members: Sequence[Episode], previews: Previews) -> tuple[str, str]:
    """Title and text of several in one."""
    if previews == "none":
        return nameless(len(members)), ""
    counts = {kind: sum(_sort_of(one) == kind for one in members) for kind in _SORTS}
    parts = [f"{count} {_SORTS[kind][count != 1]}" for kind, count in counts.items() if count]
    names = list(dict.fromkeys(one.name for one in members if one.name))
    rest = len(names) - NAMES_SHOWN
    told = ", ".join(names[:NAMES_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
    return ", ".join(parts), told + ("." if told else "")


_SORTS: dict[str, tuple[str, str]] = {
    "blocking": ("blocking question", "blocking questions"),
    "question": ("question", "questions"),
    "waiting": ("agent waits at a prompt", "agents wait at prompts"),
    "finished": ("agent finished", "agents finished"),
    "trouble": ("trouble", "troubles"),
}


def _sort_of(episode: Episode) -> str:
    return "blocking" if episode.kind == "question" and episode.is_blocking else episode.kind


def nameless(count: int) -> str:
    """All that a locked screen shows when it may show nothing."""
    return "1 thing waits for you" if count == 1 else f"{count} things wait for you"


def moment(at_ms: int, now_ms: int, zone: tzinfo) -> str:
    """``14:30``, or ``14:30 on 3 Dec`` when that is another day."""
    at = datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(zone)
    today = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(zone).date()
    clock = f"{at.hour:02}:{at.minute:02}"
    return clock if at.date() == today else f"{clock} on {at.day} {_MONTHS[at.month - 1]}"


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _lines(*parts: str) -> str:
    return "\n".join(part for part in parts if part)

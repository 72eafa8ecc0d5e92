"""Whether a question is one that nobody but the person may answer, although the agent forgot to say so.

Four kinds are the person's alone (spec section 5): logins and secrets, money, whatever other people get to
see, and deletes that cannot be undone. A question of these kinds has no default that is used and is closed
neither by the checker nor by the chief.

Theory. The two errors do not weigh the same. A question that is taken for harmless and is not, costs money or
data while the person sleeps. A harmless one that is taken for blocking makes one agent wait for one tap. So
what may well be such a deed counts; but words do not: agents work on programs with login pages, buy buttons
and delete handlers all day, and if each of these waited for the person, no default would ever be used.
Therefore:

* A phrase counts, not a word: a deed with its object ("delete … database", "pay … invoice"), in one clause.
  "Pay attention", "the colour of the login page", "post-mortem" have no such pair.
* What the program under work does is no deed of the agent: an object that is a part of a surface ("password
  field"), or a clause about what users of it do ("let users delete their account").
* What can be made anew is no loss: "drop the test database".
* A deed that is denied is none: "nothing is published", "without deleting data".
* The context tells what is, not what will be: there only phrases that are grave by themselves count.
* Text in quotes is talked about, not done ("Delete account" as a caption), except commands.

Where two readings are left, it is blocking.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Protocol

from controlroom.core.deeds.deletes import BARE_DELETE, DELETES, HARMLESS_OBJECTS, THINGS
from controlroom.core.deeds.logins import LOGINS
from controlroom.core.deeds.money import MONEY
from controlroom.core.deeds.phrase import Kind, Phrase
from controlroom.core.deeds.public import PUBLIC

LONGEST = 4_000  # characters of one part that are looked at
MOST = 20_000  # of all parts together
_SHOWN = 80  # characters of the phrase in the reason

_PHRASES = (*DELETES, *MONEY, *LOGINS, *PUBLIC)
_ACCENTS = re.compile("[\u0300-\u036f]")
_MARKS = re.compile(r"[*`#>]+|(?<!\w)_+|_+(?!\w)|~~")
_QUOTED = re.compile(r'"[^"\n]*"|“[^“”\n]*”|„[^„“”\n]*[“”]|«[^«»\n]*»|「[^「」\n]*」|『[^『』\n]*』')
_WHOLLY_QUOTED = re.compile(r'^(?:"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|「[^「」]*」|『[^『』]*』)$')
_CLAUSES = re.compile(r"(?<=[.!?;])\s+|[。！？；\n]+|\s[–—-]\s|(?<=[?])")
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|without|nothing|no|none|nobody|\w+n't|cannot|avoid\w*|instead of|rather than|nicht"
    r"|kein\w*|ohne|nichts|nie|sans|ne|pas|rien|aucun\w*|sin|nada|ningun\w*|nunca|non|senza|niente"
    r"|nessun\w*|mai|nao|sem|nenhum\w*)(?: (?!only\b|just\b|nur\b)[^\s,:;]+){0,2}[ ']*|(?:不|别|勿|未|无需"
    r"|没有|不会|不要|不用|不需要|无须)\w{0,1})$"
)
_DENIED_INSIDE = re.compile(r"\b(?:not|never|nicht|nie|kein\w*|pas|nothing)\b|n't\b")
_DENIED_BEHIND = re.compile(r"^(?:され|し)?(?:ない(?!と)|ません(?!か)|ずに|なかった)")
_PEOPLE = r"(?:users?|customers?|people|visitors?|admins?|members?|they|somebody|someone)"
_OF_USERS = re.compile(
    rf"\b(?:let|lets|letting|allow\w*|enables?|should|must|may|can) (?:the |a |our )?(?:\w+ )?{_PEOPLE}"
    r" (?:to|be able|have|see|get|log|sign|pay|buy|delete|post|publish|enter|confirm|choose|type|close)\b"
    rf"|\b(?:let|lets|letting) (?:\w+ ){{0,2}}?{_PEOPLE}\b"
    rf"|\b{_PEOPLE} (?:can|may|could|should|must|wants?|needs?|try|tries|who|logs?|signs?|pays?|buys?"
    r"|deletes?|posts?|publish(?:es)?|enters?|clicks?|clicked)\b"
    rf"|\bwhen(?:ever)? (?:a |an |the |each )?(?:\w+ )?(?:{_PEOPLE}|you)\b"
    r"|\b(?:after|once|every time|each time) (?:you|a user|the user|users|they) "
)

_ASKS_FOR_WORDS = re.compile(
    r"\b(?:which|what|whose|how|better|best)\b.{0,60}\b(?:names?|captions?|wordings?|labels?|titles?|terms?"
    r"|texts?|words?|headings?|called|call|verb)\b|\b(?:welche\w*|was fur|wie)\b.{0,60}\b(?:namen?"
    r"|beschriftung|wortlaut|titel|text|heissen|nennen)\b|\b(?:quel\w*|comment|que|cual|come"
    r"|qual)\b.{0,60}\b(?:nom|libelle|titre|texte|nommer|nombre|titulo|texto|llamar|nome|titolo|testo"
    r"|chiamare|chamar)\b|(?:什么|哪个).{0,20}(?:名称|名字|文案|标题)|(?:名前|文言|表記|見出し)"
)
"""The question asks how something shall be called: its options are words, not deeds."""

_REASONS: dict[Kind, str] = {
    "login": "It seems to need a login or a secret: “{}”.",
    "money": "It seems to be about money: “{}”.",
    "public": "It seems to put something before other people: “{}”.",
    "delete": "It seems to delete something for good: “{}”.",
}


class Option(Protocol):
    """An option of a question."""

    @property
    def label(self) -> str: ...
    @property
    def what(self) -> str | None: ...


def why_blocking(
    question: str, options: Sequence[Option] = (), context: str | None = None, default: str | None = None
) -> str | None:
    """Why this question is the person's alone, in a sentence for the card; None when it does not seem so."""
    are_captions = _ASKS_FOR_WORDS.search(folded(question[:LONGEST])) is not None
    said = [one.what or "" if are_captions else f"{_bare(one.label)}: {one.what or ''}" for one in options]
    parts = [question, *said, default or ""]
    if sum(map(len, parts)) + len(context or "") > MOST or max(map(len, parts)) > LONGEST:
        return "It is too long to tell that it is harmless."
    for part in parts:
        if (reason := _in_part(part, is_context=False)) is not None:
            return reason
    if (reason := _in_part(context or "", is_context=True)) is not None:
        return reason
    return _bare_delete(question, options, default or "")


def _in_part(text: str, *, is_context: bool) -> str | None:
    for clause in _clauses(text):
        plain = _Folded(_QUOTED.sub("“…”", clause))
        whole = _Folded(clause)
        for phrase in _PHRASES:
            if is_context and not phrase.in_context:
                continue
            found = _find(phrase, whole if phrase.literal else plain)
            if found is not None:
                return _REASONS[phrase.kind].format(_shown(found))
    return None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when the first question comes: not on the way to "ready"."""
    return re.compile(pattern)


def _find(phrase: Phrase, written: _Folded) -> str | None:
    """The phrase as it was written."""
    clause = written.text
    for found in _compiled(phrase.pattern).finditer(clause):
        text = found[0].strip(" ,:")
        if _DENIED_BEFORE.search(clause[: found.start()]) or _DENIED_BEHIND.match(clause[found.end() :]):
            continue
        said_before = clause[: found.start()].rpartition(",")[2]
        if phrase.of_users and _OF_USERS.search(f"{said_before}{found[0]}"):
            continue
        if phrase.turned and _DENIED_INSIDE.search(text):
            continue
        if phrase.kind == "delete" and not phrase.literal and HARMLESS_OBJECTS.search(text):
            continue
        return written.original(*found.span()).strip(" ,:")
    return None


def _bare_delete(question: str, options: Sequence[Option], default: str) -> str | None:
    """ "Delete it" as an option, where the question names what."""
    says = next(
        (text for text in [*(one.label for one in options), default] if BARE_DELETE.match(_word(text))), None
    )
    thing = THINGS.search(folded(_QUOTED.sub("“…”", question[:LONGEST])))
    if says is None or thing is None or HARMLESS_OBJECTS.search(folded(question[:LONGEST])):
        return None
    return _REASONS["delete"].format(_shown(f"{_word(says)} … {thing[0]}"))


def _word(text: str) -> str:
    return folded(_bare(text[:LONGEST])).strip(" .!")


def _bare(label: str) -> str:
    """A label that is quoted as a whole is meant as it stands."""
    label = label.strip()
    return label[1:-1] if _WHOLLY_QUOTED.match(label) else label


def _clauses(text: str) -> Iterator[str]:
    for clause in _CLAUSES.split(text[:LONGEST]):
        if clause.strip():
            yield clause


class _Folded:
    """A clause in folded form, which knows what was written."""

    def __init__(self, clause: str) -> None:
        self._clean = " ".join(_MARKS.sub("", unicodedata.normalize("NFC", clause)).split())
        letters = [_folded_letter(letter) for letter in self._clean]
        self.text = "".join(letters)
        self._places = [at for at, letter in enumerate(letters) for _ in letter]

    def original(self, start: int, end: int) -> str:
        return self._clean[self._places[start] : self._places[end - 1] + 1] if start < end else ""


def folded(text: str) -> str:
    """Lower case, without accents and marks, one blank between words."""
    return _Folded(text).text


@lru_cache(maxsize=4096)
def _folded_letter(letter: str) -> str:
    plain = unicodedata.normalize("NFKD", "'" if letter in "’‘" else letter).casefold()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", plain)).replace("\n", " ")


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1].rstrip() + "…"

"""The phrases by which ``core.blocking`` knows a question that is the person's alone, by language.

All tables are matched against folded text: lower case, without accents (``löschen`` is ``loschen``), one
blank between words. A phrase is a deed with its object ("delete … database"); a word alone is in here only
where it can mean nothing else ("force-push", "irreversible"). Objects that are part of the program's own
surface ("password field", "buy button") are excluded by ``NOT_A_SURFACE``.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Kind = Literal["login", "money", "public", "delete"]


class Phrase(msgspec.Struct, frozen=True):
    """``pattern`` is a regular expression.

    ``in_context``: also counts where it only stands in the context, which tells what is, not what will be.
    ``turned``: object before deed, so a negation may stand between them. ``literal``: also counts in quotes.
    """

    kind: Kind
    pattern: str
    in_context: bool = True
    turned: bool = False
    literal: bool = False
    of_users: bool = True  # False: counts even where the deed is one that users of a program do


AMOUNT = (
    r"(?:(?:us|ca|au|r|hk)?[$€£¥₹] ?\d[\d.,]{0,20} ?k?"
    r"|(?<![\d.,])\d[\d.,]{0,20} ?k? ?(?:[$€£¥₹元円块]|(?:usd|eur|gbp|chf|jpy"
    r"|cny|rmb|brl|inr|euros?|dollars?|dollari|dolares|pounds|bucks|cents|reais|yuan|yen|btc|eth)\b|美元"
    r"|美金|欧元|日元|ドル|ユーロ))"
)
_SURFACES = (
    r"page|pages|button|buttons|form|field|fields|screen|view|dialog|modal|flow|link|label|labels|colou?r"
    r"|icon|layout|wording|text|copy|tooltip|placeholder|input|box|hint|hash|hashes|hashing|policy|strength"
    r"|manager|endpoint|route|handler|component|function|method|class|classes|variable|parameter|argument"
    r"|type|types|model|schema|module|header|column|row|rows|cell|style|styles|template|test|tests|fixture"
    r"|mock|parser|regex|validation|validator|format|formatter|name|names|import|imports|interface|struct"
    r"|enum|constant|loader|logic|menu|tab|widget|section|banner|card|feature|event|events|hook|middleware"
    r"|service class|of contents|branch|naming|animation|state|reducer|store|selector|prop|props|comment"
    r"|line|lines|docs|documentation|helper|helpers"
)
NOT_A_SURFACE = (
    rf"(?![\w-])(?! (?:{_SURFACES})\b)(?! [\w'-]+ (?:page|button|field|form|component|screen|method)\b)"
)


def gap(most: int) -> str:
    """Up to so many words between two others."""
    return rf"(?:[ ,]+[^\s,;]+){{0,{most}}}?[ ,]+"


def phrase(
    kind: Kind,
    pattern: str,
    *,
    in_context: bool = True,
    turned: bool = False,
    literal: bool = False,
    of_users: bool = True,
) -> Phrase:
    return Phrase(kind, pattern, in_context, turned, literal, of_users)


def deed(kind: Kind, verbs: str, objects: str, most: int = 4, *, in_context: bool = False) -> Phrase:
    return phrase(
        kind, rf"(?<![\w-])(?:{verbs}){gap(most)}(?:{objects}){NOT_A_SURFACE}", in_context=in_context
    )


def turned(kind: Kind, objects: str, verbs: str, most: int = 4) -> Phrase:
    pattern = rf"(?<![\w-])(?:{objects}){NOT_A_SURFACE}{gap(most)}(?:{verbs})(?![\w-])"
    return phrase(kind, pattern, in_context=False, turned=True)

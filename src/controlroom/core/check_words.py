"""Words by which the checker's rules know what a sentence does, in the languages that people write in most.

They decide little: a missing word leaves a question to the model, one too many leaves it open.
"""

from __future__ import annotations

import re

from controlroom.core.similar import normalised

_AROUND = (
    "go let's lets let use take do pick choose option with want say think prefer like rather one "
    "thanks thank ok okay k sure fine yes yep yeah great good sounds perfect ahead approved answer "
    "definitely absolutely just simply decision decided choice nimm nehmen wir nimmst bitte danke gut "
    "mach machen lass uns gerne einfach dann also s'il plaît plait te merci prends prenons vas d'accord "
    "usa usemos vamos favor gracias vale para vai prendi usiamo grazie 请 用 吧 で お願いします"
)
AROUND = frozenset(normalised(_AROUND).split())
"""What may stand around the name of an option in a message that says nothing else."""

NOT = re.compile(
    r"\b(?:not|no|never|n't|don'?t|won'?t|isn'?t|can'?t|cannot|nor|neither|instead|unless|until|if|but"
    r"|except|before|after|once|when|maybe|perhaps|might|could|would|or|nicht|kein\w*|nie|wenn|falls|aber"
    r"|oder|vielleicht|pas|jamais|si|mais|peut-être|ou|nunca|pero|quizás|tal vez|o|не|если|но|или)\b"
    r"|不|没|別|ない",
    re.IGNORECASE,
)
"""What turns the name of an option into something else than a choice."""

NOT_YET = re.compile(
    r"\b(?:not|never|n't|isn'?t|wasn'?t|hasn'?t|until|unless|if|once|when|before|nicht|noch|wenn|pas|si)\b",
    re.IGNORECASE,
)

SETTLED = re.compile(
    r"\b(?:is|are|was|has been|have been|got|now|already)\s+"
    r"(?:now\s+|already\s+|all\s+|therefore\s+|thus\s+)?"
    r"(?:settled|resolved|answered|decided|moot|obsolete|outdated|irrelevant|superseded|off the table)\b"
    r"|\bno (?:longer|more)\s+(?:needed|necessary|relevant|open|an issue|applies|matters)\b"
    r"|\b(?:does not|doesn't) (?:matter|apply) (?:any ?more|any longer|now)\b"
    r"|\bnever mind\b|\bno (?:answer|decision) (?:is )?(?:needed|necessary|required)\b"
    r"|\bhat sich (?:damit )?erledigt\b|\bist (?:damit |jetzt )?(?:erledigt|entschieden|geklärt|hinfällig)\b"
    r"|\bn'est plus (?:nécessaire|utile|d'actualité)\b|\best (?:réglée?|résolue?|décidée?|caduque)\b"
    r"|\bya no (?:hace falta|es necesari[oa]|importa)\b|\bestá (?:resuelt[oa]|decidid[oa])\b",
    re.IGNORECASE,
)

DONE = re.compile(
    r"^(?:done|finished|completed)\b|\bI(?:'ve| have)?\s+(?:now\s+|already\s+|just\s+)?"
    r"(?:went|gone|done|chose|chosen|picked|used|decided|switched|moved|deleted|removed|merged|deployed"
    r"|published|migrated|kept|made|finished|implemented|applied|set|added)\b"
    r"|\bhabe ich\b|\bich habe\b|\bj'ai\b|\bhe (?:elegido|usado|hecho)\b",
    re.IGNORECASE,
)

STILL_OPEN = re.compile(
    r"\b(?:wait(?:ing|s)? (?:for|on)|await(?:ing|s)?|still (?:need|open|wait)"
    r"|need (?:your|a) (?:decision|answer|input)|let me know|tell me|up to you"
    r"|your (?:call|decision|choice)|please (?:decide|choose|answer|confirm)"
    r"|once you|when you|if you|unless you|until you|would you|could you|I(?:'d| would) (?:recommend|suggest)"
    r"|warte auf|sag mir|bitte entscheide|dis-moi|en attente|espero|dime|esperando)\b",
    re.IGNORECASE,
)
"""An agent that says this goes on asking."""

ORDERS = re.compile(
    r"""
      \b(?:close|resolve|dismiss|settle|mark|treat|consider|regard|flag|skip|answer)\w*\b
        [^.!?\n]{0,60}\b(?:question|card|ticket|inbox|it|this|that)s?\b
        [^.!?\n]{0,40}\b(?:close|resolve|answer|settl|outdated|obsolete|done)\w*
    | \b(?:close|dismiss|resolve)\b[^.!?\n]{0,30}\b(?:questions?|cards?|tickets?|inbox)\b
    | \b(?:questions?|cards?)\b[^.!?\n]{0,30}\b(?:must|should|can|may|shall|to)\b[^.!?\n]{0,10}
        \b(?:be\s+)?(?:closed?|dismissed|resolved|marked)\b
    | \b(?:ignore|disregard|forget|override)\b[^.!?\n]{0,40}
        \b(?:instructions?|rules?|prompts?|above|previous|prior|everything|system)\b
    | \b(?:verdict|confidence)\b\W{0,6}(?:[:=]|is\b|of\b|must\b|should\b)
    | \b(?:respond|reply|return|output|answer)\b\s+(?:only\s+|just\s+)?(?:with|as)\b[^.!?\n]{0,30}
        (?:json|verdict|answered|outdated|resolved|\{)
    | \b(?:the\s+)?checker\b[^.!?\n]{0,40}\b(?:must|should|shall|can|may|will|note|please)\b
    | \b(?:note|notice|message|instructions?|attention)\b\s+(?:to|for)\s+(?:the\s+|any\s+|all\s+)?
        (?:ai\s+)?(?:checkers?|models?|ai|llms?|assistants?|reviewers?)\b
    | (?:^|\n)\s*[\[<(*_]{0,3}(?:system|assistant|developer|human|user)\b[^\n:]{0,20}[\]>)*_]{0,3}\s*:
    | \b(?:system\s+prompt|end\s+of\s+(?:data|transcript|conversation))\b
    | schlie(?:ß|ss)\w*[^.!?\n]{0,20}\bfrage
    | \bfrage\b[^.!?\n]{0,30}(?:schlie(?:ß|ss)|erledigt\s+markier)
    | ignoriere?\b[^.!?\n]{0,40}(?:anweisung|regel)
    | \b(?:ferm|clo[sr]|fermer)\w*[^.!?\n]{0,20}\bquestion
    | \bignor\w+[^.!?\n]{0,40}\b(?:instructions|instrucciones|istruzioni|instruções|règles|reglas)
    | \b(?:cierr|cerrar|fech|chiud)\w*[^.!?\n]{0,20}\b(?:pregunta|pergunta|domanda|questão)
    | (?:закр\w+|заверш\w+)[^.!?\n]{0,20}вопрос
    | игнорир\w+[^.!?\n]{0,40}(?:инструкц|правил)
    | 关闭[^。！？\n]{0,10}问题 | 忽略[^。！？\n]{0,20}(?:指令|指示|说明)
    | 質問を[^。！？\n]{0,10}(?:閉じ|クローズ|解決) | 指示を無視
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Orders about questions, or to whoever reads the conversation, and lines that play another part of it."""

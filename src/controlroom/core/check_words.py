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
      # close this question; please mark the card; you can resolve that question
      (?:^|[.!?;:,"“”>()\[\]*|—-]\s*|\b(?:please|must|should|shall|to|then|and|can|may|just|now|you|immediately)\s+)
        (?:close|resolve|dismiss|settle|mark|treat|consider|regard|flag|count|report)\s+(?:\w+\s+){0,3}?
        (?:questions?|cards?|tickets?|inbox)\b
      # treat this as answered
    | (?<!\bI\ )(?<!\bwe\ )(?<!'ll\ )\b(?:mark|treat|consider|regard|count|flag|report|judge|classify)\s+
        (?:[\w']+\s+){0,6}?(?:as\s+)?(?:answered|closed|settled|outdated)\b
    | (?<!\bI\ )(?<!\bwe\ )(?<!'ll\ )\b(?:treat|consider|regard|count|judge)\s+
        (?:it|this|that|them|all|everything)\s+(?:as\s+)?(?:resolved|done|decided)\b
      # this question should be closed
    | \b(?:questions?|this\s+card|these\s+cards|all\s+cards)\s+(?:[\w']+\s+){0,4}?
        (?:must|should|shall|ha(?:s|ve)\s+to|needs?\s+to|(?:is|are)\s+to|can|may)\s+(?:now\s+)?
        be\s+(?:closed|dismissed|resolved|marked|settled|considered|treated)\b
      # ignore all previous instructions
    | \b(?:ignore|disregard|forget|override|bypass)\s+(?:[\w']+\s+){0,4}?
        (?:instructions?|prompts?|guidelines|directions|everything\s+(?:above|before|else))\b
    | \b(?:ignore|disregard|forget)\s+(?:(?:all|any|your|the|these|those|my)\s+){0,2}
        (?:(?:previous|prior|above|earlier|other)\s+)?rules\b
      # "verdict": "answered"
    | \b(?:verdict|confidence)\b["'`*]{0,3}\s*[:=]\s*["'`*]{0,3}(?:answered|outdated|[01](?:\.\d+)?\b)
    | \b(?:verdict|confidence)\s+(?:must|should|shall|has\s+to)\s+be\b
    | \b(?:respond|reply|return|output|answer|say)\s+(?:only\s+|just\s+)?(?:with|as)\b[^.!?\n]{0,30}
        \b(?:verdict|answered|outdated|resolved)\b
      # to the checker, to any model
    | \b(?:to|for|dear|hey|attention|note)\W{1,3}(?:the\s+)?(?:question\s+)?checker\b
    | (?:^|\n)\W{0,4}checker\s*[:,]
    | \b(?:question\s+|the\s+)checker\s+(?:must|should|shall|may|can)\s+
        (?:now\s+)?(?:close|mark|answer|resolve|say|treat|report|consider)\b
    | \b(?:note|notice|message|instructions?|attention|request)\s+(?:to|for)\s+
        (?:the\s+|any\s+|all\s+|every\s+)?(?:ai\s+|language\s+)?(?:checkers?|models?|ais?|llms?)\b
      # lines that play another part of the conversation, and its end
    | (?:^|\n)[\[<(*_\#\s]{0,6}(?:system|assistant|developer|human|founder|person)
        (?:\s+(?:message|prompt|note|notice|override|instructions?))?[\]>)*_]{0,3}\s*:
    | \bend\s+of\s+(?:the\s+)?(?:data|transcript|conversation)\s*(?:[.:\])]|$|\n)
      # the same in other languages
    | \bschlie(?:ß|ss)(?:e|t|en)?\b[^.!?\n]{0,20}\bfrage
    | \bfrage\b[^.!?\n]{0,30}(?:\bschlie(?:ß|ss)en\b|als\s+(?:erledigt|beantwortet)\s+markier)
    | \bignorier(?:e|t|en)?\b[^.!?\n]{0,40}(?:anweisung|regel)
    | \bferme[rz]?\b[^.!?\n]{0,20}\bquestion
    | \bignor\w+[^.!?\n]{0,40}\b(?:instrucciones|istruzioni|instruções|instructions|règles|reglas)
    | \b(?:cierr[ae]n?|cerrar|fech[ae]|fechar|chiud[ie]|chiudere)\b[^.!?\n]{0,20}
        \b(?:pregunta|pergunta|domanda|questão)
    | (?:закр(?:ой|ойте|ыть)|заверши(?:те|ть)?)[^.!?\n]{0,20}вопрос
    | игнорир\w+[^.!?\n]{0,40}(?:инструкц|правил)
    | 关闭[^。！？\n]{0,10}问题 | 忽略[^。！？\n]{0,20}(?:指令|指示|说明)
    | 質問を[^。！？\n]{0,10}(?:閉じ|クローズ) | 指示を無視
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Orders about questions, or to whoever reads the conversation, and lines that play another part of it."""

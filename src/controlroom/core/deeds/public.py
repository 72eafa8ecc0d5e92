"""What other people get to see."""

from __future__ import annotations

from controlroom.core.deeds.phrase import NOT_A_SURFACE, phrase

_NOT_PUBLIC = (
    r"(?!(?: [^\s,;]+){0,6} (?:events?|messages? (?:to|on) (?:the )?(?:queue|bus|topic|broker)|topics?"
    r"|queues?|kafka|mqtt|bus|subscribers?|redis|signals?|observables?|rabbitmq|nats|stream|metrics"
    r"|artifacts?|internally|internal|locally|private|privately|staging|preview|drafts?|button|page"
    r"|workflow|job|step|screen readers?|aria|live region)\b)"
)
_PLACES = (
    r"twitter|x|x\.com|linkedin|facebook|instagram|reddit|hacker ?news|hn|mastodon|bluesky|threads|blog"
    r"|forum|slack|discord|telegram|whatsapp|youtube|tiktok|product hunt|website|web ?site|homepage"
    r"|mailing list|newsletter|app store|play store|store|press|community|stack ?overflow|medium|substack"
    r"|google(?: maps| play)?|trustpilot|yelp|glassdoor|quora|github discussions|npm|pypi|crates\.io"
    r"|docker hub|maven central|public"
)
_AUDIENCE = (
    r"customers?|clients?|subscribers?|newsletter|mailing list|press|journalists?|investors?|all users"
    r"|every user|our users|the users|everyone|leads|partners?|suppliers?|vendors?|landlord|lawyers?"
    r"|candidates?|applicants?|followers|audience|the team|reporter|maintainers?"
)
PUBLIC = (
    phrase(
        "public",
        r"(?<![\w-])publish(?:es|ing)? (?:it|this|that|them|these|the|a|an|our|my|your|version|release"
        r"|v?\d\S*|to|on|now|all|both|everything|under|as)\b"
        + _NOT_PUBLIC
        + r"|(?<![\w-])publish(?=$| ?[?:])|\b(?:is|are|be|gets?|will be|goes|go) (?:\w+ )?(?:published"
        r"|posted (?!to (?:/|the (?:api|server|endpoint)))|posted$|tweeted|public$|live$)"
        + _NOT_PUBLIC
        + r"|(?<![\w-])releas(?:e|es|ing) (?:it|this|version|v?\d\S*|the (?:\S+ )?(?:package|app|update"
        r"|crate|gem|plugin|extension|library))\b(?! (?:notes|branch))"
        + r"|\b(?:shall|should|may|can|do) i send (?:it|this|that|them)(?: out| now| off| today"
        r"| as (?:it )?is)*(?= ?[?]|$)",
        in_context=False,
    ),
    phrase(
        "public",
        rf"(?<![\w-])(?:posts?|posting|publish(?:es|ing)?|releas(?:e|es|ing)|upload(?:s|ing)?|push(?:es"
        rf"|ing)?|submit(?:s|ting)?|shar(?:e|es|ing)|announc(?:e|es|ing)|cross-?post|repl(?:y|ies|ying)"
        rf"|comment(?:s|ing)?|respond|answer)(?: [^\s,;]+){{0,8}}? (?:to|on|in|via|at) (?:the |our |my "
        rf"|your |a )?(?:\w+ )?(?:{_PLACES})(?![\w-])"
        r"(?! (?:page|api client|component|button|icon|hook|layout|config|slice|reducer|class))",
        in_context=False,
    ),
    phrase(
        "public",
        r"(?<![\w-])post (?:it|this|that|them)\b(?! to (?:/|the (?:api|endpoint|server|backend|url"
        r"|webhook)))|(?<![\w-])post (?:a|an|the|my|our|your|this|that) (?:[^\s,;]+ ){0,3}(?:announcement"
        r"|reply|comment|tweet|thread|update|article|review|photo|video|message|link|job ad"
        r"|ad|job|story|apology|statement|response)\b" + NOT_A_SURFACE,
        in_context=False,
    ),
    phrase(
        "public",
        r"(?<![\w-])(?:tweet|toot|retweet) (?:it|this|that|the|about|out|from|a|our)\b"
        + NOT_A_SURFACE
        + r"|\bannounc(?:e|es|ing) (?:it|this|that|the|our|publicly|a)\b"
        + _NOT_PUBLIC
        + r"|\b(?:go|goes|going|put|push|set|make|take|bring) (?:it |this |them |the \S+ "
        r"|the \S+ \S+ )?live\b(?![ -](?:region|reload|view|data|test))|\bopen[- ]sourc(?:e|es|ing) (?:it"
        r"|this|the|our|them)\b",
        in_context=False,
    ),
    phrase(
        "public",
        r"\b(?:mak(?:e|es|ing)|turn(?:s|ing)?|set(?:s|ting)?|chang(?:e|es"
        r"|ing)) (?!(?:[^\s,;]+ ){0,5}(?:methods?|fields?|functions?|class|classes|constructors?|members?"
        r"|variables?|attributes?|modules?|types?|interface|getters?|setters?|helpers?|constants?|structs?"
        r"|propert(?:y|ies)|enum|traits?|const)\b)(?:[^\s,;]+ ){1,5}?(?:to "
        r"|visible to )?public\b(?! (?:api|method|field|class|function|member|static|interface|property))",
        in_context=False,
    ),
    phrase(
        "public",
        rf"\b(?:send|sends|sending|blast|mail|reply|replying|respond|write|writing|answer"
        rf"|forward)(?: [^\s,;]+){{0,7}}? (?:to )?(?:the |our |all |all the |my |a |that |this "
        rf"|every )*(?:{_AUDIENCE})"
        + NOT_A_SURFACE
        + rf"|(?<![\w-])(?:e-?mail|e-?mailing|message|text|dm|contact|call|invite) (?:the |our |all "
        rf"|all the |my |a |that |this |every |\d+ )*(?:{_AUDIENCE})"
        + NOT_A_SURFACE
        + r"|\bsend(?:ing)? (?:out )?(?:the |a |an |this |that |our |out )+(?:\w+ )?(?:newsletter"
        r"|press release"
        r"|campaign|announcement|e-?mails?|letter|invitations?|offer|tweet)\b" + NOT_A_SURFACE,
        in_context=False,
    ),
    phrase(
        "public",
        r"\bunpublish\w*\b|\byank(?:s|ing)? (?:the|it|version|release|v?\d)|\btake (?:it|the (?:site|page"
        r"|app|service|shop|store|website)) (?:down|offline)\b|\b(?:in|under) (?:your|my) (?:own )?name\b"
        r"|\bon (?:your|my) behalf\b|\b(?:file|submit|sign|lodge) (?:the |our |my |your |a "
        r"|an )?(?:\w+ )?(?:tax returns?|complaint|insurance claim|patent|trademark|visa application"
        r"|petition)\b|\b(?:comment(?:s|ing)?|repl(?:y|ies|ying)|respond(?:s|ing)?|answer(?:s|ing)?) (?:on"
        r"|to|in) (?:the |a |our )?(?:customer|client)s?\b|\b(?:invite|notify|inform|contact|write to"
        r"|tell) (?:the |all |our )*(?:\w+ )?(?:users|customers|subscribers|members|clients"
        r"|people) by (?:e-?mail|mail|sms|letter|phone|post)\b",
        in_context=False,
    ),
    phrase(
        "public",
        r"\b(?:open|file|create|submit)(?:ing)? (?:a |an |the )?(?:public )?(?:issue|pull request|pr"
        r"|bug report|ticket) (?:on|in|at|with|against) (?:the )?(?:upstream|their|public|vendor)\b"
        r"|\b(?:submit|submitting)(?: [^\s,;]+){0,4} (?:to|for) (?:the )?(?:app store|review by apple"
        r"|play store|conference|journal|competition|authorit(?:y|ies)|court|tax office)\b",
        in_context=False,
    ),
    phrase(
        "public",
        r"\b(?:ver(?:o|oe)ffentlich(?:e|en|t)|publizier(?:e|en|t))\b(?! \w*(?:event"
        r"|nachricht an die queue))|\b(?:poste|posten|gepostet|twittern|twittere|ankundigen|kundige"
        r"|bekanntgeben)\b|\b(?:live|online) (?:schalten|stellen|gehen|nehmen)\b|\boffentlich (?:machen"
        r"|stellen|zuganglich)\b|\b(?:newsletter|kunden|presse|abonnenten|mail|e-mail|rundmail"
        r"|pressemitteilung)\b(?: [^\s,;]+){0,4} (?:verschicken|versenden|rausschicken|senden|schicken"
        r"|anschreiben|antworten)\b|\b(?:schick|sende?|schreib)\w*(?: [^\s,;]+){0,5} (?:kunden|presse"
        r"|abonnenten|newsletter)\b",
        in_context=False,
        turned=True,
    ),
    phrase(
        "public",
        r"\bpubli(?:er|e|ez|ons|ent|era)\b(?! (?:un |l'|les )?evenements?)|\b(?:poster|postez|tweeter"
        r"|annoncer|annoncez|diffuser)\b|\bmettre en ligne\b|\brendre (?:\S+ ){0,3}publi(?:c|que|cs"
        r"|ques)\b|\b(?:envoyer|envoie|envoyez|ecrire|repondre)(?: [^\s,;]+){0,5} (?:clients?|abonnes"
        r"|presse|newsletter|journalistes?)\b",
        in_context=False,
    ),
    phrase(
        "public",
        r"\bpubli(?:car|carl[oa]s?|camos|que|quemos)\b(?! (?:el |un |los )?eventos?)|\b(?:postear|tuitear"
        r"|anunciar|difundir)\b|\bhacer(?:l[oa]s?)? (?:\S+ ){0,3}public[oa]s?\b"
        r"|\btornar (?:\S+ ){0,3}public[oa]s?\b|\b(?:tuitar|postar|divulgar)\b|\b(?:enviar|envio|escribir"
        r"|responder|mandar|escrever)(?: [^\s,;]+){0,5} (?:clientes?|suscriptores|prensa|newsletter"
        r"|boletin|assinantes|imprensa)\b",
        in_context=False,
    ),
    phrase(
        "public",
        r"\bpubblic(?:are|arl[oaie]|hiamo|hi)\b(?! (?:un |l'|gli )?event[oi])|\b(?:postare|twittare"
        r"|annunciare|diffondere)\b|\brendere (?:\S+ ){0,3}pubblic(?:o|a|i|he)\b|\bmettere online\b"
        r"|\b(?:inviare|scrivere|rispondere|mandare)(?: [^\s,;]+){0,5} (?:client[ei]|iscritti|stampa"
        r"|newsletter|giornalist[ai])\b",
        in_context=False,
    ),
    phrase(
        "public",
        r"(?:发布|发表|公布|宣布|上线|上架|开源)(?!事件|消息|者|分支|按钮|页|流程|说明|日期|时间|方法|接口"
        r"|类|字段|订阅|到队列|脚本|日志)|发帖|发推|群发|公开(?!方法|接口|类|字段|的?方法|属性|变量|密钥"
        r"|成员)|(?:发送?|回复|通知)[^，。；]{0,8}(?:客户|所有用户|全体用户|媒体|订阅者|新闻稿)",
        in_context=False,
    ),
    phrase(
        "public",
        r"(?<!メソッドを)(?<!クラスを)(?<!フィールドを)(?<!関数を)(?<!イベントを)(?:公開|投稿|ツイート"
        r"|発表|配信|リリース|掲載|告知)(?:し|する|を?お願い|[?]|$)|(?:顧客|お客様|ユーザー全員|購読者"
        r"|プレス|取引先)[^、。]{0,10}(?:送信|送|メール|返信|連絡)(?:し|する|って|り|る)",
        in_context=False,
    ),
)

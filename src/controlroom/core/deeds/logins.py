"""Logins, secrets and rights."""

from __future__ import annotations

from controlroom.core.deeds.phrase import NOT_A_SURFACE, deed, phrase, turned

_EN_SECRETS = (
    r"passwords?|passphrases?|passcodes?|credentials?|api[- ]?keys?|access[- ]?keys?|(?:access|auth|bearer"
    r"|api|personal access|deploy|bot|refresh|npm|github|pypi|production|prod|service) tokens?"
    r"|client secrets?|secrets?(?: keys?)?|(?:private|ssh|gpg|signing|encryption|deploy|license"
    r"|licence) keys?|otp|2fa(?: codes?)?|mfa(?: codes?)?|one[- ]time (?:codes?|passwords?)"
    r"|verification codes?|recovery codes?|seed phrase|(?:the|your|my) pin|logins?|service accounts?"
)
LOGINS = (
    phrase(
        "login",
        r"(?:\b(?:can|could|will|would|please|must|should|need|needs|have|want|let|let me|help|me|you|us"
        r"|i) |^|[:,(] ?)(?:you |i |me |we |to |please |have to |first )*(?:log(?:ging)?"
        r"|sign(?:ing)?) (?:me |us |yourself )?(?:back )?in(?:to)?"
        + NOT_A_SURFACE
        + r"(?! (?:json|plain|utc|text|english|colou?r|one|two|a|batches|order|local|debug|production)\b)",
        in_context=False,
    ),
    phrase(
        "login",
        r"\b(?:needs?|requires?|waits? for|asks? for|wants?) (?:a |an |the |your |you to )?(?:manual "
        r"|fresh |new |interactive |human )*(?:log ?in|sign[- ]?in|re-?authenticat(?:e|ion)|captcha|2fa"
        r"|mfa)" + NOT_A_SURFACE + r"|\b(?:complete|finish|pass|solve|do|approve|confirm) (?:the |a |this "
        r"|your )?(?:\w+ )?(?:log ?in|sign[- ]?in|captcha|2fa|mfa|oauth(?: (?:flow|consent|login))?"
        r"|verification|device code)" + NOT_A_SURFACE + r"|\bre-?authenticate\b|\bscan (?:the|a|this) qr\b",
    ),
    phrase(
        "login",
        r"\b(?:approve|confirm|accept|grant|complete) (?:the |this |an? )?oauth(?: consent)?(?: screen"
        r"| request| dialog)?\b|\bpast(?:e|ing)(?: [^\s,;]+){0,3} (?:tokens?|keys?|secrets?|codes?"
        r"|cookies?)"
        + NOT_A_SURFACE
        + r"|\b(?:disabl(?:e|es|ing)|turn(?:ing)? off|switch(?:ing)? off|bypass(?:ing)?) (?:the |our "
        r"|your )?(?:2fa|mfa|two-factor|firewall)\b|\bmak(?:e|ing) (?:you|me|him|her|them|it"
        r"|\S+@\S+) (?:the |an? )?(?:\w+ )?(?:owner|admin|administrator|maintainer)"
        + NOT_A_SURFACE
        + r"|\bremov(?:e|ing) (?:the |my |your |our |last |only )+(?:admin|administrator|owner"
        r"|maintainer)s?" + NOT_A_SURFACE + r"|\bsign(?:ing)? (?:me|you|us|him|her|them) up\b",
        in_context=False,
    ),
    deed(
        "login",
        r"giv(?:e|es|ing)|send|sending|shar(?:e|ing)|provid(?:e|ing)|past(?:e|ing)|enter|entering|type"
        r"|typing|supply|tell|hand|need|needs|require|requires|get me|export|fill in|rotat(?:e|es|ing)"
        r"|revok(?:e|es|ing)|reissue|regenerat(?:e|ing)|expos(?:e|ing)|commit|leak|what is|what's|which is"
        r"|missing|where (?:is|are|do i find|can i find|do i get|can i get)",
        _EN_SECRETS,
        5,
        in_context=True,
    ),
    deed(
        "login",
        r"(?:us(?:e|es|ing)|chang(?:e|es|ing)|reset(?:s|ting)?|set|creat(?:e|es|ing)|generat(?:e|ing)|add"
        r"|renew|put|upload|print) (?:my|your|our|the|a new|new|his|her|their|root|admin|production|prod"
        r"|live)",
        _EN_SECRETS,
        2,
    ),
    phrase(
        "login",
        r"\b(?:rotat|revok|regenerat|reissu|expos|leak)(?:e|es|ing)?(?: [^\s,;]+){0,4} (?:tokens?|secrets?"
        r"|keys?|certificates?)"
        + NOT_A_SURFACE
        + r"|\b(?:send|give|get|tell|show|hand) me (?:a |an |the |your )?(?:\w+ ){0,2}(?:tokens?|keys?"
        r"|code)"
        + NOT_A_SURFACE
        + r"|\bus(?:e|ing) (?:my|your|the company|his|her) (?:\w+ )?(?:account|identity|name|session"
        r"|cookies?)" + NOT_A_SURFACE,
        in_context=False,
    ),
    phrase(
        "login",
        r"\b(?:grant|give|giving|granting|get|allow|request) (?:me|us|it|him|her|them|the (?:agent|bot|app"
        r"|integration|service|contractor)|this (?:app|bot))? ?(?:\w+ ){0,3}(?:access|permissions?"
        r"|admin(?:istrator)?(?: rights)?|root|sudo|owner(?:ship)?|rights)(?![\w-])(?! (?:control|modifier"
        r"|log|check|denied|token field|level|specifier))|\badd (?:me|him|her|them|it|the bot"
        r"|\S+@\S+) as (?:an? )?(?:\w+ )?(?:admin|owner|collaborator|maintainer|member)\b"
        r"|\bauthori[sz]e (?:the|this|me|my|our) (?:\w+ )?(?:app|device|access|login|integration"
        r"|account)\b",
        in_context=False,
    ),
    phrase(
        "login",
        r"\b(?:create|creating|open|opening|register|registering|make)(?: \w+)? (?:a|an|the|our|your|my"
        r"|new)(?: [^\s,;]+){0,2} accounts? (?:on|at|with|for|in|there)\b",
        in_context=False,
    ),
    phrase(
        "login",
        r"\b(?:melde|melden|logge|loggen|log) (?:du |dich |sie |sich |mich "
        r"|bitte )*(?:[^\s,;]+ ){0,5}(?:an|ein)\b|\b(?:bei|in|im|mit) (?:[^\s,;]+ ){1,5}(?:anmelden"
        r"|einloggen)\b|\b(?:einloggen|anmelden)\b(?=[ ?]*$)",
        in_context=False,
    ),
    deed(
        "login",
        r"gib|gibst|geben|nenne?|nennen|schick(?:e|en|st)?|send(?:e|en)|brauch(?:e|en|t)|benotig(?:e|en|t)"
        r"|erzeug(?:e|en)|erstell(?:e|en)|widerruf(?:e|en)|teil(?:e|en)|erteil(?:e|en)|gewahr(?:e|en)"
        r"|fehlt",
        r"passwort|kennwort|zugangsdaten|api[- ]?key|api[- ]?schlussel|\w*token|pin|tan|zugang|zugriff"
        r"|berechtigung(?:en)?|admin-?rechte|ssh-?key|(?:privaten?|geheimen?) schlussel|(?:2fa-?"
        r"|bestatigungs)code",
    ),
    turned(
        "login",
        r"passwort|kennwort|zugangsdaten|api[- ]?key|api[- ]?schlussel|\w*token|pin|tan|zugang|zugriff"
        r"|berechtigung(?:en)?|ssh-?key|schlussel|\w*code",
        r"geben|schicken|senden|eingeben|nennen|brauchen|benotigt|teilen|mitteilen|hinterlegen|erteilen"
        r"|gewahren|andern|zurucksetzen|erzeugen|erstellen|widerrufen|eintragen",
    ),
    phrase(
        "login",
        r"\b(?:se|me|vous|te|nous) (?:re)?connecter\b|\b(?:re)?connect(?:ez-vous|e-toi)\b",
        in_context=False,
    ),
    deed(
        "login",
        r"donn(?:er|e|ez)(?:-moi)?|envoy(?:er|ez)|envoie|fourn(?:ir|issez|is)|saisi(?:r|ssez|s)|entr(?:er"
        r"|ez)|partag(?:er|ez)|besoin|communiqu(?:er|ez)|coll(?:er|ez)|chang(?:er|ez)|reinitialis(?:er|ez)"
        r"|cre(?:er|ez)|revoqu(?:er|ez)|accord(?:er|ez)|renouvel(?:er|ez)|faut|manque",
        r"mots? de passe|identifiants|cles? (?:d'|de l')?api|cle privee|jetons?|secrets?"
        r"|code(?: de verification| sms| 2fa)|l'acces|acces",
    ),
    phrase(
        "login",
        r"(?<!de )(?<!boton )(?<!para )\b(?:iniciar|inicia|inicie|inicies|inicio) sesion\b|\bloguear(?:me"
        r"|te|se)\b",
        in_context=False,
    ),
    deed(
        "login",
        r"dar(?:me)?|dame|das|deme|enviar(?:me)?|envia(?:me)?|pas(?:ar|ame|arme)|introduc(?:ir|e|ir)"
        r"|necesit(?:o|as|amos)|compart(?:ir|e|es)|facilit(?:ar|a|ame)|cambi(?:ar|o)|restablec(?:er|o)"
        r"|crear|creo|revoc(?:ar|o)|pega(?:r)?|conced(?:er|e)|falta",
        r"contrasenas?|credenciales|clave(?:s)?(?: de)? api|clave privada|tokens?"
        r"|codigo(?: de verificacion| 2fa| sms)?|acceso",
    ),
    phrase(
        "login",
        r"\b(?:effettu(?:are|a|i)|fa(?:re|i|cci)) (?:il |l')?(?:login|accesso)\b|\baccedere con\b",
        in_context=False,
    ),
    deed(
        "login",
        r"dar(?:e|mi)|dammi|dai|invia(?:re|rmi|mi)?|forni(?:re|sci|rmi)|inseri(?:re|sci|sca)|serv(?:e|ono)"
        r"|condivid(?:ere|i)|cambi(?:are|o)|reimpost(?:are|o)|crea(?:re)?|revoc(?:are|o)|incoll(?:are|a)"
        r"|conced(?:ere|i)|comunic(?:are|ami)|manca",
        r"password|credenziali|chiave api|chiave privata|token|codice(?: di verifica| otp| 2fa)?|accesso",
    ),
    phrase(
        "login",
        r"(?<!de )(?<!botao )\b(?:fazer|faca|faz) (?:o )?login\b|\biniciar sessao\b",
        in_context=False,
    ),
    deed(
        "login",
        r"dar|da|enviar|envie|envia|pass(?:ar|e|a)|fornec(?:er|a|e)|inserir|insira|digit(?:ar|e)"
        r"|precis(?:o|amos|a)|compartilh(?:ar|e)|mud(?:ar|o)|troc(?:ar|o)|redefin(?:ir|o)|cri(?:ar|o|e)"
        r"|revog(?:ar|o)|col(?:ar|e)|conced(?:er|a)|falta",
        r"senha|palavra-passe|credenciais|chave(?: de| da)? api|chave privada|token"
        r"|codigo(?: de verificacao| 2fa| sms)?|acesso",
    ),
    phrase(
        "login",
        r"(?:请|需要|帮|你|您|先|手动|能否|可以|重新|扫码|人工)[^，。；]{0,6}登[录陆入](?!页|按钮|表单|框"
        r"|接口|功能|状态|逻辑|模块|流程|样式|颜色|组件|态|后|日志|时)|(?:提供|给我|发给?我?|输入|告诉"
        r"|需要|分享|填写|重置|修改|更换|创建|生成|吊销|撤销|贴)[^，。；]{0,10}(?:密码|口令|密钥|秘钥|凭证"
        r"|凭据|验证码|令牌|token|api ?key|私钥|助记词|权限)(?!字段|输入框|框|页|强度|规则|校验|哈希|长度"
        r"|组件|按钮|表单|类)",
        in_context=False,
    ),
    phrase(
        "login",
        r"(?:ログイン|サインイン)(?:を?お願い|して(?!い)|していただ|してください|しても|する必要|が必要"
        r"|できますか)|(?:パスワード|暗証番号|認証情報|apiキー|api キー|秘密鍵|トークン|確認コード"
        r"|認証コード|ワンタイム\S*|権限)(?!欄|入力欄|フィールド)[^、。]{0,8}(?:教え|送って|送り|渡|共有"
        r"|必要|提供|貼|発行|リセット|再発行|失効|ください|いただ|入力して|付与|変更し)",
        in_context=False,
    ),
)

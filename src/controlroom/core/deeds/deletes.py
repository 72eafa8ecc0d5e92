"""Deletes that cannot be undone."""

from __future__ import annotations

import re

from controlroom.core.deeds.phrase import NOT_A_SURFACE, deed, phrase, turned

HARMLESS_OBJECTS = re.compile(
    r"\b(?:tests?|testing|temp|temporary|tmp|cached?|caches|mock\w*|fake|dummy|fixtures?|sample|scratch"
    r"|generated|throwaway|demo|seed|sandbox|empty (?!the|my|our)\w+|build|node_modules|placeholder"
    r"|duplicate import|unused import|test\w*daten\w*|temporar\w*|temporaire\w*|d'essai|de prueba|di prova"
    r"|de teste)\b|テスト|一時|测试|临时|缓存"
)
"""What can be made anew: a delete that names it is none."""

_EN_THINGS = (
    r"data|databases?|db|dbs|datasets?|tables?|schemas?|records?|backups?|snapshots?|buckets?|volumes?"
    r"|disks?|drives?|partitions?|servers?|instances?|clusters?|vms?|machines?|accounts?|users?|customers?"
    r"|clients?|repos?|repository|repositories|history|e-?mails?|inbox|mailbox|messages|photos?|pictures"
    r"|videos|documents|invoices|orders|subscriptions?|domains?|dns|projects?|workspaces?|organi[sz]ations?"
    r"|tenants?|everything|uploads|namespaces?|stacks?|environments?|unmerged branch(?:es)?|production|prod"
    r"|(?:all|user|customer|client|uploaded|untracked|original|personal|raw) (?:of )?(?:the |my "
    r"|our )?(?:files?|folders?|images?)|home (?:folder|directory)"
)
_EN_DELETE = (
    r"delet(?:e|es|ing|ion of)|drop(?:s|ping)?|wip(?:e|es|ing)(?: out)?|eras(?:e|es|ing)|purg(?:e|es|ing)"
    r"|destroy(?:s|ing)?|truncat(?:e|es|ing)|nuk(?:e|es|ing)|terminat(?:e|es|ing)|tear(?:s|ing)? down"
)
_EN_GONE = r"deleted|dropped|wiped|erased|purged|destroyed|truncated|lost|overwritten|gone"

DELETES = (
    phrase(
        "delete",
        r"\brm -(?:rf|fr|r -f)\b(?! *\S*(?:node_modules|build|dist|target|tmp|cache|venv|\.next|coverage"
        r"|out/))|\bdrop (?:table|database|schema|column|collection)\b|\btruncate table\b|\bdelete from \w"
        r"|\bforce[- ]push(?:es|ing|ed)?\b|\bpush (?:\S+ ){0,3}(?:-f|--force(?:-with-lease)?)\b"
        r"|\breset --hard\b|\bgit clean -\w*f|\bterraform destroy\b|\bmkfs\b|\bflush(?:all|db)\b"
        r"|\bfilter-(?:repo|branch)\b|\brewrit(?:e|es|ing) (?:the )?(?:git |commit |public )?history\b",
        literal=True,
        of_users=False,
    ),
    phrase(
        "delete",
        r"\birreversibl[ey]\b|\birrevocabl[ey]\b|\birrecoverabl[ey]\b|\bunrecoverabl[ey]\b|\b(?:can ?not"
        r"|can't|can never|could not|couldn't) be (?:undone|reversed|recovered|restored|rolled back"
        r"|taken back|brought back)\b|\bno way back\b|\bthere is no undo\b|\bnot (?:recoverable"
        r"|reversible)\b|\bpermanently (?:delet|remov|eras|los|drop|destroy|clos)\w*|\b(?:delet|remov|eras"
        r"|lost|gone|wip)\w*(?: [^\s,;]+){0,6} (?:forever|permanently|for good)\b",
        of_users=False,
    ),
    deed("delete", _EN_DELETE, _EN_THINGS),
    phrase(
        "delete",
        r"\b(?:delet(?:e|es|ing)|remov(?:e|es|ing)|wip(?:e|es|ing)|clear(?:s"
        r"|ing)?)(?: [^\s,;]+){0,5} \(?(?:~/|/home/|/srv/|/var/|/mnt/|/data\b|[a-z]:\\)|\b(?:discard(?:s"
        r"|ing)?|throw(?:s|ing)? away|overwrit(?:e|es|ing)|los(?:e|es"
        r"|ing))(?: [^\s,;]+){0,2} (?:uncommitted|local|unsaved|unpushed|my|your|their|all|his"
        r"|her)(?: \w+)? (?:changes|work|edits|commits)\b|\bempt(?:y|ies|ying) (?:the |my "
        r"|our )?(?:\w+ )?(?:trash|bin|recycle bin|inbox|bucket|database|table)"
        + NOT_A_SURFACE
        + r"|\b(?:clos(?:e|es|ing)|deactivat(?:e|es|ing)|cancel(?:s|ling|ing)?) (?:the |my |our |this "
        r"|your |that )?(?:\w+ ){0,2}accounts?" + NOT_A_SURFACE,
        in_context=False,
    ),
    phrase(
        "delete",
        r"\b(?:remov(?:e|es|ing)|delet(?:e|es|ing)|clear(?:s|ing)?)(?: [^\s,;]+){1,7} (?:from|on"
        r"|in) (?:the |our |my )?(?:s3|bucket|disk|nas|drive|cloud|production|prod|archive|object storage)"
        + NOT_A_SURFACE
        + r"|\b(?:wip(?:e|es|ing)|eras(?:e|es|ing)|factory[- ]reset"
        r"|reinstall)(?: [^\s,;]+){0,3} (?:phones?|laptops?|computers?|devices?|tablets?|pcs?|machines?)"
        + NOT_A_SURFACE
        + r"|\b(?:disabl(?:e|es|ing)|turn(?:ing)? off|stop(?:ping)?) (?:the |all |our )*backups?"
        + NOT_A_SURFACE
        + r"|\brewrit(?:e|es|ing)(?: [^\s,;]+){0,4} commits?\b",
        in_context=False,
    ),
    deed("delete", r"drop(?:s|ping)?", r"(?:the |this |that |old )*(?:\w+ )?columns?", 0),
    deed(
        "delete",
        r"remov(?:e|es|ing)|clear(?:s|ing)?(?: out)?|overwrit(?:e|es|ing)|reset(?:s|ting)?|los(?:e|es|ing)",
        r"databases?|(?:all|customer|user|client|production|prod|live)(?: \w+)? data|production|backups?"
        r"|accounts?|repository|buckets?|volumes?|history|mailbox|inbox",
    ),
    deed(
        "delete",
        r"format(?:s|ting)?|repartition",
        r"(?:the |this |that |my )?(?:\w+ )?(?:disks?|drives?|partitions?|sd cards?)",
        0,
    ),
    turned(
        "delete",
        _EN_THINGS,
        rf"(?:is|are|be|being|gets?|get|will be)(?: \w+)? (?:{_EN_GONE})",
        3,
    ),
    deed(
        "delete",
        r"losch(?:e|en|t|st)|loesch(?:e|en|t)|vernicht(?:e|en|et)|uberschreib(?:e|en|t)|leer(?:e|en|t)"
        r"|zerstor(?:e|en|t)",
        r"\w*datenbank(?:en)?|daten|\w+daten|tabellen?|backups?|sicherung(?:en)?|konto|konten|kunden"
        r"|benutzer|nutzer|repository|historie|verlauf|mails|e-mails|nachrichten|fotos|server|festplatte"
        r"|partition|bucket|rechnungen|bestellungen|archiv|alles",
    ),
    turned(
        "delete",
        r"\w*datenbank(?:en)?|daten|\w+daten|tabellen?|backups?|sicherung(?:en)?|\w*konto|\w*konten|kunden"
        r"|benutzer|nutzer|repository|historie|verlauf|mails|e-mails|nachrichten|fotos|server|festplatte"
        r"|partition|bucket|rechnungen|bestellungen|archiv|alles",
        r"(?:unwiderruflich |endgultig |komplett )?(?:losch(?:en|t)|geloscht|loeschen|geloescht|vernichten"
        r"|uberschreiben|uberschrieben|leeren|geleert|zerstoren|entfernen|verworfen|verwerfen)",
        5,
    ),
    phrase(
        "delete",
        r"\bunwiderruflich\b|\bunwiederbringlich\b|\bunumkehrbar\b|\bnicht (?:mehr )?(?:ruckgangig"
        r"|wiederherstell\w+)",
    ),
    deed(
        "delete",
        r"supprim(?:er|e|ez|ons|ent|era|ant)|effac(?:er|e|ez)|detrui(?:re|t|s)|vid(?:er|e|ez)|ecras(?:er|e"
        r"|ez)|purg(?:er|e)",
        r"base|bases|donnees|tables?|sauvegardes?|comptes?|utilisateurs?|clients?|depot|historique"
        r"|courriels|e-?mails|messages|photos|serveurs?|disque|bucket|production|prod|archives?|tout"
        r"|toutes|factures|commandes|enregistrements",
    ),
    phrase(
        "delete",
        r"\birreversibles?\b|\birrecuperables?\b|\bsans retour(?: en arriere)?\b|\bdefinitivement\b",
    ),
    deed(
        "delete",
        r"borr(?:ar|an?|en?|o|amos|aria)(?:l[oa]s?)?|elimin(?:ar|an?|en?|o|amos)(?:l[oa]s?)?|suprim(?:ir"
        r"|e)|destru(?:ir|ye)|vaciar|sobrescribir|purgar",
        r"bases?|datos|tablas?|copias?|backups?|cuentas?|usuarios?|clientes?|repositorio|historial|correos"
        r"|mensajes|fotos|servidor|disco|produccion|facturas|pedidos|registros|todo|todos|todas",
    ),
    phrase("delete", r"\bpara siempre\b|\bdefinitivamente\b|\bno se puede[n]? (?:deshacer|recuperar)\b"),
    deed(
        "delete",
        r"cancell(?:are|a|o|iamo)|elimin(?:are|a|o|iamo)|distrugg\w+|svuot(?:are|a|o)|sovrascriv\w+",
        r"database|dati|tabell[ae]|backup|account|utent[ei]|client[ei]|repository|cronologia|e-?mail"
        r"|messaggi|foto|server|disco|produzione|fatture|ordini|tutto|tutti|tutte",
    ),
    phrase(
        "delete",
        r"\birreversibil[ei]\b|\birrecuperabil[ei]\b|\bper sempre\b|\bnon si puo annullare\b",
    ),
    deed(
        "delete",
        r"apag(?:ar|o|a|amos|ue)|exclu(?:ir|i|imos|o)|delet(?:ar|o|a)|elimin(?:ar|o|a)|destru(?:ir|i)"
        r"|limpar|sobrescrever",
        r"banco|bases?|dados|tabelas?|backups?|copias?|contas?|usuarios?|utilizadores|clientes?"
        r"|repositorio|historico|e-?mails|mensagens|fotos|servidor|disco|producao|faturas|pedidos"
        r"|registros|tudo|todos|todas",
    ),
    turned(
        "delete",
        r"base de (?:donnees|datos|dados)|donnees|sauvegardes?|comptes?|datos|tablas?|cuentas?|database"
        r"|dati|tabell[ae]|banco de dados|dados|tabelas?|contas?|clients?|clientes|clienti|backups?"
        r"|historique|historial|cronologia|historico",
        r"(?:supprime|efface|detruit|ecrase|perdu|borrad|eliminad|destruid|perdid|cancellat|eliminat"
        r"|distrutt|pers|apagad|excluid|deletad)\w*",
        3,
    ),
    phrase(
        "delete",
        r"\birreversive(?:l|is)\b|\bnao (?:pode|da para) (?:ser )?desfeit\w+\b|\bpara sempre\b",
    ),
    phrase(
        "delete",
        r"(?:删除|清空|销毁|抹掉|格式化|覆盖|删掉)[^，。；]{0,14}(?:数据库|数据|表(?!格|单|头|达)|备份"
        r"|账号|账户|用户|客户|仓库|历史|邮件|消息|照片|服务器|磁盘|生产|订单|发票|全部|所有)(?!类|类型"
        r"|模型|页面|组件|按钮|字段|列表组件)|(?:数据库|数据|备份|账号|账户|用户|客户|仓库|历史|邮件|照片"
        r"|服务器|磁盘|订单|发票|全部)[^，。；不]{0,8}(?:删除|清空|销毁|删掉|丢失)|不可(?:恢复|撤销|逆)"
        r"|无法(?:恢复|撤销|找回)|永久(?:删除|丢失)",
        of_users=False,
    ),
    phrase(
        "delete",
        r"(?:データベース|データ|テーブル|バックアップ|アカウント|ユーザー|顧客|リポジトリ|履歴|メール"
        r"|メッセージ|写真|サーバー|ディスク|本番|注文|請求書|レコード|すべて|全て"
        r"|全部)[^、。]{0,12}(?:削除|消去|消し|消す|消え|破棄|初期化|上書き|失われ)|元に戻せ|復元でき"
        r"|復旧でき|取り消せ(?:ない|ません)|取り返し|不可逆|完全に(?:削除|消)|永久に",
        of_users=False,
    ),
)


BARE_DELETE = re.compile(
    r"^(?:(?:yes|ja|oui|si|sim|ok|はい|是)[, ]+)?(?:delete|drop|wipe|erase|purge|destroy|truncate|remove"
    r"|loschen|loeschen|supprimer|effacer|borrar|eliminar|cancellare|eliminare|apagar|excluir|deletar|删除"
    r"|清空|删掉|削除(?:する)?|消す)(?: (?:it|them|all|all of (?:it|them)|everything|both|these|those|now"
    r"|it all|sie|es|alle|tout|todo|tutto|tudo))*$"
)
"""An option that says no more than "Delete it": what, stands in the question."""

THINGS = re.compile(
    rf"(?<![\w-])(?:{_EN_THINGS}|columns?|\w*datenbank|tabellen?|konto|konten|sicherung(?:en)?"
    rf"|base de (?:donnees|datos)|donnees|sauvegardes?|comptes?|datos|tablas?|cuentas?|dati|tabell[ae]"
    rf"|banco de dados|dados|tabelas?|contas?){NOT_A_SURFACE}|数据库|数据|备份|账号|用户|データ|テーブル"
    rf"|アカウント|バックアップ"
)

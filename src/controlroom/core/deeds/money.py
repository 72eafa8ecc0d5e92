"""Money: paid, promised, given back."""

from __future__ import annotations

from controlroom.core.deeds.phrase import AMOUNT, NOT_A_SURFACE, deed, gap, phrase, turned

_EN_BOUGHT = (
    r"plans?|tier|subscriptions?|licen[cs]es?|domains?|hosting|seats?|credits?|tokens?|tickets?|shares?"
    r"|stocks?|hardware|parts?|boards?|samples?|servers?|gpus?|machines?|laptops?|phones?|monitors?|ads?"
    r"|advertising|add-?ons?|certificates?|fonts?|themes?|templates?|courses?|books?|copies|units|food"
    r"|supplies|equipment|service|api|dataset|it|them|one|more"
)
MONEY = (
    phrase(
        "money",
        rf"\b(?:pay|pays|paying|spend|spends|spending|transfer|wire|send|refund|charge|charges|charging"
        rf"|donate|invest|bid|deposit|withdraw|bill|invoice|tip|lend|borrow){gap(5)}{AMOUNT}|\b(?:buy|buys"
        rf"|buying|purchase|order|book|rent|lease|renew|license|hire)\w*{gap(8)}for{gap(2)}{AMOUNT}"
        rf"|{AMOUNT} (?:from|of) (?:the|my|our|your) (?:budget|account|card|balance|credits?)\b",
        of_users=False,
    ),
    phrase(
        "money",
        rf"\b(?:costs?|costing|adds?|extra|billed|charged|kostet|kosten|coute\w*|cuesta\w*|costa|costano"
        rf"|custa\w*){gap(3)}{AMOUNT}|{AMOUNT} ?(?:/|an?|per|im|pro|par|al|por|a) ?(?:mo|month|year|yr|week"
        rf"|day|seat|user|hour|monat|jahr"
        r"|mois|mes|ano|ana|mese|anno)\b",
        in_context=False,
    ),
    deed(
        "money",
        r"(?<!the )(?<!a )(?:pay(?:s|ing)?|settl(?:e|es|ing))",
        r"invoices?|bills?|fees?|prices?|subscriptions?|plans?|domains?|licen[cs]es?|vendors?|suppliers?"
        r"|contractors?|freelancers?|deposit|rent|tax|taxes|salary|salaries|fine|ads?|hosting|money"
        r"|upgrade|renewal|overage",
    ),
    phrase(
        "money",
        r"(?<!you )(?<!we )(?<!they )\bpay(?:s|ing)? for (?!each\b|every\b|itself\b|the (?:lookup"
        r"|allocation|abstraction|render))",
        in_context=False,
    ),
    phrase(
        "money",
        r"(?<![\w-])(?:buy|buying|purchase|purchasing)(?: (?:up|in))? (?:a|an|the|another|more|extra|new"
        r"|one|two|three|\d+|it|them|this|that|these|those|some|our|my|your)\b(?! (?:now )?(?:button|time"
        r"|page|flow|link|form|label|click|event)\b)(?! (?:little|bit|some)? ?time\b)",
        in_context=False,
    ),
    phrase(
        "money",
        rf"\b(?:approv(?:e|ing)|authori[sz](?:e|ing)|accept|accepting|ok(?:ay)? (?:to"
        rf"|for))(?: [^\s,;]+){{0,4}} (?:{AMOUNT}|invoices?|quotes?|expenses?|budget|purchases?|payments?)"
        rf"|\bis {AMOUNT} (?:ok|okay|fine|acceptable|too much|enough)\b|\b(?:which|what|whose) (?:credit"
        rf"|company|corporate|debit) card\b"
        r"|\bcancel(?:s|ling|ing)? (?:the |our |my |this |your |that )?(?:\w+ ){0,2}(?:subscription|plan"
        r"|contract|domain|booking|insurance|order)\b"
        + NOT_A_SURFACE
        + r"|\b(?:domains?|invoices?|bills?|subscriptions?|licen[cs]es?|orders?|payments?|money"
        r"|tickets?|flights?|hotel|amount|card|customers?|plan|server|hardware|parts?) (?:is|are|gets?|be"
        r"|will be) (?:\w+ )?(?:bought|purchased|paid|ordered|renewed|transferred|refunded|charged|booked"
        r"|billed|debited)\b",
        in_context=False,
    ),
    deed("money", r"buy|buying|purchas(?:e|ing)", _EN_BOUGHT, 3),
    phrase(
        "money",
        r"\b(?:place|submit|confirm|complete|approve|make|authori[sz]e|finali[sz]e) (?:the|an|a|this|our|my"
        r"|your)?(?: \w+)? ?"
        r"(?:order|purchase|payment|checkout|transaction|bid|bet|trade|donation)s?" + NOT_A_SURFACE,
        in_context=False,
    ),
    deed(
        "money",
        r"order|ordering",
        r"parts?|boards?|pcbs?|samples?|hardware|servers?|units|copies|pieces|supplies|food|equipment"
        r"|laptops?|monitors?|batch|swag",
    ),
    deed("money", r"spend|spending", r"money|budget|cash|credits?", 3),
    deed(
        "money",
        r"transfer|transferring|wire|remit|withdraw|move|send|sending|sell|selling|trade",
        r"money|funds|cash|deposit|balance|bitcoins?|btc|eth|crypto|shares?|stocks?|coins|domain|payouts?"
        r"|royalt(?:y|ies)",
        3,
    ),
    deed(
        "money",
        r"refund(?:s|ing)?|reimburs(?:e|es|ing)|charg(?:e|es|ing)|debit(?:s|ing)?|bill(?:s|ing)?"
        r"|invoic(?:e|es|ing)",
        r"customers?|users?|buyers?|clients?|cards?|payments?|purchases?|orders?|accounts?|amount|fee|them"
        r"|him|her|everyone|in full",
        3,
    ),
    phrase(
        "money",
        r"\bissu(?:e|es|ing) (?:a |the |full |partial |all )*refunds?\b" + NOT_A_SURFACE,
        in_context=False,
    ),
    phrase(
        "money",
        r"\b(?:subscrib(?:e|ing) to|upgrad(?:e|es|ing)|switch(?:ing)?(?: us)? to|sign(?:ing)? up for|take"
        r"|start|activat(?:e|ing)|go|use|using|get|enabl(?:e|es|ing)"
        r"|move(?: us)? to)(?: [^\s,;]+){0,5} (?:paid|pro|premium|enterprise|business|team|plus) (?:plan"
        r"|tier|subscription|account|licen[cs]e|edition|version|api|add-?on|quota|usage)\b" + NOT_A_SURFACE,
        in_context=False,
    ),
    deed(
        "money",
        r"renew(?:s|ing)?|extend(?:s|ing)?",
        r"subscriptions?|domains?|licen[cs]es?|plans?|contracts?|hosting|memberships?|leases?",
        3,
    ),
    phrase(
        "money",
        r"\b(?:enabl(?:e|es|ing)|turn(?:s|ing)? on|activat(?:e|ing)|set(?:ting)? up) (?:the )?(?:billing"
        r"|paid usage|overage|auto-?top-?up)\b|\badd(?:ing)? (?:a |the |our |your |my )?(?:payment method"
        r"|credit card|bank account)\b" + NOT_A_SURFACE + r"|\b(?:with|on|use|using|enter|charge)"
        r" (?:the |my |our |your )?(?:company |corporate |credit |business )+card\b"
        + NOT_A_SURFACE
        + r"|\btop(?:ping)? up (?:the |our |my )?(?:\w+ )?(?:account|balance|credits?)\b",
        in_context=False,
    ),
    phrase(
        "money",
        r"\b(?:rais(?:e|es|ing)|increas(?:e|es|ing)|lift(?:s|ing)?|exceed(?:s|ing)?|double) (?:the |our "
        r"|my |this )?(?:\w+ ){0,2}(?:budget|spending (?:limit|cap)|spend cap|credit limit|billing limit"
        r"|cost limit)\b",
        in_context=False,
    ),
    phrase(
        "money",
        r"\bbook(?:ing)? (?:a|an|the|two|\d+|our|my|your|us|me)(?: [^\s,;]+){0,3} (?:flights?|hotel|rooms?"
        r"|tickets?|train|venue|seats?|trip|car|table)\b|\b(?:sign|signing|accept) (?:the|a|this|their"
        r"|that) (?:\w+ ){0,2}(?:contract|agreement|nda|lease|offer letter|quote)\b|\bhir(?:e|ing) (?:a|an"
        r"|the|another|two) |\bdonat(?:e|ing) (?:to|the)\b",
        in_context=False,
    ),
    phrase(
        "money",
        r"\b(?:rent|renting|launch|launching|spin(?:ning)? up|provision|provisioning|start"
        r"|add)(?: [^\s,;]+){0,4} (?:gpus?|a100|h100|ec2|aws|gcp|azure|cloud"
        r"|hetzner)(?: \S+)? (?:instances?|vms?|nodes?|machines?|clusters?|servers?)\b|\brent(?:ing)? (?:a"
        r"|an|another|the|two|\d+)(?: \S+){0,3} (?:gpus?|servers?|vms?|machines?)\b",
        in_context=False,
    ),
    deed(
        "money",
        r"bezahl(?:e|en|t|st)|kauf(?:e|en|t)|bestell(?:e|en|t)|uberweis(?:e|en|t)|ueberweis(?:e|en|t)"
        r"|abonnier(?:e|en|t)|buch(?:e|en)|verlanger(?:e|n|t)|erstatt(?:e|en|et)|miet(?:e|en|et)|spend(?:e"
        r"|en|et)|zahl(?:e|t)",
        r"\w*rechnung(?:en)?|domain|domains|lizenz(?:en)?|abo|tarif|geld|betrag|euro|gebuhr(?:en)?|server"
        r"|flug|hotel|tickets?|zimmer"
        r"|kunden|hardware|teile|guthaben|werbung|anzeigen?|plan|" + AMOUNT,
        6,
    ),
    turned(
        "money",
        r"\w*rechnung(?:en)?|\w*domains?|\w*lizenz(?:en)?|abo|\w*tarif|geld|betrag|\w*gebuhr(?:en)?|server"
        r"|flug|hotel|tickets?|zimmer"
        r"|kunden|kundin|hardware|teile|guthaben|werbung|anzeigen?|plan|kreditkarte|budget|" + AMOUNT,
        r"(?:be)?zahlen|bezahlt|(?:ein)?kaufen|gekauft|bestellen|bestellt|(?:uber|ueber)weisen|uberwiesen"
        r"|buchen|gebucht|abschliessen|abgeschlossen|verlangern|verlangert|erstatten|erstattet|mieten"
        r"|gemietet|ausgeben|abbuchen|abgebucht|belasten|spenden|erhohen|schalten",
        5,
    ),
    phrase(
        "money",
        rf"\( ?{AMOUNT}(?: [^)]{{0,20}})?\)|\b(?:stor(?:e|ing)|sav(?:e|ing)|register|keep|us(?:e"
        rf"|ing)) (?:my|your|our|his|her) (?:\w+ )?card"
        + NOT_A_SURFACE
        + r"|\b(?:abo|vertrag|versicherung|lizenz|domain|konto)\b(?: [^\s,;]+){0,3} (?:kundigen"
        r"|gekundigt|auflosen)\b|\bresili(?:er|e|ez|ons)\b|\bannul(?:er|ez|o|lare|lo"
        r"|ar)(?: [^\s,;]+){0,4} (?:abonnement|abbonamento|contrat|contratto|commande|ordine|reservation"
        r"|prenotazione)\b|\bdisd(?:ire|ico)\b|\bcancel(?:ar|o|amos)(?: [^\s,;]+){0,4} (?:suscripcion"
        r"|contrato|cuenta|pedido|assinatura|conta|reserva)\b|取消(?:订阅|会员|合同|订单)|退订"
        r"|注销[^，。]{0,6}(?:账号|账户|公司)|(?:課金|請求|支払い?)を(?:有効|オン|開始|設定)|解約",
        in_context=False,
    ),
    phrase("money", r"\bkostenpflichtig\w*\b", in_context=False),
    deed(
        "money",
        r"pay(?:er|e|ez|ons)|paie|paies|regl(?:er|e|ez)|achet(?:er|e|ez|ons)|command(?:er|e|ez)"
        r"|depens(?:er|e|ez)|vir(?:er|e)|transfer(?:er|e)|rembours(?:er|e|ez)|factur(?:er|e)|souscri(?:re"
        r"|s|t|vons)|abonn(?:er|e|ons)|renouvel(?:er|le)|lou(?:er|e)|reserv(?:er|e|ez)",
        r"factures?|abonnement|forfait|licences?|(?:nom de )?domaine|frais|euros?|argent|fonds|somme"
        r"|montant|clients?|carte|serveurs?|vol|hotel"
        r"|billets?|chambre|publicite|pub|credits?|budget|formule|offre|" + AMOUNT,
        5,
    ),
    deed(
        "money",
        r"pag(?:ar|o|a|ue|amos|uemos)|compr(?:ar|o|a|e|amos|emos)|gast(?:ar|o|a|amos)|transferir"
        r"|transfiero|reembols(?:ar|o|amos)|cobr(?:ar|o|a)|contrat(?:ar|o|amos)|suscrib(?:ir|irme|irnos|o)"
        r"|renov(?:ar|o|amos)|alquil(?:ar|o)|reserv(?:ar|o)|donar|encarg(?:ar|o)",
        r"facturas?|suscripcion|plan|licencias?|dominio|euros?|dolares|dinero|fondos|tarjeta|clientes?"
        r"|servidor(?:es)?|vuelo|hotel|billetes?|entradas?"
        r"|publicidad|cuota|tarifa|creditos?|presupuesto|importe|" + AMOUNT,
        5,
    ),
    deed(
        "money",
        r"pag(?:are|o|a|hiamo|arla|arlo)|compr(?:are|o|a|iamo)|acquist(?:are|o|a|iamo)|spend(?:ere|o|iamo)"
        r"|trasferi(?:re|sco|amo)|bonific(?:are|o)|rimbors(?:are|o|iamo)|addebit(?:are|o)|abbon(?:arsi"
        r"|arci|are)|rinnov(?:are|o|iamo)|noleggi(?:are|o)|prenot(?:are|o|iamo)|ordin(?:are|o|iamo)",
        r"fattur[ae]|abbonamento|piano|licenz[ae]|dominio|euro|soldi|denaro|fondi|carta|client[ei]|server"
        r"|volo|hotel|bigliett[oi]|pubblicita|canone"
        r"|crediti|budget|importo|" + AMOUNT,
        5,
    ),
    deed(
        "money",
        r"pag(?:ar|o|amos|ue)|compr(?:ar|o|amos|e)|gast(?:ar|o|amos)|transferir|transfiro|reembols(?:ar|o)"
        r"|cobr(?:ar|o)|contrat(?:ar|o|amos)|assin(?:ar|o|amos)|renov(?:ar|o|amos)|alug(?:ar|o)"
        r"|reserv(?:ar|o)|doar|encomend(?:ar|o)",
        r"faturas?|boleto|assinatura|plano|licencas?|dominio|reais|euros?|dolares|dinheiro|fundos|cartao"
        r"|clientes?|servidor(?:es)?|voo|hotel|passagens?"
        r"|anuncios?|publicidade|taxa|creditos?|orcamento|" + AMOUNT,
        5,
    ),
    phrase(
        "money",
        r"(?:支付|付款|转账|汇款|退款|续费|充值|扣款|付费|缴费)(?!页|按钮|接口|模块|功能|流程|表单|组件"
        r"|样式|文案|字段|状态|回调|方式|逻辑|服务类|测试|墙)|(?:购买|买|订购|订阅|租用|预订"
        r"|升级到)[^，。；]{0,12}(?:域名|套餐|许可|会员|服务|机票|酒店|广告|付费|专业版|高级版|企业版|配件"
        r"|硬件|额度|显卡)(?!页|按钮|组件)"
        rf"|(?:花|花费|费用|每月|每年|需要)[^，。；]{{0,6}}{AMOUNT}|{AMOUNT}[^，。；]{{0,3}}(?:每月|每年"
        rf"|/月|/年|的费用)",
        in_context=False,
    ),
    phrase(
        "money",
        r"(?:支払|購入|課金|振り?込|送金|返金|決済|注文|契約|寄付|予約)(?:い|う|っ|って)?(?:を)?(?:し|する"
        r"|させ|お願い|進め|い?ます|ってよ|っても|って良|いま|う$|う[?か])|買(?:い|う|って|っても)"
        r"|(?:有料プラン|有料版|サブスク|プロ版)[^、。]{0,8}(?:申し込|切り替え|アップグレード|契約|加入"
        r"|購入|更新|する|し)"
        rf"|{AMOUNT}[^、。]{{0,6}}(?:かか|払|支払|必要|の費用)|ドメイン[^、。]{{0,6}}(?:購入|買|更新し"
        rf"|取得し)",
        in_context=False,
    ),
)

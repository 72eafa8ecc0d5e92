"""Which questions are the person's alone, in nine languages; and which only sound like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.blocking import LONGEST, folded, why_blocking
from controlroom.core.question_block import Choice

WORDS = {
    "login": "a login or a secret",
    "money": "money",
    "public": "before other people",
    "delete": "for good",
}

BLOCKING = [
    # deletes
    ("delete", "Should I delete the production database now?"),
    ("delete", "May I drop the old `users` table?"),
    ("delete", "Drop the column `legacy_id` from orders?"),
    ("delete", "Shall I wipe the staging server and start over?"),
    ("delete", "Can I force-push the cleaned history to main?"),
    ("delete", "Run `rm -rf /srv/data` to free space?"),
    ("delete", 'Run "DROP TABLE invoices" on the replica?'),
    ("delete", "Is it fine to purge all customer records older than 2019?"),
    ("delete", "Delete all files in the bucket backups-2024?"),
    ("delete", "May I overwrite the backups with the new format?"),
    ("delete", "Clean up the account: this cannot be undone. Go on?"),
    ("delete", "Remove production and deploy anew?"),
    ("delete", "Should I terminate the three idle instances?"),
    ("delete", "Format the second disk?"),
    ("delete", "Reset with git reset --hard to origin?"),
    ("delete", "Empty the trash?"),
    ("delete", "Discard all your uncommitted changes?"),
    ("delete", "May I delete the old pictures in /mnt/photos?"),
    ("delete", "Close the bank account?"),
    ("delete", "Soll ich die Kundendatenbank löschen?"),
    ("delete", "Darf ich die alten Backups unwiderruflich entfernen?"),
    ("delete", "Dois-je supprimer la base de données de production ?"),
    ("delete", "¿Borro la tabla de clientes?"),
    ("delete", "Posso cancellare il database degli utenti?"),
    ("delete", "Devo apagar o banco de dados antigo?"),
    ("delete", "要删除生产数据库吗？"),
    ("delete", "本番のデータベースを削除してもいいですか？"),
    # money
    ("money", "Should I pay the hosting invoice?"),
    ("money", "Shall I buy the domain pears.example?"),
    ("money", "Buy it now for 12 €?"),
    ("money", "Can I order the boards from the second supplier?"),
    ("money", "Should I place the order?"),
    ("money", "Upgrade to the Pro plan?"),
    ("money", "Refund the customer in full?"),
    ("money", "Transfer the money to the new account?"),
    ("money", "May I spend $40 on the data set?"),
    ("money", "Renew the licence for another year?"),
    ("money", "Book the hotel and two flights to Lisbon?"),
    ("money", "Raise the spending limit of the project?"),
    ("money", "Rent a GPU server for the training?"),
    ("money", "Should we sign the contract with the agency?"),
    ("money", "Charge the cards of all late customers today?"),
    ("money", "Approve the quote of 300 €?"),
    ("money", "Cancel our subscription of the map service?"),
    ("money", "Is $300 okay for the campaign?"),
    ("money", "Should the customer be refunded?"),
    ("money", "Our customers were charged twice, should I refund them all?"),
    ("money", "Soll ich die Rechnung bezahlen?"),
    ("money", "Darf ich die Domain für 12 € kaufen?"),
    ("money", "Dois-je payer la facture de l'hébergeur ?"),
    ("money", "¿Compro el dominio por 15 euros?"),
    ("money", "Pago la fattura adesso?"),
    ("money", "Devo comprar a licença?"),
    ("money", "要购买这个域名吗？"),
    ("money", "ドメインを購入してもいいですか？"),
    # logins and secrets
    ("login", "Can you log in to the registry for me?"),
    ("login", "Please sign in at the bank, then I go on. Done?"),
    ("login", "Could you send me the API key of the shop?"),
    ("login", "I need the admin password. Where is it?"),
    ("login", "What is the 2FA code?"),
    ("login", "Should I rotate the production tokens?"),
    ("login", "Grant me write access to the repository?"),
    ("login", "Should I create an account at the mail provider?"),
    ("login", "The store asks for a captcha. Can you solve the captcha?"),
    ("login", "Where do I find the credentials of the mail server?"),
    ("login", "May I use your account there?"),
    ("login", "Kannst du dich bei der Bank anmelden?"),
    ("login", "Gib mir bitte das Passwort für den Server?"),
    ("login", "Peux-tu me donner le mot de passe du serveur ?"),
    ("login", "¿Me puedes dar la contraseña del servidor?"),
    ("login", "Puoi inviarmi la password del server?"),
    ("login", "Pode me enviar a senha do servidor?"),
    ("login", "请登录服务器后告诉我，可以吗？"),
    ("login", "请提供数据库密码？"),
    ("login", "パスワードを教えてください。"),
    ("login", "管理画面にログインしてください。"),
    # before other people
    ("public", "Shall I publish the package to npm?"),
    ("public", "Should I publish it?"),
    ("public", "Post the announcement on LinkedIn now?"),
    ("public", "Can I tweet it?"),
    ("public", "Send the newsletter to all 4,000 subscribers?"),
    ("public", "Should I make the repository public?"),
    ("public", "Reply to the customer with this text?"),
    ("public", "Email our customers about the outage?"),
    ("public", "Go live tonight?"),
    ("public", "Open an issue on the upstream tracker?"),
    ("public", "Submit the build to the App Store?"),
    ("public", "Release version 2.0 now?"),
    ("public", "Shall I send it?"),
    ("public", "Soll ich den Beitrag veröffentlichen?"),
    ("public", "Dois-je publier l'article ?"),
    ("public", "¿Publicamos el artículo hoy?"),
    ("public", "Posso pubblicare il pacchetto?"),
    ("public", "Posso publicar o pacote?"),
    ("public", "要发布这篇文章吗？"),
    ("public", "記事を公開してもいいですか？"),
]

PARTS: list[tuple[str, str, list[Choice], str, str]] = [
    (
        "delete",
        "What shall we do with the old customer table?",
        [Choice("1", "Drop it"), Choice("2", "Keep it")],
        "",
        "",
    ),
    (
        "delete",
        "Was machen wir mit der alten Datenbank?",
        [Choice("1", "Löschen"), Choice("2", "Behalten")],
        "",
        "",
    ),
    (
        "delete",
        "How do we migrate?",
        [Choice("1", "Anew", "all customer data is lost"), Choice("2", "Slowly")],
        "",
        "",
    ),
    ("delete", "How do we migrate?", [Choice("1", '"Drop the old database"')], "", ""),
    ("delete", "Go on?", [], "The step is irreversible.", ""),
    ("delete", "Go on?", [], "", "I delete the snapshots"),
    (
        "money",
        "Which search?",
        [Choice("1", "Hosted", "costs $20 a month"), Choice("2", "Own", "slower")],
        "",
        "",
    ),
    ("money", "Which name?", [Choice("1", "pears.example", "the domain is bought at once")], "", ""),
    ("money", "Go on?", [], "", "I upgrade us to the Team plan"),
    ("login", "How do I reach the server?", [Choice("1", "You send me the SSH key")], "", ""),
    ("login", "Go on?", [], "The upload needs a login.", ""),
    ("public", "When?", [Choice("1", "Publish", "at once"), Choice("2", "Wait")], "", ""),
    ("public", "Ready?", [], "", "I publish the release on PyPI"),
    ("public", "Ready?", [], "", "I will send the reply to the customer"),
]

HARMLESS_PARTS: list[tuple[str, list[Choice], str, str]] = [
    ("Which caption should the button have?", [Choice("1", "Buy it"), Choice("2", "Order")], "", ""),
    (
        "Rename the helper?",
        [Choice("1", "Yes: remove_user"), Choice("2", "No")],
        "Users can delete their account there.",
        "",
    ),
    (
        "Which template?",
        [Choice("1", "A"), Choice("2", "B")],
        "The customer paid the invoice yesterday.",
        "I take A",
    ),
    (
        "Which template?",
        [Choice("1", "A", "nothing is deleted"), Choice("2", "B", "no data is lost")],
        "",
        "",
    ),
    (
        "Where does the database setting live?",
        [Choice("1", "config.py", "I delete the old settings file")],
        "",
        "",
    ),
    (
        "Next step?",
        [Choice("1", "Tests"), Choice("2", "Docs")],
        "We published version 1.2 last week.",
        "I go on with the tests",
    ),
]

HARMLESS = [
    # the words alone
    "Should I delete the log line in `main.py` or rename it?",
    "Where should we pay attention first: speed or size?",
    "Which colour should the login page have?",
    "Shall I write the post-mortem now?",
    "Which title should the release notes draft have?",
    "Rename `delete_user` to `remove_user`?",
    "Should the Buy button be green?",
    "Which order should the columns have?",
    "In order to go on I need a name. Which one?",
    "Order the list by date or by name?",
    "Is it worth paying off the technical debt now?",
    "Which POST route should the form use?",
    "Post-processing in Python or in SQL?",
    "Should I postpone the refactoring?",
    "Spend more time on tests or go on?",
    "Should the password field show a hint?",
    "Which hash should we use for passwords?",
    "Should the token parser be recursive?",
    "How should I split the string into tokens?",
    "Does the cache need a key prefix?",
    "Should the method be public or private?",
    "Make the helper function public?",
    "Publish the event to the queue or call it directly?",
    "Should the store publish events synchronously?",
    "Subscribe to the topic in the constructor?",
    "Upgrade React to version 19?",
    "Which release branch name do you prefer?",
    "Should the refund page use the new layout?",
    "Trade memory for speed here?",
    "Charge state as a number or an enum?",
    "Should I wire up the handler now or later?",
    "Transfer the state by value or by reference?",
    "Keep the bill of materials as CSV?",
    "Should the announcement banner be blue?",
    "Announce changes to screen readers politely or assertively?",
    "Live reload on or off?",
    "Do we need more tokens in the grammar?",
    "Do I need to pin the version?",
    "Release the lock in `finally`?",
    "Release notes: long or short?",
    "Store tokens in memory or on disk?",
    "Should the map show a pin or a flag?",
    "Use the domain model of the old code?",
    "Is the account page the right place?",
    "Send the request again after a time-out?",
    "Reply with 404 or 410?",
    "Sign the commits?",
    "Should I commit the lock file?",
    "Sell the idea as a fix or as a feature in the changelog?",
    "Book value or market value in the report?",
    # deeds that lose nothing
    "Drop the test database before each run?",
    "Remove the unused import?",
    "Delete the temporary table at the end?",
    "rm -rf node_modules and install again?",
    "Delete the cached data to measure a cold start?",
    "Drop support for Python 3.9?",
    "Delete this comment or keep it?",
    "Should I delete the old feature branch?",
    "Remove the user icon from the header?",
    # what users of the program do
    "Should users be able to delete their account?",
    "When a user deletes the project, should we ask twice?",
    "Should we let customers pay the invoice later?",
    "When you log in, should the inbox or the dashboard open?",
    "Users who log in with Google see a blank page: fix that first?",
    # said to be not so
    "Keep both? Nothing is deleted and no data is lost.",
    "Go on without deleting the database?",
    "I will not publish it; is a local build enough?",
    "Sollen wir weitermachen, ohne die Datenbank zu löschen?",
    # other languages
    "Soll der Login-Button blau sein?",
    "Welche Farbe soll die Anmeldeseite haben?",
    "Soll ich die Zeile im Log löschen?",
    "Sollen die Zahlen in der Rechnung rechts stehen?",
    "Soll das Passwort-Feld breiter werden?",
    "Quelle couleur pour la page de connexion ?",
    "Dois-je supprimer la ligne de journal ?",
    "Faut-il régler le délai à 5 secondes ?",
    "¿Renombro la API pública?",
    "¿Borro la línea del registro?",
    "Rinomino il metodo pubblico?",
    "Qual é o nome da classe pública?",
    "登录页面用什么颜色？",
    "要重命名这个函数吗？",
    "删除这行日志还是保留？",
    "支付页面的按钮要改成绿色吗？",
    "ログイン画面の色はどうしますか？",
    "ログの行を削除しますか？",
    "購入ボタンの色を変えますか？",
    "このメソッドを公開しますか？",
    # talked about
    'Should the caption be "Delete account" or "Close account"?',
    "Wording of the dialog: “This cannot be undone” or shorter?",
    "",
    "?",
]


@pytest.mark.parametrize(("kind", "question"), BLOCKING)
def test_the_persons_alone(kind: str, question: str) -> None:
    reason = why_blocking(question)
    assert reason is not None and WORDS[kind] in reason


@pytest.mark.parametrize("question", HARMLESS)
def test_it_only_sounds_like_it(question: str) -> None:
    assert why_blocking(question) is None


@pytest.mark.parametrize(("kind", "question", "options", "context", "default"), PARTS)
def test_in_options_context_and_default(
    kind: str, question: str, options: list[Choice], context: str, default: str
) -> None:
    reason = why_blocking(question, options, context, default)
    assert reason is not None and WORDS[kind] in reason


@pytest.mark.parametrize(("question", "options", "context", "default"), HARMLESS_PARTS)
def test_harmless_parts(question: str, options: list[Choice], context: str, default: str) -> None:
    assert why_blocking(question, options, context, default) is None


@given(st.text(max_size=300))
def test_no_text_breaks_it(text: str) -> None:
    why_blocking(text, [Choice("1", text, text)], text, text)
    folded(text)


def test_a_long_reason_is_cut() -> None:
    reason = why_blocking(f"Delete {'x' * 3_000} database?")
    assert reason is not None and len(reason) < 200


def test_what_is_too_long_to_read_is_not_taken_for_harmless() -> None:
    assert why_blocking("Left or right? " + "x " * LONGEST) is not None
    many = [Choice(str(at), "A", "b " * 250) for at in range(50)]
    assert why_blocking("Left or right?", many) is not None
    assert why_blocking("Left or right?", many[:20]) is None


def test_there_are_enough_rows() -> None:
    assert len(BLOCKING) >= 60 and len(HARMLESS) >= 60

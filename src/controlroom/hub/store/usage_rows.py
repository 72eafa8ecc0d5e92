"""What machines told of usage last, and accounts as clients were told them."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import accounts, machine_usage
from controlroom.wire.codec import decode, encode
from controlroom.wire.usage import Account, UsageState


def machine_usages(connection: Connection) -> dict[str, UsageState]:
    """By machine, in the hub's time."""
    found = {}
    for row in connection.execute(select(machine_usage)):
        try:
            found[row.machine_id] = decode(row.usage, UsageState)
        except msgspec.MsgspecError:  # another version's: the machine tells it anew
            continue
    return found


def put_machine_usage(change: Change, machine_id: str, usage: UsageState) -> None:
    values = {"usage": encode(usage)}
    known = update(machine_usage).where(machine_usage.c.machine_id == machine_id).values(values)
    if change.connection.execute(known).rowcount == 0:
        change.connection.execute(insert(machine_usage).values(machine_id=machine_id, **values))


def shown_accounts(connection: Connection) -> dict[str, Account | None]:
    """By id; None for one that this version cannot read, and so has to be told anew."""
    found: dict[str, Account | None] = {}
    for row in connection.execute(select(accounts)):
        try:
            found[row.id] = decode(row.shown, Account)
        except msgspec.MsgspecError:
            found[row.id] = None
    return found


def put_shown(change: Change, account: Account) -> None:
    known = update(accounts).where(accounts.c.id == account.id).values(shown=encode(account))
    if change.connection.execute(known).rowcount == 0:
        change.connection.execute(insert(accounts).values(id=account.id, shown=encode(account)))


def forget_shown(change: Change, account_id: str) -> None:
    change.connection.execute(delete(accounts).where(accounts.c.id == account_id))

"""Offers of files on real SQLite."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from controlroom.core.media import MediaEntry
from controlroom.gateway.ports import MediaRows
from controlroom.hub.store.media_rows import StoredMedia
from controlroom.hub.store.store import Store
from controlroom.kit.clock import FakeClock


def entry(token: str, accessed_ms: int) -> MediaEntry:
    return MediaEntry(
        token=token,
        path="/tmp/a",
        content_type="text/plain",
        file_name=None,
        size=1,
        is_sensitive=False,
        is_upload=False,
        created_ms=0,
        expires_ms=10,
        accessed_ms=accessed_ms,
    )


async def test_offers_are_kept_in_the_order_of_their_use(tmp_path: Path) -> None:
    path = tmp_path / "hub.sqlite"
    store = Store.at(path, FakeClock())
    await store.start()
    rows: MediaRows = StoredMedia(store)
    await rows.put([entry("a", 1), entry("b", 2), entry("c", 3)])
    await rows.put([entry("a", 9)])
    await rows.delete(["b", "unknown"])
    assert await rows.all() == [entry("c", 3), entry("a", 9)]
    await store.aclose()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("insert into media values ('odd', 0, 'not json')")
    store = Store.at(path, FakeClock())
    await store.start()
    assert await StoredMedia(store).all() == [entry("c", 3), entry("a", 9)]
    await store.aclose()

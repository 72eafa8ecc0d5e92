"""The identity of a dialog: a new dialog has a new id, even with the same text."""

from __future__ import annotations

import hashlib

from controlroom.core.facts import Dialog


def dialog_id(incarnation: str, position: str, dialog: Dialog) -> str:
    """Digest of agent process, session position, kind, whole text and options (api.md, ``waiting_for.id``).

    Which option is selected does not count: moving the cursor is not a new dialog.
    """
    digest = hashlib.blake2b(digest_size=12)
    parts = [incarnation, position, dialog.kind, dialog.text, str(dialog.multi), str(dialog.free_text)]
    for option in dialog.options:
        parts += [option.key, option.label]
    for part in parts:
        raw = part.encode()
        digest.update(len(raw).to_bytes(8, "big") + raw)
    return "dlg_" + digest.hexdigest()

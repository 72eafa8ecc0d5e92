"""What a terminal sends, as keys and pastes: a stream parser."""

from __future__ import annotations

import msgspec

_BEGIN, _END = b"\x1b[200~", b"\x1b[201~"
_SEQUENCES = {
    b"\x1b[A": "Up",
    b"\x1b[B": "Down",
    b"\x1b[C": "Right",
    b"\x1b[D": "Left",
    b"\x1bOA": "Up",
    b"\x1bOB": "Down",
    b"\x1b[Z": "BTab",
    b"\r": "Enter",
    b"\t": "Tab",
    b"\x7f": "BSpace",
    b"\x08": "BSpace",
    b"\x03": "C-c",
    b"\x04": "C-d",
    b"\x15": "C-u",
    b"\n": "C-j",
}


class Key(msgspec.Struct, frozen=True):
    """A named key, or one character that was typed."""

    name: str = ""
    text: str = ""


class Paste(msgspec.Struct, frozen=True):
    """One bracketed paste."""

    text: str


class KeyReader:
    """``feed`` bytes as they come; a sequence that is cut stays until its rest comes."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Key | Paste]:
        self._rest += data
        found: list[Key | Paste] = []
        while self._rest:
            taken = self._one(found)
            if not taken:
                break
            self._rest = self._rest[taken:]
        return found

    def escape(self) -> list[Key | Paste]:
        """Call this when nothing followed: an escape that stands alone is the Escape key."""
        if self._rest != b"\x1b":
            return []
        self._rest = b""
        return [Key(name="Escape")]

    def _one(self, found: list[Key | Paste]) -> int:
        """Take one key from the front; how many bytes it had, 0 when it is not complete."""
        data = self._rest
        if data.startswith(_BEGIN):
            end = data.find(_END)
            if end < 0:
                return 0
            found.append(Paste(text=data[len(_BEGIN) : end].decode(errors="replace").replace("\r", "\n")))
            return end + len(_END)
        for sequence, name in _SEQUENCES.items():
            if data.startswith(sequence):
                found.append(Key(name=name))
                return len(sequence)
        if data[:1] == b"\x1b":
            return self._escape_sequence(data, found)
        return self._typed(data, found)

    def _escape_sequence(self, data: bytes, found: list[Key | Paste]) -> int:
        if len(data) == 1 or (data[1:2] in b"[O" and len(data) < 8 and not data[2:].strip(b"0123456789;")):
            return 0
        if data[1:2] not in (b"[", b"O"):
            found.append(Key(name="Escape"))
            return 1
        end = 2
        while end < len(data) and not 0x40 <= data[end] <= 0x7E:
            end += 1
        return end + 1  # a key that no agent here knows

    def _typed(self, data: bytes, found: list[Key | Paste]) -> int:
        end = 0
        while end < len(data) and data[end] >= 0x20 and data[end] != 0x7F:
            end += 1
        if end == 0:
            return 1  # a control key that no agent here knows
        for cut in range(min(4, end)):  # the last character may be incomplete
            try:
                text = data[: end - cut].decode()
            except UnicodeDecodeError:
                continue
            found += [Key(text=character) for character in text]
            return end - cut
        if end < 4:
            return 0
        found += [Key(text=character) for character in data[:end].decode(errors="replace")]
        return end

"""Hubs that this user has logged in to: one private file for each, under the user's configuration."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from controlroom.client.addresses import Address
from controlroom.client.errors import ClientError
from controlroom.kit.secrets_file import write_private

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
DEFAULT = "default"  # a file that holds a name, beside the logins


class Login(msgspec.Struct, frozen=True, kw_only=True):
    """One hub elsewhere: where it is (its addresses in the order in which they are tried), and the token that
    makes us a device there.

    ``client_id`` tells this installation apart: logging in again ends the login before.
    """

    name: str
    hub: str
    device: str
    client_id: str
    token: str
    addresses: tuple[Address, ...]


class Logins:
    """The logins in a folder (0700); each file 0600."""

    def __init__(self, folder: Path | None = None) -> None:
        if folder is None:
            import platformdirs

            folder = platformdirs.user_config_path("controlroom") / "logins"
        self._folder = folder

    def all(self) -> list[Login]:
        """Those that can be read, by name."""
        found = []
        for path in sorted(self._folder.glob("*.json")):
            login = self._read(path)
            if login is not None:
                found.append(login)
        return found

    def get(self, name: str) -> Login:
        """Raises ClientError, naming those that there are."""
        if NAME.fullmatch(name):
            login = self._read(self._path(name))
            if login is not None:
                return login
        known = ", ".join(login.name for login in self.all())
        there = f"There are: {known}." if known else "Log in with: controlroom login URL"
        raise ClientError(f"There is no login {name[:80]!r}. {there}")

    def default(self) -> Login | None:
        """The one that was made last, or the only one."""
        try:
            return self._read(self._path((self._folder / DEFAULT).read_text().strip()))
        except OSError:
            logins = self.all()
            return logins[0] if len(logins) == 1 else None

    def put(self, login: Login) -> None:
        """Keep a login, and make it the default. Raises ClientError."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folder.chmod(0o700)
            write_private(self._path(login.name), msgspec.json.encode(login))
            write_private(self._folder / DEFAULT, login.name.encode())
        except OSError as error:
            raise ClientError(f"The login cannot be kept in {self._folder}: {error.strerror}.") from None

    def remove(self, name: str) -> None:
        """Forget a login, whatever becomes of the device at the hub."""
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def _read(self, path: Path) -> Login | None:
        try:
            return msgspec.json.decode(path.read_bytes(), type=Login)
        except (OSError, msgspec.ValidationError, msgspec.DecodeError):
            return None

"""Names of files that hold secrets, and of files that do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.secret_names import is_secret

SECRET = [
    ".env", ".env.local", ".env.production", ".ENV", ".env~", ".envrc", "prod.env", "app.env.bak", "env",
    "id_rsa", "id_ed25519", "id_ecdsa_sk", "id_rsa.bak", "id_work", "id_work.pub", "id_ed25519-cert.pub",
    "ID_RSA", "server.pem", "fullchain.pem.old", "tls.key", "TLS.KEY", "server.key~", ".server.key.swp",
    "key.pem.1", "master.key", "AuthKey_1.p8", "login.p12", "login.pfx", "app.jks", "app.keystore",
    "putty.ppk", "vault.kdbx", "login.keychain-db", "office.ovpn", "x.agekey", "terraform.tfstate",
    "terraform.tfstate.backup", "prod.tfvars", "krb5cc_1000", "http.keytab", "ssh_host_ed25519_key",
    ".netrc", "_netrc", ".git-credentials", ".credentials.json", "credentials", "credentials.json",
    "auth.json", "oauth_creds.json", ".npmrc", ".pypirc", ".dockercfg", ".pgpass", ".my.cnf", ".htpasswd",
    "shadow", "wallet.dat", "logins.json", "key4.db", "secrets.yaml", "secret.json",
    "client_secret_1.apps.json", "service-account.json", "kubeconfig", ".bash_history", ".zsh_history",
    ".python_history", "door-secret", "qr-secret",
]  # fmt: skip

HARMLESS = [
    "picture.png", "report.pdf", "environment.md", "envelope.json", "keyboard.txt", "monkey.txt", "id.png",
    "id_card.png", "identity.md", "keynote.txt", "pem.md", "mykey", "server.pemican", "notes.keys",
    "secretary.txt", "history.txt", "tokens.py", "README", "tsconfig.json", "package.json", "cookie.py",
    "auth.py", "credentials.py", "key.png", "passwd.md",
]  # fmt: skip


@pytest.mark.parametrize("name", SECRET)
def test_a_secret_is_known_by_its_name_wherever_it_lies(name: str) -> None:
    assert is_secret(f"/tmp/project/{name}")
    assert is_secret(f"/{name}")


@pytest.mark.parametrize("name", HARMLESS)
def test_other_files_are_none(name: str) -> None:
    assert not is_secret(f"/tmp/project/{name}")


@pytest.mark.parametrize("folder", [".ssh", ".aws", ".gnupg", ".kube", ".git", ".SSH"])
def test_whole_folders_are_secret(folder: str) -> None:
    assert is_secret(f"/tmp/backup/{folder}/config")
    assert is_secret(f"/tmp/backup/{folder}/deep/notes.txt")
    assert not is_secret(f"/tmp/backup/{folder}hub/notes.txt")


@given(st.text(max_size=60))
def test_every_text_is_answered_and_copies_of_keys_are_secret(text: str) -> None:
    is_secret(text)
    assert is_secret(f"/tmp/{text.replace('/', '')}.pem")

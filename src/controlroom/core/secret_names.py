"""Files that hold keys, logins or tokens, told by their names alone.

A file may lie anywhere: in a project, in a backup of a home, in the temporary folder. So this asks nothing
but the path, in small letters, and errs on the side of refusing: a picture that is called ``id_card`` without
an ending is not shown, and no key is.
"""

from __future__ import annotations

import re
from typing import Final

NAMES: Final = frozenset(
    {
        # Logins of programs
        ".netrc", "_netrc", ".git-credentials", ".credentials.json", "credentials", "credentials.json",
        "credentials.toml", "auth.json", "oauth_creds.json", "token.json", "tokens.json", ".npmrc", ".pypirc",
        ".yarnrc", ".yarnrc.yml", ".dockercfg", ".dockerconfigjson", ".boto", ".s3cfg", ".vault-token",
        ".terraformrc", "kubeconfig", "service-account.json", "service_account.json",
        "application_default_credentials.json", "hermes-relay-sessions.json",
        # Passwords
        ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".htpasswd", "htpasswd", "passwd", "shadow",
        "gshadow", "wallet.dat", "wp-config.php", "logins.json", "key3.db", "key4.db", "login data",
        "cookies", "cookies.sqlite",
        # Ours
        "door-secret", "qr-secret", "hermes-relay-qr-secret",
    }
)  # fmt: skip

FOLDERS: Final = frozenset(
    {
        ".ssh", ".gnupg", ".aws", ".azure", ".gcloud", ".kube", ".docker", ".password-store", ".pki",
        # Addresses of remotes may hold passwords.
        ".git",
    }
)  # fmt: skip

_KEY_TYPES: Final = "rsa|dsa|ecdsa|ed25519|xmss"
_ENDINGS: Final = (
    "pem|key|p8|p12|pfx|pkcs12|jks|jceks|keystore|bks|ppk|kdb|kdbx|keychain|keychain-db|agekey|ovpn"
    "|tfstate|tfvars"
)
_NAME: Final = re.compile(
    rf"""
      (?:.*\.)?env(?:[^a-z0-9].*)? | \.envrc.*                    # variables of the environment
    | id_[^.]* | id_(?:{_KEY_TYPES}).* | id_[^.]*\.pub             # keys of SSH, and what lies beside them
    | ssh_host_.*key.* | krb5cc.* | .*\.keytab
    | .*\.(?:{_ENDINGS})(?:[^a-z0-9].*)?                          # key stores, and copies such as x.pem.bak
    | secrets?\.(?:ya?ml|json|toml|ini|txt|env) | client_secret.*\.json
    | \..*_history                                               # what was typed into shells
    """,
    re.VERBOSE | re.DOTALL,  # a name may hold newlines
)


def is_secret(path: str) -> bool:
    """Whether a file of this path is a secret by its name, or by a folder that it lies in."""
    *folders, name = path.lower().split("/")
    return name in NAMES or _NAME.fullmatch(name) is not None or not FOLDERS.isdisjoint(folders)

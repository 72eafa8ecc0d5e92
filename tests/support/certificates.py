"""Self-signed certificates, made by the openssl program when a test wants one."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path


class Certificate:
    """A key and a certificate for ``name`` in a folder."""

    def __init__(self, folder: Path, name: str = "127.0.0.1", stem: str = "server") -> None:
        self.key, self.certificate = folder / f"{stem}.key", folder / f"{stem}.pem"
        kind = "IP" if name[0].isdigit() else "DNS"
        made = [
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "30",
        ]
        named = ["-subj", f"/CN={name}", "-addext", f"subjectAltName={kind}:{name}"]
        written = ["-keyout", str(self.key), "-out", str(self.certificate)]
        subprocess.run(
            ["openssl", *made, *named, *written],
            check=True,
            capture_output=True,
        )

    def server(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self.certificate, self.key)
        return context

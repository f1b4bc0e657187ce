"""HTTPS spoken by the service itself: certificate and key become what the server's sockets are wrapped in.

Without it a phone in the stockroom has no camera on the page and cannot install it: browsers allow both on secure
origins alone (W3C Secure Contexts), which a shop without a proxy would not have.

TLS 1.2 is the oldest version (RFC 8996). Who renews the certificate starts the service again. There is no
Strict-Transport-Security: see `safe_headers`.
"""

from __future__ import annotations

import ssl
from pathlib import Path

from barcodesvc.config import Settings
from barcodesvc.errors import StartError

_MISMATCH = "KEY_VALUES_MISMATCH"


def tls_context(settings: Settings) -> ssl.SSLContext | None:
    """Return what speaks TLS with the certificate of the settings, None where they name none.

    Raises StartError for files that cannot be read, are not what they should be, or do not belong together.
    """
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    _require_pem("TLS_CERT", settings.tls_cert, "CERTIFICATE", "a certificate")
    _require_pem("TLS_KEY", settings.tls_key, "PRIVATE KEY", "a private key")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(settings.tls_cert, settings.tls_key, _refuse_password)
    except ssl.SSLError as error:
        raise StartError(_explained(error, settings.tls_cert, settings.tls_key)) from error
    return context


def _require_pem(setting: str, path: Path, label: str, what: str) -> None:
    """Raise StartError for a file that cannot be read, or holds no block of PEM with this label (RFC 7468)."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StartError(f"BARCODESVC_{setting}: {path} cannot be read: {error.strerror or error}") from error
    if not any(line.startswith(b"-----BEGIN") and label.encode() in line for line in content.splitlines()):
        raise StartError(f"BARCODESVC_{setting}: {path} does not hold {what} in PEM (`-----BEGIN … {label}-----`)")


def _refuse_password() -> str:
    raise StartError(
        "BARCODESVC_TLS_KEY: the key is encrypted, and nobody is there to type its password; store it without one, "
        "as `openssl pkey -in KEY -out NEW` does, readable by the service's account alone"
    )


def _explained(error: ssl.SSLError, cert: Path, key: Path) -> str:
    if error.reason == _MISMATCH:
        return f"BARCODESVC_TLS_KEY: the key in {key} is not that of the certificate in {cert}"
    return f"BARCODESVC_TLS_CERT, BARCODESVC_TLS_KEY: {cert} and {key} cannot be used: {error.reason or error}"

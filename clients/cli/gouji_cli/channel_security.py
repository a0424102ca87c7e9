"""How commands know a server, and show themselves, over TLS: by options and the environment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from gouji_client import TLS


def security(tls: bool, ca: Path | None = None) -> TLS | bool:
    """Return what `connect` takes as `tls`; False for cleartext.

    GOUJI_CA names a file of roots to trust instead of the system's, GOUJI_CLIENT_CERT and GOUJI_CLIENT_KEY a client's
    own certificate and key, for servers that want one. A file of roots by option or environment means TLS.
    """
    from gouji_client import TLS

    roots = ca or os.environ.get("GOUJI_CA") or None
    certificate, key = (os.environ.get(name) or None for name in ("GOUJI_CLIENT_CERT", "GOUJI_CLIENT_KEY"))
    if roots or certificate or key:
        return TLS(ca_file=roots, cert_file=certificate, key_file=key)
    return tls

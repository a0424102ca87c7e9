"""The server's certificate, and whose certificates clients must show; read anew when the files change."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, TypeAlias

import grpc
import structlog

from gouji_server.data_directory import StartError

if TYPE_CHECKING:
    from pathlib import Path

Stamp: TypeAlias = "tuple[tuple[int, int, int], ...]"

log = structlog.get_logger("gouji.certificates")


class CertificateError(Exception):
    """The files hold no certificate that can be served; the text says why."""


class Certificates:
    """A certificate chain, its key and, if clients must show certificates, the roots of those: PEM files.

    Before every handshake the files are looked at. When they have changed and fit together, the new ones are served
    from then on; when they do not, the old ones go on being served and the log says so, once. Connections that are open
    are not touched.
    """

    def __init__(self, certificate: Path, key: Path, client_ca: Path | None) -> None:
        self._files = (certificate, key, *(() if client_ca is None else (client_ca,)))
        self._seen: Stamp | None = None

    def credentials(self) -> grpc.ServerCredentials:
        """Return what gRPC serves by. Raises StartError if the files cannot be used."""
        try:
            first = self._read()
        except CertificateError as error:
            raise StartError(str(error)) from error
        return grpc.dynamic_ssl_server_credentials(
            first,
            self._newer,  # type: ignore[arg-type]  # None means no change
            require_client_authentication=len(self._files) > 2,
        )

    def _newer(self) -> grpc.ServerCertificateConfiguration | None:
        """Return what is to be served from now on, None for the same as before. Called in gRPC's own threads."""
        try:
            if _stamp(self._files) == self._seen:
                return None
            found = self._read()
        except CertificateError as error:
            log.error("certificate_unusable", error=str(error))  # noqa: TRY400 - the text says it all
            return None
        except Exception:  # whatever it is, the old certificate is good
            log.exception("certificate_unusable")
            return None
        log.info("certificate_changed")
        return found

    def _read(self) -> grpc.ServerCertificateConfiguration:
        self._seen = stamp = _stamp(self._files)
        try:
            certificate, key, *roots = [path.read_bytes() for path in self._files]
        except OSError as error:
            raise CertificateError(f"{error.filename} cannot be read: {error.strerror}") from error
        self._check()
        if _stamp(self._files) != stamp:
            self._seen = None  # written to meanwhile: what was read may be half of each; look again next time
            raise CertificateError("the certificate files are being written")
        return grpc.ssl_server_certificate_configuration([(key, certificate)], roots[0] if roots else None)

    def _check(self) -> None:
        """Raise CertificateError if the files cannot be used together: gRPC would find out too late."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate, key, *roots = self._files
        try:
            # An encrypted key is not asked for its password at the terminal.
            context.load_cert_chain(certificate, key, password=lambda: "")
        except (ssl.SSLError, OSError, ValueError) as error:
            raise CertificateError(
                f"{certificate} and {key} cannot be used: do the certificate and its key fit together?"
            ) from error
        for path in roots:
            try:
                context.load_verify_locations(path)
            except (ssl.SSLError, OSError) as error:
                raise CertificateError(f"{path} holds no certificates (PEM)") from error


def _stamp(files: tuple[Path, ...]) -> Stamp:
    """Return what changes when a file is written or replaced. Raises CertificateError."""
    try:
        stats = [path.stat() for path in files]
    except OSError as error:
        raise CertificateError(f"{error.filename} cannot be read: {error.strerror}") from error
    return tuple((stat.st_mtime_ns, stat.st_size, stat.st_ino) for stat in stats)

"""A certificate authority of a test's own, made with the openssl command."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Pair:
    """A certificate and its key, PEM."""

    certificate: Path
    key: Path

    def copy_to(self, other: Pair) -> None:
        """Put this pair in the place of another, as a renewal does: each file replaced at once."""
        for mine, theirs in ((self.key, other.key), (self.certificate, other.certificate)):
            new = theirs.with_suffix(".new")
            shutil.copyfile(mine, new)
            new.replace(theirs)


class Authority:
    """Roots of its own, and certificates for `localhost` signed by them. Skips the test where there is no openssl."""

    def __init__(self, folder: Path, name: str = "ca") -> None:
        if shutil.which("openssl") is None:
            pytest.skip("there is no openssl here to make certificates with: TLS with own roots is NOT tested")
        self._folder = folder
        self._made = 0
        self.root = Pair(folder / f"{name}.pem", folder / f"{name}.key")
        self._run(
            *("req", "-x509", *self._new_key(self.root.key), "-out", str(self.root.certificate)),
            *("-days", "2", "-subj", f"/CN={name}", "-addext", "basicConstraints=critical,CA:TRUE"),
        )

    def issue(self, name: str = "localhost") -> Pair:
        """Make a certificate for a name."""
        self._made += 1
        stem = f"{self.root.certificate.stem}-{name}-{self._made}"
        pair = Pair(self._folder / f"{stem}.pem", self._folder / f"{stem}.key")
        request, names = self._folder / f"{stem}.csr", self._folder / f"{stem}.cnf"
        names.write_text(f"subjectAltName=DNS:{name}\n")
        self._run("req", *self._new_key(pair.key), "-out", str(request), "-subj", f"/CN={name}")
        self._run(
            *("x509", "-req", "-in", str(request), "-out", str(pair.certificate), "-days", "2"),
            *("-CA", str(self.root.certificate), "-CAkey", str(self.root.key), "-set_serial", str(self._made)),
            *("-extfile", str(names)),
        )
        return pair

    @staticmethod
    def _new_key(path: Path) -> list[str]:
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", str(path)]

    @staticmethod
    def _run(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=60)

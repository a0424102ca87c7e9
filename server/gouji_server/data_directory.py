"""The data directory: whom it is open to, which server owns it, and the keys that live there."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

KEY_BYTES = 32
_LOCK = "lock"


class StartError(Exception):
    """The server cannot start; the message says why in one line, for people."""


class DataDirectory:
    """A directory of mode 0700, held by one server at a time while it is open.

    The journal holds the seeds of running deals and the keys sign tokens, so nobody but the owner may look inside. The
    lock is the kernel's (`flock`): it ends with the process, a killed one's too.
    """

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock = lock

    @classmethod
    def open(cls, path: Path) -> Self:
        """Make `path` if need be and lock it. Raises StartError when that cannot be done or another server has it."""
        path = path.expanduser().absolute()
        try:
            _make_private(path)
            lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileExistsError as error:
            raise StartError(f"the data directory {path} cannot be used: it is a file") from error
        except OSError as error:
            raise StartError(f"the data directory {path} cannot be used: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(lock, 20, 0).decode("ascii", "replace").strip()
            os.close(lock)
            who = f" (process {holder})" if holder else ""
            raise StartError(
                f"the data directory {path} is in use by another server{who}: stop it, or name another data directory"
            ) from error
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
        return cls(path, lock)

    def file(self, name: str) -> Path:
        """Return the path of a file of the directory, made empty with mode 0600 if it is not there yet."""
        path = self.path / name
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise StartError(f"{path} cannot be used: {error.strerror}") from error
        return path

    def key(self, name: str) -> bytes:
        """Return the secret key kept in a file of the directory; the first time it is drawn and written."""
        path = self.path / name
        try:
            return _read_key(path)
        except FileNotFoundError:
            _write_key(path, secrets.token_bytes(KEY_BYTES))
            return _read_key(path)

    def intact(self) -> bool:
        """Tell whether the directory is still where it was: not removed, moved, or replaced by another."""
        try:
            there = (self.path / _LOCK).stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:  # a disk that does not answer just now is not gone
            return True
        return os.path.samestat(there, os.fstat(self._lock))

    def close(self) -> None:
        """Let the directory go."""
        os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _make_private(path: Path) -> None:
    """Make `path` with mode 0700; close an empty one to others; refuse one in use that others may enter."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077 == 0:
        return
    if any(path.iterdir()):
        raise StartError(
            f"the data directory {path} is open to other users (mode {mode:o}) and holds files: "
            f"chmod 700 it if it is meant, or name another"
        )
    path.chmod(0o700)


def _read_key(path: Path) -> bytes:
    """Read a key file; raises StartError when it is damaged or open to others."""
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise StartError(f"the key file {path} is open to other users: chmod 600 it, or remove it to have a new key")
    key = path.read_bytes()
    if len(key) != KEY_BYTES:
        raise StartError(f"the key file {path} is damaged: remove it to have a new key (everyone signs in again)")
    return key


def _write_key(path: Path, key: bytes) -> None:
    """Write a key so that a crash leaves either no file or a whole one."""
    making = path.with_name(f"{path.name}.new")
    with contextlib.suppress(FileNotFoundError):
        making.unlink()
    file = os.open(making, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.write(file, key)
        os.fsync(file)
    finally:
        os.close(file)
    making.replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)

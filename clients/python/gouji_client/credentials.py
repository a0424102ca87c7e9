"""What makes a client come back as the same account, and the file it is kept in."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

from gouji_client.errors import CredentialsError

_FORMAT = "gouji-credentials/1"
_FIELDS = ("server", "account", "display_name", "device_secret")


@dataclass(frozen=True, slots=True)
class Credentials:
    """An account of a server and the device secret that proves it. The secret is shown by neither repr nor str."""

    server: str
    """The address of the server that made the account."""
    account: str
    """`accounts/{account}`."""
    display_name: str
    """What others see."""
    device_secret: str = field(repr=False)
    """Given by the server once, when the account was made."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to `path`, readable by its owner alone (0600), whole or not at all.

        Raises `CredentialsError` if the file cannot be written.
        """
        target = Path(path)
        text = json.dumps({"format": _FORMAT, **asdict(self)}, ensure_ascii=False, indent=2) + "\n"
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            # mkstemp makes the file 0600 from the start: the secret is never readable by others, not for a moment.
            handle, beside = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
                Path(beside).replace(target)
            except BaseException:
                Path(beside).unlink(missing_ok=True)
                raise
        except (OSError, ValueError) as error:  # a path with a null byte is a ValueError
            reason = error.strerror if isinstance(error, OSError) else error
            raise CredentialsError(
                f"cannot keep credentials in {target}: {reason}", f"{target}：无法保存账号：{reason}"
            ) from error

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Credentials:
        """Read from `path`.

        Raises `CredentialsError` if the file is missing, readable by others, or no credentials file.
        """
        source = Path(path)
        try:
            with source.open(encoding="utf-8") as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                text = file.read(65_536)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no text"
            if not isinstance(error, OSError | UnicodeDecodeError):
                reason = str(error)
            raise CredentialsError(
                f"cannot read credentials from {source}: {reason}", f"{source}：无法读取账号：{reason}"
            ) from error
        if os.name == "posix" and mode & 0o077:
            raise CredentialsError(
                f"{source} can be read by others (mode {mode:04o}) and holds a secret; chmod 600 {source}",
                f"{source} 别人也能读（权限 {mode:04o}），里面有密钥；请执行 chmod 600 {source}",
            )
        return cls._parse(source, text)

    @classmethod
    def _parse(cls, source: Path, text: str) -> Credentials:
        try:
            found = json.loads(text)
        except ValueError as error:
            raise CredentialsError(
                f"{source} holds no credentials: it is no JSON", f"{source} 里面没有账号：不是 JSON"
            ) from error
        if not isinstance(found, dict) or found.get("format") != _FORMAT:
            raise CredentialsError(
                f'{source} holds no credentials: its "format" is not {_FORMAT}',
                f'{source} 里面没有账号："format" 不是 {_FORMAT}',
            )
        for name in _FIELDS:
            if not isinstance(found.get(name), str) or not found[name]:
                raise CredentialsError(
                    f"{source} holds no credentials: {name} is missing", f"{source} 里面没有账号：缺少 {name}"
                )
        return cls(**{name: found[name] for name in _FIELDS})

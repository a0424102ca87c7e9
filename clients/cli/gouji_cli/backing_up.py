"""`gouji backup` and `gouji restore`: a copy of a server's data, taken while it runs, and put back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gouji_cli.serving import INSTALL
from gouji_cli.terminal import by_locale, fail, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_server.backup import Backup

FAILED = 1

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the backup.")]
DataDir = Annotated[Path, typer.Option("--data-dir", metavar="FOLDER", help="The server's data directory.")]


def backup(folder: Folder, data_dir: DataDir = Path("data")) -> None:
    """Copy a server's tables, accounts, matches and keys into a new folder. The server may run meanwhile.

    Whoever reads the copy knows all hands of running deals and may sign in as anyone, as with the data itself.
    """
    made = _carry_out(lambda back_up, _restore: back_up(data_dir, folder))
    _tell(made, f"backed up to {folder}", f"已备份到 {folder}")


def restore(folder: Folder, data_dir: DataDir = Path("data")) -> None:
    """Make a new data directory of a backup. A directory that holds anything is left as it is."""
    made = _carry_out(lambda _back_up, restore: restore(folder, data_dir))
    _tell(made, f"restored to {data_dir}", f"已恢复到 {data_dir}")


def _carry_out(work: Callable[[Callable[[Path, Path], Backup], Callable[[Path, Path], Backup]], Backup]) -> Backup:
    try:
        from gouji_server import backup as server
    except ModuleNotFoundError as missing:
        fail(
            by_locale(
                f"the server is not installed: {INSTALL} ({missing.name} is missing)",
                f"没有安装服务器：{INSTALL}（缺 {missing.name}）",
            ),
            status=FAILED,
        )
    try:
        return work(server.back_up, server.restore)
    except server.BackupError as error:
        fail(str(error), status=FAILED)


def _tell(made: Backup, english: str, chinese: str) -> None:
    counts = f"{made.tables} tables, {made.accounts} accounts, {made.matches} matches"
    zh = f"{made.tables} 张牌桌，{made.accounts} 个账号，{made.matches} 局"
    print(plain(by_locale(f"{english}: {counts}, as of {made.time}", f"{chinese}：{zh}，截至 {made.time}")))

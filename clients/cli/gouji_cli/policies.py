"""Finding the bot that a command names: a built-in policy, `module:Class` or `file.py:Class`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import gouji_bots
from gouji_cli.terminal import by_locale
from gouji_client import Bot, PolicyBot

if TYPE_CHECKING:
    from types import ModuleType


class NoSuchBot(Exception):
    """The text names no bot; says why."""


def load_bot(policy: str, seed: int | None = None) -> Bot:
    """Make the bot that a text names. `seed` fixes the choices of a built-in policy.

    Raises `NoSuchBot`. A module is looked for in the current folder first.
    """
    if ":" not in policy:
        if policy in gouji_bots.policies:
            return PolicyBot(policy, seed=seed)
        known = ", ".join(gouji_bots.policies)
        raise NoSuchBot(
            by_locale(
                f"there is no policy {policy!r}: use {known}, module:Class or file.py:Class",
                f"没有 {policy!r} 这种机器人：请用 {'、'.join(gouji_bots.policies)}、模块:类 或 文件.py:类",
            )
        )
    source, _, name = policy.rpartition(":")
    module = _from_file(Path(source)) if source.endswith(".py") else _from_name(source)
    return _make(module, source, name)


def _from_name(source: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(source)
    except ModuleNotFoundError as missing:
        if missing.name is not None and (source == missing.name or source.startswith(f"{missing.name}.")):
            raise NoSuchBot(
                by_locale(f"there is no module {source}, here or installed", f"这里没有模块 {source}，也没有安装")
            ) from missing
        raise NoSuchBot(_not_imported(source, str(missing))) from missing
    except Exception as error:
        raise NoSuchBot(_not_imported(source, f"{type(error).__name__}: {error}")) from error


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise NoSuchBot(by_locale(f"there is no file {path}", f"没有文件 {path}"))
    # What the file imports from beside itself should be found, as when it is run.
    sys.path.insert(0, str(path.parent.resolve()))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise NoSuchBot(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise NoSuchBot(_not_imported(str(path), f"{type(error).__name__}: {error}")) from error
    return module


def _not_imported(source: str, why: str) -> str:
    return by_locale(f"{source} cannot be imported: {why}", f"{source} 无法导入：{why}")


def _make(module: ModuleType, source: str, name: str) -> Bot:
    found = getattr(module, name, None)
    if found is None:
        if name:
            raise NoSuchBot(by_locale(f"{source} has no class {name}", f"{source} 里没有类 {name}"))
        raise NoSuchBot(by_locale(f"{source}: says no class; write {source}:Class", f"没有写类名：请写 {source}:类"))
    if not (isinstance(found, type) and issubclass(found, Bot)):
        raise NoSuchBot(
            by_locale(
                f"{source}:{name} is no bot: it must be a subclass of gouji_client.Bot",
                f"{source}:{name} 不是机器人：须是 gouji_client.Bot 的子类",
            )
        )
    if found.choose is Bot.choose:
        raise NoSuchBot(
            by_locale(f"{source}:{name} has no choose(self, view)", f"{source}:{name} 没有 choose(self, view)")
        )
    try:
        return found()
    except Exception as error:
        raise NoSuchBot(
            by_locale(f"{source}:{name} cannot be made: ", f"{source}:{name} 造不出来：")
            + f"{type(error).__name__}: {error}"
        ) from error

"""The pages about errors and operations say what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from gouji_server.metrics import Metrics

ROOT = Path(__file__).resolve().parents[2]
SERVER = ROOT / "server"


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def sources(package: str) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((SERVER / package).rglob("*.py")))


def test_every_reason_is_told() -> None:
    """The reasons on the page are those in the code: none is missing, none is made up."""
    told = set(re.findall(r"`([A-Z][A-Z_]{3,})`", page("errors.md")))
    service = sources("gouji_server")
    used = set(re.findall(r'(?:Refused|limited|super\(\).__init__)\(\s*(?:[\w.]+,\s*)?"([A-Z_]+)"', service))
    # In bad_field the reason comes last, after texts.
    used |= set(re.findall(r'"((?:BAD|NO_SUCH)_[A-Z_]+)"', service))
    rules = set(re.findall(r'[A-Z]\w+\(\s*(?:"R\d+"|[\w.]*rule),\s*"([A-Z_]+)"', sources("gouji_rules")))
    assert told - used - rules == set()
    assert (used | rules) - told == set()


def test_every_figure_is_told() -> None:
    """The figures on the page are those that are served, with their labels."""
    metrics = Metrics()
    metrics.command("Play.act", "OK")
    metrics.resync("FIRST")
    served = {
        sample.name: frozenset(sample.labels) - {"le"}
        for family in metrics.registry.collect()
        for sample in family.samples
        if not sample.name.endswith(("_created", "_bucket", "_sum"))
    }
    rows = re.findall(r"^\| `(gouji_\w+)` \|([^|]*)\|", page("operations.md"), re.MULTILINE)
    told = {
        f"{name}_count" if name == "gouji_commit_seconds" else name: frozenset(re.findall(r"`(\w+)`", labels))
        for name, labels in rows
    }
    assert told == served


def test_every_file_is_told() -> None:
    """The files of the data directory on the page are those that the code names."""
    told = set(re.findall(r"^\| `([a-z.0-9]+)` \|", page("operations.md"), re.MULTILINE))
    names = r'"((?:journal|records)\.sqlite3|(?:tokens|admin)\.key|admin\.sock)"'
    used = set(re.findall(names, sources("gouji_server"))) | {"lock"}
    assert told == used

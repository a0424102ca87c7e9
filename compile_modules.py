"""Compiles modules of the rules engine and of the server where they lie, for `hatch_build.py`, which gives it a copy.

Run in the folder that holds the copies, with the paths of the modules:

    python compile_modules.py gouji_rules/trick.py gouji_server/tables/table.py

mypyc makes C of them. With gcc that is compiled twice: the first build counts what runs while it plays some deals of
every preset, by themselves and at tables (`--train`), the second is arranged by those counts, which makes a game about
a tenth faster. Other compilers compile it once, and so does `--plain`, which takes half as long.
"""

from __future__ import annotations

import os
import random
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

DIRECT = ("-fvisibility=hidden", "-fno-semantic-interposition")
"""Lets the C compiler call and inline the engine's own functions directly: nothing else may replace them."""

COUNTING = ("-fprofile-generate",)
COUNTED = ("-fprofile-use", "-fprofile-correction", "-Wno-missing-profile")
SIMULATED_DEALS = 200
ANSWERED_DEALS = 12
MATCH_DEALS = 4
"""How many deals of a preset are played while counting: at random, answer by answer, and at a table."""


def is_gcc() -> bool:
    """Whether the C compiler is gcc, whose counts are read here."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    asked = [*compiler, "-dM", "-E", "-"]
    macros = subprocess.run(asked, input="", capture_output=True, text=True, check=False).stdout
    return "__GNUC__" in macros and "__clang__" not in macros


def compile_modules(extensions: Sequence[Any], flags: tuple[str, ...]) -> None:
    """Compile mypyc's C beside the sources, whatever was compiled before."""
    from setuptools import setup

    for extension in extensions:
        extension.extra_compile_args = [*extension.extra_compile_args, *DIRECT, *flags]
        extension.extra_link_args = list(flags)
    arguments = ["--quiet", "build_ext", "--inplace", "--force"]
    setup(name="gouji", packages=[], ext_modules=extensions, script_args=arguments)


def train() -> None:
    """Play deals of every preset in this folder: simulations, what a search does with a deal, and matches at tables."""
    sys.path.insert(0, str(Path.cwd()))
    import gouji_rules
    from gouji_rules.playout import play_out, random_deal
    from gouji_server.training import play_match

    rng = random.Random(1)  # noqa: S311 - which deals these are does not matter
    for name in gouji_rules.PRESETS:
        rules = gouji_rules.preset(name)
        for _ in range(SIMULATED_DEALS):
            random_deal(rules, rng)
        for _ in range(ANSWERED_DEALS):
            deal = gouji_rules.Deal.start(rules, rng.randbytes(32))
            answer_all(deal, rng)
            deal = gouji_rules.Deal.from_bytes(gouji_rules.Deal.start(rules, rng.randbytes(32)).to_bytes())
            play_out(deal.copy(), rng)
        play_match(name, rng, MATCH_DEALS)


def answer_all(deal: Any, rng: random.Random) -> None:
    """Answer a deal to its end, looking at every seat's view as it is asked."""
    while not deal.over:
        seat = next(seat for seat in range(6) if deal.is_asked(seat))
        deal.view(seat)
        actions = deal.legal_actions(seat)
        deal.apply(seat, actions[rng.randrange(len(actions))])
    deal.digest()


def main(arguments: list[str]) -> None:
    """Compile the modules named, or play for the counts."""
    if arguments == ["--train"]:
        train()
        return
    from mypyc.build import mypycify

    once = "--plain" in arguments
    modules = [argument for argument in arguments if argument != "--plain"]
    options = ["--follow-imports=silent", "--ignore-missing-imports", *modules]
    made = mypycify(options, opt_level="1" if once else "3", debug_level="0", group_name="gouji")
    if once or not is_gcc():
        compile_modules(made, ())
        return
    plain = [list(extension.extra_compile_args) for extension in made]
    compile_modules(made, COUNTING)
    subprocess.run([sys.executable, __file__, "--train"], check=True)
    for extension, flags in zip(made, plain, strict=True):
        extension.extra_compile_args = flags
    compile_modules(made, COUNTED)


if __name__ == "__main__":
    main(sys.argv[1:])

"""`gouji verify`: deal again from what was revealed, and compare with what was promised before."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gouji_cli.records import DIFFERS, Unreadable, check_record, load, said_of
from gouji_cli.terminal import BAD_INPUT, by_locale, plain, say_error

if TYPE_CHECKING:
    from gouji.table.v1 import events_pb2
    from gouji_client.sync import Client
    from gouji_rules.records import Record

MATCH = re.compile(r"(matches|tables)/[A-Za-z0-9_-]+|[a-z2-7]{32}")


@dataclass(slots=True)
class Verified:
    """What came of verifying one thing: how many of its deals are as promised, and what is wrong with the others."""

    what: str
    deals: int = 0
    good: int = 0
    givers: int = 0
    faults: list[str] = field(default_factory=list)


def verify(
    things: Annotated[
        list[str],
        typer.Argument(metavar="FILE|MATCH…", help="Record files (- is standard input), matches/… or tables/…."),
    ],
    server: Annotated[str, typer.Option(metavar="HOST:PORT", help="The server that keeps the matches.")] = "",
    keep: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The account's credentials, for matches that not all may see.")
    ] = None,
    tls: Annotated[bool, typer.Option("--tls", help="Connect over TLS.")] = False,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Allow cleartext to another machine, on a network you trust.")
    ] = False,
) -> None:
    """Check that deals were shuffled as the server had promised (docs/shuffle.md), and played by the rules.

    Of each deal: the commitment published before it is that of the secret revealed after it; the secret and what the
    seats gave make the seed; the seed deals the hands; the record holds against the rules. The exit status is 0 if all
    do, 1 if any does not or proves nothing, 2 for what cannot be read as a record.
    """
    from gouji_cli.replaying.reaching import Reach, match_of, signed_in

    found: list[Verified] = []
    bad = False
    for thing in things:
        if MATCH.fullmatch(thing) and not Path(thing).exists():
            with signed_in(Reach(server, keep, tls, insecure)) as client:
                found.append(of_match(client, match_of(client, thing)))
            continue
        try:
            found.append(of_record(thing, load(thing)[1]))
        except Unreadable as error:
            say_error(str(error))
            bad = True
    for verified in found:
        tell(verified)
    wrong = any(verified.faults for verified in found)
    raise typer.Exit(BAD_INPUT if bad else DIFFERS if wrong else 0)


def tell(verified: Verified) -> None:
    """Print what came of it: faults on stderr, a line in any case."""
    for fault in verified.faults:
        say_error(f"{verified.what}: {fault}")
    good, deals, givers = verified.good, verified.deals, verified.givers
    english = f"{verified.what}: {good} of {deals} deals as promised, {givers} entropies given by seats"
    print(plain(by_locale(english, f"{verified.what}：{deals} 盘中 {good} 盘与承诺相符；座位自供随机数 {givers} 次")))


def of_record(what: str, record: Record) -> Verified:
    """Verify a record: its own words about each deal, and the deal against the rules."""
    from gouji_rules.fairness import faults_of

    found = Verified(what)
    for number, deal in enumerate(record.deals or (record,), 1):
        found.deals += 1
        if deal.proof is None:
            missing = f"deal {number}: without commitment and secret there is nothing to verify"
            found.faults.append(by_locale(missing, f"第 {number} 盘：没有承诺与密钥，无从验证"))
            continue
        faults = faults_of(deal.proof, deal.seed)
        found.faults += [by_locale(f"deal {number}: {fault.en}", f"第 {number} 盘：{fault.zh}") for fault in faults]
        found.good += not faults
        found.givers += len(deal.proof.entropies)
    verdict = check_record(what, record)
    found.faults += [said_of("", difference).removeprefix(":") for difference in verdict.differences]
    found.faults += [verdict.error] if verdict.error else []
    return found


def of_match(client: Client, name: str) -> Verified:
    """Verify a kept match: what was told at its table, step by step, and its record against that."""
    from gouji_client.fairness import worded_faults
    from gouji_rules.records import read_record

    found = Verified(name)
    begun: events_pb2.DealStarted | None = None
    secrets: list[bytes] = []
    heard: dict[int, bytes] = {}
    promised = b""
    for step in client.replays.steps(name, eyes="spectator"):
        for event in step.update.events:
            if event.HasField("deal_promised"):
                heard.clear()
                promised = event.deal_promised.commitment
            elif event.HasField("entropy_given"):
                heard[event.entropy_given.entropy.seat] = event.entropy_given.entropy.entropy
            elif event.HasField("deal_started"):
                begun = event.deal_started
                if promised not in (b"", begun.commitment):
                    other = f"deal {begun.deal}: it began under another commitment than was promised"
                    found.faults.append(by_locale(other, f"第 {begun.deal} 盘：开始时的承诺与先前所公布的不同"))
            elif event.HasField("deal_revealed") and begun is not None:
                found.deals += 1
                secrets.append(event.deal_revealed.secret)
                given = tuple(sorted(heard.items()))
                faults = worded_faults(step.view.rules, begun.commitment, event.deal_revealed, given)
                found.givers += len(given)
                heard.clear()
                promised = b""
                found.faults += [
                    by_locale(f"deal {begun.deal}: {fault.en}", f"第 {begun.deal} 盘：{fault.zh}") for fault in faults
                ]
                found.good += not faults
    record = read_record(client.replays.record(name))
    told = [deal.proof.secret for deal in record.deals if deal.proof is not None]
    if told != secrets:
        found.faults.append(by_locale("the record is not of the deals that were told", "牌谱与所播各盘不符"))
    found.faults += of_record(name, record).faults
    return found

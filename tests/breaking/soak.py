"""A long run: `make soak MINUTES=30`. One server process, played at for as long as told; its memory must stay flat.

Clients over connections of their own make tables of every preset, fill them with one another and with built-in bots,
play, watch, leave in the middle of matches, drop streams and follow again, take tickets and cancel them. The memory of
the server's process is sampled all the while. The rule is that of tests.breaking.flatness; exit status 1 where it is
broken, where the server fails in a way nobody planned, or where it ends.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji_bots import policies
from gouji_client import Backoff, Client, NewTable, Refused, connect
from tests.breaking.flatness import Flatness, open_files, resident_mib
from tests.server.processes import KillableServer, Nursery

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping

SEATS = 6
IMPATIENT = Backoff(first=0.05, ceiling=0.5, patience=60)
UNPLANNED = frozenset({"UNIMPLEMENTED", "INTERNAL", "UNKNOWN"})
SETTINGS = ("--seat-lease-seconds", "5", "--call-limit-factor", "0", "--sign-in-burst", "10000")


async def pause(seconds: float) -> None:
    """Let so much time go by: a program that fills half an hour, no test."""
    loop = asyncio.get_running_loop()
    over = loop.create_future()

    def end() -> None:
        if not over.done():
            over.set_result(None)

    timer = loop.call_later(seconds, end)
    try:
        await over
    finally:
        timer.cancel()


class Soak:
    """People at their tables until they are told to stop. `pace`: seconds that a person takes to answer at most."""

    def __init__(self, address: str, seed: int, pace: float) -> None:
        self.address = address
        self.dice = random.Random(seed)
        self.pace = pace
        self.done: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self._until: dict[str, int] = {}
        self._enough = asyncio.Event()

    async def run(self, groups: int, seconds: float | None = None, until: Mapping[str, int] | None = None) -> None:
        """Have so many groups of six play for so long, or until so many things of each kind were done."""
        self._until = dict(until or {})
        clients = [await self._new(f"p{number}") for number in range(groups * SEATS)]
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                    tasks = [
                        group.create_task(self._play_on(clients[number * SEATS : (number + 1) * SEATS]))
                        for number in range(groups)
                    ]
                    tasks += [group.create_task(self._queue(clients)), group.create_task(self._come_and_go())]
                    await self._enough.wait()
                    for task in tasks:
                        task.cancel()
        finally:
            for client in clients:
                await client.close()

    def _did(self, what: str) -> None:
        self.done[what] += 1
        if self._until and all(self.done[kind] >= count for kind, count in self._until.items()):
            self._enough.set()

    async def _new(self, name: str) -> Client:
        client = await connect(self.address, backoff=IMPATIENT)
        await client.sign_in(name)
        return client

    async def _try(self, what: str, work: Awaitable[object]) -> bool:
        """Do what may be refused, and count how it went."""
        try:
            await work
        except Refused as refused:
            self.refused[f"{what} {refused.reason}"] += 1
            if refused.code.name in UNPLANNED:
                raise
            return False
        self._did(what)
        return True

    async def _play_on(self, clients: list[Client]) -> None:
        while True:
            dice = self.dice
            people = dice.sample(clients, dice.randint(1, SEATS))
            rules = dice.choice(sorted(gr.PRESETS))
            table = (await people[0].lobby.create(NewTable(rule_set=rules, deals=1))).name
            self._did("tables")
            for client in people[1:]:
                await self._try("joined", client.lobby.join(table))
            for _ in range(SEATS - len(people)):
                await self._try("bot", people[0].lobby.add_bot(table, dice.choice(["random", "simple"])))
            if dice.random() < 0.1:
                await self._try("left", people[-1].lobby.leave(table))
                continue  # a table that nobody fills: its owner's seat lapses
            for client in people:
                await self._try("ready", client.lobby.set_ready(table))
            watchers = [client for client in clients if client not in people]
            await asyncio.gather(
                *(self._sit(client, table) for client in people), *(self._watch(w, table) for w in watchers)
            )
            self._did("matches")

    async def _sit(self, client: Client, name: str) -> None:
        """Play a seat to the end, dropping the stream now and then; or leave it to a bot."""
        over = False
        while not over:
            table = client.table(name)
            answered = -1
            over = True
            async for update in table.updates():
                view = update.view
                if not view.asked or view.decision == answered or view.at != table.view.at:
                    continue
                answered = view.decision
                await pause(self.dice.uniform(0, self.pace))
                action = policies["random"](view.to_seat_view(), self.dice)
                await self._try("act", table.act(action, decision=view.decision))
                chance = self.dice.random()
                if chance < 0.002:
                    await self._try("left in play", client.lobby.leave(name))
                elif chance < 0.02:
                    over = False
                    self._did("streams dropped")
                    break

    async def _watch(self, client: Client, name: str) -> None:
        left = self.dice.randint(1, 400)
        async for _ in client.table(name).updates():
            left -= 1
            if left <= 0:
                break
        self._did("watched")

    async def _queue(self, clients: list[Client]) -> None:
        """Take tickets that nobody is matched with, and give them back."""
        while True:
            client = self.dice.choice(clients)
            rules = self.dice.choice(sorted(gr.PRESETS))
            with suppress(Refused):
                ticket = await client.matchmaking.queue([rules])
                await pause(self.pace)
                await client.matchmaking.cancel(ticket.name)
                self._did("tickets")
            await pause(self.pace)

    async def _come_and_go(self) -> None:
        """Sign in on a connection of one's own, look around and be gone."""
        number = 0
        while True:
            number += 1
            client = await self._new(f"visitor {number}")
            async for table in client.lobby.tables():
                await self._try("looked", client.lobby.get(table.name))
                break
            await client.close()
            self._did("visitors")
            await pause(self.pace * 4)


async def sampled(pid: int, seconds: float, every: float) -> list[tuple[float, float]]:
    """Sample a process's memory for so long; return (seconds, MiB)."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    samples = []
    while (at := loop.time() - begun) < seconds:
        samples.append((at, resident_mib(pid)))
        if len(samples) % 60 == 0:
            print(f"{at / 60:6.1f} min  {samples[-1][1]:7.1f} MiB  {open_files(pid)} files", flush=True)
        await pause(every)
    return samples


async def soak(options: argparse.Namespace, folder: Path) -> int:
    """Run it all; return the exit status."""
    nursery = Nursery()
    server = KillableServer(nursery, folder, *SETTINGS)
    try:
        await server.start()
        seconds = options.minutes * 60
        load = Soak(server.address, options.seed, options.pace)
        print(f"seed {options.seed}: {options.groups} groups of six for {options.minutes:g} minutes", flush=True)
        samples, _ = await asyncio.gather(
            sampled(server.pid, seconds, min(5.0, seconds / 40)), load.run(options.groups, seconds)
        )
        status = await server.stop()
    finally:
        nursery.close()
    faults = [line for line in server.log.read_text().splitlines() if "fault" in line or "Traceback" in line]
    found = Flatness.of(samples)
    print(f"done: {dict(sorted(load.done.items()))}")
    print(f"refused: {dict(sorted(load.refused.items()))}")
    print(
        f"memory: {samples[0][1]:.1f} MiB at first, {found.mean:.1f} MiB on average of the second half, which rises by "
        f"{found.rise:+.2f} MiB ({found.slope:+.2f} MiB an hour; at most {found.bound:.1f} MiB): "
        f"{'flat' if found.flat else 'NOT FLAT'}"
    )
    for line in faults[:5]:
        print(line)
    return 0 if found.flat and status == 0 and not faults else 1


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(prog="python -m tests.breaking.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--groups", type=int, default=6, help="groups of six people, each at one table after another")
    parser.add_argument("--pace", type=float, default=0.25, help="seconds that a person takes to answer at most")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(soak(options, Path(folder)))


if __name__ == "__main__":
    sys.exit(main())

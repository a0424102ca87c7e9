"""Hashing passwords: slow on purpose, so away from the event loop, and only so many at once."""

from __future__ import annotations

import asyncio
import base64
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_server.tables import Entropy

T = TypeVar("T")

PASSES = 3
LANES = 1
HASH_BYTES = 32
SALT_BYTES = 16
MAX_WAITING = 16
"""Passwords that are hashed or wait for it; one more is refused."""


class HashingBusy(Exception):
    """So many passwords wait to be hashed that one more would wait too long."""


class PasswordHashing:
    """Hashes with argon2id in threads of its own; `memory_kib` for each of `at_once`."""

    def __init__(self, memory_kib: int, at_once: int, entropy: Entropy) -> None:
        self._hasher = PasswordHasher(PASSES, memory_kib, LANES, HASH_BYTES, SALT_BYTES)
        self._threads = ThreadPoolExecutor(at_once, "passwords")
        self._waiting = 0
        # What an account that does not exist is checked against: it takes as long, and no password fits.
        salt, nothing = (_encoded(entropy.token_bytes(size)) for size in (SALT_BYTES, HASH_BYTES))
        self._nobody = f"$argon2id$v=19$m={memory_kib},t={PASSES},p={LANES}${salt}${nothing}"

    async def hash(self, password: str) -> str:
        """Return what is stored of a password. Raises HashingBusy."""
        return await self._run(lambda: self._hasher.hash(password))

    async def fits(self, stored: str | None, password: str) -> bool:
        """Tell whether a password is the one stored; None, nobody's, takes as long. Raises HashingBusy."""
        return await self._run(lambda: self._verify(stored or self._nobody, password)) and stored is not None

    def is_outdated(self, stored: str) -> bool:
        """Tell whether a password was hashed with other settings than now, and should be hashed anew."""
        return self._hasher.check_needs_rehash(stored)

    async def close(self) -> None:
        """Let the threads end."""
        await asyncio.to_thread(self._threads.shutdown, wait=True, cancel_futures=True)

    def _verify(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False

    async def _run(self, work: Callable[[], T]) -> T:
        if self._waiting >= MAX_WAITING:
            raise HashingBusy
        self._waiting += 1
        loop = asyncio.get_running_loop()
        running = self._threads.submit(work)
        # Counted to its end, also when the caller is gone: the thread is busy with it all the same.
        running.add_done_callback(lambda _: loop.call_soon_threadsafe(self._done))
        return await asyncio.wrap_future(running)

    def _done(self) -> None:
        self._waiting -= 1


def _encoded(value: bytes) -> str:
    return base64.b64encode(value).rstrip(b"=").decode("ascii")

"""Whether a process's memory is flat: a line through the second half of what was sampled, by least squares."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST_MIB = 4.0
"""Growth over the second half that is no growth: allocators keep pages, and tables come and go."""
SHARE = 0.05
"""The same as a share of what the process has on average."""


def resident_mib(pid: int) -> float:
    """Read how much memory a process has in RAM, in MiB. Raises FileNotFoundError when it is gone."""
    return _status(pid, "VmRSS") / 1024


def open_files(pid: int) -> int:
    """Count a process's open file descriptors."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def _status(pid: int, name: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return float(line.split()[1])
    raise LookupError(name)


@dataclass(frozen=True, slots=True)
class Flatness:
    """A line through the second half of the samples: its mean (MiB), slope (MiB an hour) and rise (MiB) over it."""

    mean: float
    slope: float
    rise: float

    @classmethod
    def of(cls, samples: Sequence[tuple[float, float]]) -> Self:
        """Judge samples of (seconds, MiB). Raises ValueError where there are too few for a line."""
        half = samples[len(samples) // 2 :]
        if len(half) < 2 or half[0][0] == half[-1][0]:
            raise ValueError("too few samples for a line")
        at = sum(seconds for seconds, _ in half) / len(half)
        mean = sum(mib for _, mib in half) / len(half)
        spread = sum((seconds - at) ** 2 for seconds, _ in half)
        slope = sum((seconds - at) * (mib - mean) for seconds, mib in half) / spread
        return cls(mean, slope * 3600, slope * (half[-1][0] - half[0][0]))

    @property
    def bound(self) -> float:
        """How much the line may rise over the second half, in MiB."""
        return max(LEAST_MIB, SHARE * self.mean)

    @property
    def flat(self) -> bool:
        """Whether it rises by less."""
        return self.rise < self.bound

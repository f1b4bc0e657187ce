"""What the commands `check` and `printers` find: each thing on a line of output, marked as right or wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about one thing: `message` describes it, or says what is wrong and what to do."""

    subject: str
    message: str
    is_right: bool = True

    def __str__(self) -> str:
        """Return the finding as one line."""
        return f"{'ok   ' if self.is_right else 'WRONG'}  {self.subject}: {self.message}"


def all_right(findings: Sequence[Finding]) -> bool:
    """Print the findings, and return whether all are right."""
    print(*findings, sep="\n")  # noqa: T201 - the result of a command
    return all(finding.is_right for finding in findings)

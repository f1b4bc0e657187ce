"""What is wrong with an AI's value, and where: what the rules of values give."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Fault:
    """At `index`, the value has `found` where `fits` is required."""

    index: int
    found: str
    fits: str

    def moved(self, by: int) -> Fault:
        """Return the same fault for a longer text, in which `by` characters stand in front."""
        return replace(self, index=self.index + by)

"""Reports known vulnerabilities of the packages that scripts/setup installs; run by scripts/audit.

pip-audit looks them up, and this script reports the result. Rule: a package that could not be looked up is listed as
such and never called clean; a finding fails the run unless EXPLAINED says why it does not concern this service.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
EXPLAINED: Mapping[str, str] = {}
"""By the identifier of an advisory: why it does not concern this service."""
_COMMAND = ("-m", "pip_audit", "--disable-pip", "--no-deps", "--progress-spinner=off", "--format=json", "--timeout=15")
_SECONDS = 300


def audited() -> tuple[list[dict[str, Any]], str]:
    """Return what pip-audit reports for each pinned package, or nothing and why it failed."""
    command = [sys.executable, *_COMMAND, "--requirement", "scripts/constraints.txt"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603 - fixed text
        return list(json.loads(done.stdout)["dependencies"]), ""
    except subprocess.TimeoutExpired:
        return [], f"no response within {_SECONDS} seconds"
    except (ValueError, KeyError):
        return [], (done.stderr.strip().splitlines() or ["it said nothing"])[-1]


def findings(packages: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the identifier of each advisory and the release that it concerns."""
    for package in packages:
        for advisory in package.get("vulns", ()):
            yield str(advisory["id"]), f"{package['name']} {package['version']}"


def report(packages: list[dict[str, Any]], reason: str) -> tuple[int, list[str]]:
    """Return the exit status and the lines to print."""
    if not packages:
        return 0, [f"NOT AUDITED: the advisory service could not be asked: {reason}"]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    found = list(findings(packages))
    lines = [f"{release}: {name}: {EXPLAINED.get(name, 'NOT EXPLAINED')}" for name, release in found]
    if skipped:
        lines.append(
            f"NOT AUDITED: {len(skipped)} releases that the advisory service does not know: {', '.join(skipped)}"
        )
    lines.append(f"{len(packages) - len(skipped)} of {len(packages)} releases audited, {len(found)} findings")
    return int(any(name not in EXPLAINED for name, _ in found)), lines


def main() -> int:
    """Audit, print the report, and return the exit status."""
    status, lines = report(*audited())
    print("\n".join(lines))
    return status


if __name__ == "__main__":
    sys.exit(main())

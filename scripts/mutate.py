"""Counts how many small faults in the most important modules the tests find; run by scripts/mutate.

mutmut plants the faults, called mutants, in functions: it replaces an operator, a number, a string or an argument. It
works in a temporary folder. A mutant is killed if a test of its module fails, or is still running after far too long.

A run tries SAMPLE mutants of each module. They are chosen by a hash of their names, so that they are the same in every
run, and a change of one function leaves most of those of the others as they are.
"""

import argparse
import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCORES = ROOT / "tests" / "mutation_scores.json"
SAMPLE = 80
Scores = Mapping[str, Mapping[str, float]]
"""The figures of modules: `killed`, `mutants`, and their `score` in percent."""
TESTS: Mapping[str, tuple[str, ...]] = {
    "api/guard/cross_site": ("api/test_cross_site.py", "api/test_rebinding.py"),
    "catalogue/rows": ("catalogue/test_catalogue_rows.py", "catalogue/test_staged_rows.py"),
    "gs1/element_strings": ("gs1/test_element_strings.py", "scanning/test_scanned_data.py"),
    "labels/placeholders": ("labels/test_label_content.py", "labels/test_sheet_jobs.py"),
    "numbers/check_digits": (
        "numbers/test_check_digits.py",
        "numbers/test_canonical.py",
        "symbols/test_captions_and_guards.py",
        "symbols/test_written_numbers.py",
        "scanning/test_scanned_data.py",
    ),
    "printers/print_run": ("printers/test_queue.py", "printers/test_every_printer.py"),
    "runtime/capacity": ("runtime/test_capacity.py",),
    "scanning/candidates": ("scanning/test_candidates.py", "scanning/test_matching.py"),
    "scanning/spellings": (
        "scanning/test_spellings.py",
        "scanning/test_candidates.py",
        "scanning/test_matching.py",
        "scanning/test_scanned_data.py",
    ),
    "store/idempotency": (
        "store/test_store_keys.py",
        "store/test_store_movements.py",
        "api/test_idempotency_keys.py",
    ),
    "store/movements": (
        "store/test_store_movements.py",
        "store/test_movement_lists.py",
        "api/test_level_changes.py",
        "api/test_scan_movements.py",
        "api/test_scan_batch.py",
    ),
    "store/products": (
        "store/test_store_products.py",
        "store/test_product_search.py",
        "api/test_products.py",
        "api/test_attributes.py",
    ),
}
"""The tests of each module, in tests/: those about it; of them, only those that call the function of a mutant run."""
_COPIED = ("docs", "scripts", "setup.cfg", "sql", "tests", "barcodesvc")
_FOUND_BY_NO_TEST = {0, 5, 33}
"""Exit codes of the tests of a mutant: all passed, or no test calls its function."""
_UNTRIED = {None, 2, 255}
"""Those of an interrupted run, and of tests that pytest does not find or cannot import."""
_SETTINGS = """
# a process collects the tests, and others that are forked from it run them; there, the plugin of Hypothesis cannot be
# configured again
[tool.mutmut]
source_paths = ["barcodesvc"]
only_mutate = [{module}]
also_copy = ["docs", "scripts", "sql"]
pytest_add_cli_args = ["-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
process_isolation = "forkserver"
pytest_add_cli_args_test_selection = {tests}
timeout_multiplier = 5.0
timeout_constant = 4.0
"""


def prepare(module: str, folder: Path) -> None:
    """Make a folder in which mutmut finds the checkout, which it copies, and what it is to do."""
    for name in _COPIED:
        (folder / name).symlink_to(ROOT / name)
    settings = _SETTINGS.format(
        module=json.dumps(f"barcodesvc/{module}.py"), tests=json.dumps([f"tests/{each}" for each in TESTS[module]])
    )
    (folder / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text("utf-8") + settings, "utf-8")


def sample(module: str, folder: Path) -> list[str]:
    """Return the names of the mutants to try."""
    from mutmut.mutation.file_mutation import mutate_file_contents  # noqa: PLC0415 - only the extra `mutate` has it

    file = f"barcodesvc/{module}.py"
    with contextlib.chdir(folder):  # where it looks for its settings
        names = mutate_file_contents(file, Path(file).read_text("utf-8")).mutant_names
    chosen = sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())[:SAMPLE]
    return [f"barcodesvc.{module.replace('/', '.')}.{name}" for name in sorted(chosen)]


def survivors(module: str, mutants: list[str], folder: Path) -> list[str]:
    """Try the mutants, and return those that no test finds."""
    processes = len(os.sched_getaffinity(0))
    command = [str(Path(sys.executable).with_name("mutmut")), "run", f"--max-children={processes}", *mutants]
    environment = {**os.environ, "CI": "1", "PYTHONHASHSEED": "0"}  # with CI, Hypothesis always draws the same examples
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603 - fixed text and names of mutants
    if done.returncode:
        said = done.stdout.replace("\r", "\n")[-2000:]  # the end of it: it draws its progress
        sys.exit(f"{said}\n{module}: mutmut failed with status {done.returncode}")
    codes = json.loads((folder / "mutants" / "barcodesvc" / f"{module}.py.meta").read_text("utf-8"))["exit_code_by_key"]
    if untried := [name for name in mutants if codes[name] in _UNTRIED]:
        sys.exit(
            f"{module}: no tests ran for {len(untried)} mutants; are `ids=` of its tests ASCII, without backslashes?"
        )
    return [name for name in mutants if codes[name] in _FOUND_BY_NO_TEST]


def score(module: str, show: Callable[[str], None]) -> dict[str, float]:
    """Return the figures of a module; print them, and pass the difference that each survivor makes."""
    from mutmut.mutation.diff_apply import get_diff_for_mutant  # noqa: PLC0415 - only the extra `mutate` has it

    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutate-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        prepare(module, folder)
        mutants = sample(module, folder)
        alive = survivors(module, mutants, folder)
        with contextlib.chdir(folder):
            for each in alive:
                show(f"{each}\n{get_diff_for_mutant(each, path=f'barcodesvc/{module}.py')}")
    killed = len(mutants) - len(alive)
    percent = round(100 * killed / len(mutants), 1)
    took = time.monotonic() - began
    print(f"{module:24}{killed:4} of {len(mutants)} killed, {percent} %, in {took:.0f} s", flush=True)
    return {"killed": killed, "mutants": len(mutants), "score": percent}


def main() -> int:
    """Score the modules, and return the exit status."""
    parser = argparse.ArgumentParser(prog="scripts/mutate", description="Count the mutants that tests find.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"one of {', '.join(TESTS)}; default: all")
    parser.add_argument("--survivors", action="store_true", help="show the mutants that no test finds")
    parser.add_argument("--check", action="store_true", help=f"fail if a score is lower than in tests/{SCORES.name}")
    wanted = parser.parse_args()
    if unknown := set(wanted.modules) - set(TESTS):
        parser.error(f"not in the table of modules: {', '.join(sorted(unknown))}")
    show = print if wanted.survivors else lambda _: None
    scores = {module: score(module, show) for module in sorted(wanted.modules or TESTS)}
    if not wanted.check:
        if not wanted.modules:
            SCORES.write_text(json.dumps(scores, indent=2) + "\n", "utf-8")
        return 0
    fallen = list(losses(scores, json.loads(SCORES.read_text("utf-8"))))
    print(*fallen, sep="\n", file=sys.stderr)
    return int(bool(fallen))


def losses(scores: Scores, recorded: Scores) -> Iterator[str]:
    """Yield a line for each module whose score is lower than the recorded one."""
    for module, found in scores.items():
        if found["score"] < recorded[module]["score"]:
            yield f"{module}: {found['score']} %, {recorded[module]['score']} % before"


if __name__ == "__main__":
    sys.exit(main())

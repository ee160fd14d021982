"""Runs test programs that cargo built, two at once, and prints the output of each when it ends.

    programs.py MESSAGES REPORTS

MESSAGES is the output of `cargo test --no-run --message-format=json`. `cargo test` would run one program after the other, though
most of them wait more than they compute: for processes, disks and timers. Modules of the programs in BY_MODULE run as separate
programs; they are one program only because linking each of them with all of Kimberly takes minutes.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

# Programs that run at once. Each uses as many threads as there are processors.
SIDE_BY_SIDE = 2
# These take minutes, so they start first, in this order; started last they would run alone.
LONG = ["simulation", "fuzz", "faults", "postgres", "rotation", "stories on Postgres", "sqlite", "queue"]
# Programs of tests/tests and shared/store/tests.
BY_MODULE = ["system", "backends"]
# Modules of tests/tests that work on any backend: they run again on Postgres, with the processes of several machines. Most others
# read files of the data folder, or test features of data folders only. "meaning" stops, kills and changes the only embedder of a
# folder; with a database another one would take over. "bounds" tests core, and the conformance suite of the store covers rankings
# on both backends, so these two run only with --long.
ON_ANY_BACKEND = ["attachments", "stories", "streams"]
if os.environ.get("KIMBERLY_TEST_LONG"):
    ON_ANY_BACKEND += ["bounds", "recall_quality"]
# Bytes of output of failed tests that are repeated at the end.
SHOWN = 4_000

# `tests` are the names of the tests to run; empty means all.
Program = collections.namedtuple("Program", "name path tests folder environment")


def programs(messages) -> list[Program]:
    """Lists the programs that cargo built for `cargo test`, the longest first."""
    found = []
    for line in messages:
        if not line.startswith("{"):
            continue
        message = json.loads(line)
        if message["reason"] != "compiler-artifact" or not message["profile"]["test"] or not message["executable"]:
            continue
        target, folder = message["target"], pathlib.Path(message["manifest_path"]).parent
        name = target["name"] if target["kind"] == ["test"] else f"{target['name']} ({target['kind'][0]})"
        if name in BY_MODULE:
            found.extend(modules(message["executable"], folder))
        else:
            found.append(Program(name, message["executable"], [], folder, {}))
    lacking = set(LONG) | {f"{name} on Postgres" for name in ON_ANY_BACKEND}
    lacking -= {program.name for program in found}
    if lacking:
        sys.exit(f"error: cargo has built no test program for {', '.join(sorted(lacking))}")
    return sorted(found, key=lambda program: LONG.index(program.name) if program.name in LONG else len(LONG))


def modules(path: str, folder: pathlib.Path) -> list[Program]:
    """Lists the modules of a program, each with its tests."""
    listed = subprocess.run([path, "--list", "--format=terse"], cwd=folder, check=True, capture_output=True, text=True).stdout
    names = collections.defaultdict(list)
    for line in listed.splitlines():
        test, kind = line.rsplit(": ", 1)
        if kind == "test":
            names[test.split("::")[0]].append(test)
    found = [Program(module, path, tests, folder, {}) for module, tests in names.items()]
    again = [Program(f"{module} on Postgres", path, names[module], folder, {"KIMBERLY_TEST_BACKEND": "postgres"})
             for module in ON_ANY_BACKEND if module in names]
    return found + again


class Runner:
    """Runs queued programs one by one; shared by as many threads as programs run at once."""

    def __init__(self, left: list[Program], reports: pathlib.Path):
        self.left, self.reports = collections.deque(left), reports
        self.failed: dict[str, bytes] = {}
        self.said = threading.Lock()

    def work(self) -> None:
        """Runs the remaining programs."""
        while True:
            try:
                program = self.left.popleft()
            except IndexError:
                return
            # The folder is part of the name: two packages may have programs of the same name.
            log = self.reports / f"{re.sub('[^a-z0-9_]+', '-', f'{program.folder.name} {program.name}'.lower()).strip('-')}.log"
            began = time.monotonic()
            status = run(program, log)
            with self.said:
                print(f"     Running {program.name} took {time.monotonic() - began:.0f} s", flush=True)
                sys.stdout.buffer.write(log.read_bytes())
                sys.stdout.buffer.flush()
                if status != 0:
                    self.failed[program.name] = failures(log)
                    print(f"error: {program.name} ended with {status}", flush=True)


def run(program: Program, log: pathlib.Path) -> int:
    """Runs a program in the folder that cargo would use; returns its exit status."""
    environment = os.environ | {"CARGO_MANIFEST_DIR": str(program.folder)} | program.environment
    with log.open("wb") as out:
        told = subprocess.run([program.path, "--exact", *program.tests], cwd=program.folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=out, stderr=subprocess.STDOUT)
    return told.returncode


def failures(log: pathlib.Path) -> bytes:
    """Returns the output of failed tests, and their names."""
    said = log.read_bytes().partition(b"\nfailures:\n")[2]
    # Without the line of counts, which must be counted only once.
    return said.partition(b"\ntest result:")[0][-SHOWN:]


def main(messages: pathlib.Path, reports: pathlib.Path) -> int:
    """Runs all programs."""
    runner = Runner(programs(messages.read_text().splitlines()), reports)
    threads = [threading.Thread(target=runner.work) for _ in range(SIDE_BY_SIDE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # At the end, where readers of a long log start.
    for name, said in runner.failed.items():
        print(f"error: tests of {name} failed", flush=True)
        sys.stdout.buffer.write(said)
        sys.stdout.buffer.flush()
    return 1 if runner.failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))

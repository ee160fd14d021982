"""Runs schemathesis against real processes: all checks, all phases, for a bounded number of cases. Prints "N passed, N failed"."""

import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "clients" / "python"))

from processes import Processes  # noqa: E402  (shared with the stories of clients)

# Cases per operation and phase. Counted, not timed, so that every machine runs the same ones. Does not limit the phase of
# coverage, which takes most of the time.
CASES = os.environ.get("KIMBERLY_OPENAPI_CASES", "5")
# The same seed generates the same requests, so that a failure can be reproduced.
SEED = os.environ.get("KIMBERLY_OPENAPI_SEED", "1")


def main(report: pathlib.Path) -> int:
    """Starts the processes, runs schemathesis, and stops them."""
    with tempfile.TemporaryDirectory(prefix="kimberly-openapi-") as folder:
        processes = Processes(pathlib.Path(folder))
        processes.environment["KIMBERLY_LOG"] = "warn"
        processes.start_all()
        try:
            status = generate(f"http://{processes.api}", report, folder)
        finally:
            stopped = processes.stop_all()
        log = processes.log("api")
    if "panicked" in log or set(stopped.values()) != {0}:
        print(log)
        status = status or 1
    print("%d passed, %d failed" % counts(report, status))
    return status


def generate(url: str, report: pathlib.Path, folder: str) -> int:
    """Runs schemathesis once; returns its exit status."""
    command = [str(pathlib.Path(sys.executable).parent / "schemathesis"), "--config-file", str(HERE / "schemathesis.toml")]
    command += ["run", f"{url}/openapi.json", "--checks", "all", "--max-examples", CASES]
    command += ["--continue-on-failure", "--no-color"]
    # The stream ends when its caller disconnects, so each call would take until the deadline.
    command += ["--exclude-path", "/v1/vaults:holdStill"]
    command += ["--seed", SEED, "--generation-deterministic"]
    command += ["--report", "junit", "--report-junit-path", str(report)]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(HERE)}
    return subprocess.run(command, env=environment, cwd=folder, check=False).returncode


def counts(report: pathlib.Path, status: int) -> tuple[int, int]:
    """Counts operations that passed and failed."""
    if not report.is_file():
        return 0, 1
    suites = list(tree.parse(report).getroot().iter("testsuite"))
    total, bad = (sum(int(suite.get(name, 0)) for suite in suites for name in names)
                  for names in (["tests"], ["failures", "errors"]))
    bad = bad or int(status != 0)
    return max(total - bad, 0), bad


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))

"""README's first session, with an installed `kimberly` and nothing else of this machine."""

import contextlib
import os
import re
import shlex
import signal
import subprocess
import time

import files
from processes import NAMES, free_ports

COMMANDS = re.findall(r"^kimberly .+$", (files.ROOT / "README.md").read_text(), re.M)
# What the session recalls.
FACT = "Ana's train to Lisbon leaves on Friday at 9:40."


def environment(folder, *paths):
    """Returns the environment of a new account: a home, and ports of its own."""
    ports = free_ports(len(NAMES))
    listen = {f"KIMBERLY_{name.upper()}__LISTEN": f"127.0.0.1:{port}" for name, port in zip(NAMES, ports)}
    path = ":".join([*map(str, paths), "/usr/bin", "/bin"])
    return {"PATH": path, "HOME": str(folder), **listen, "KIMBERLY_SERVER": f"http://127.0.0.1:{ports[0]}"}


@contextlib.contextmanager
def up(command, of, folder):
    """Runs `kimberly up` until Ctrl-C, and returns its log."""
    log = folder / "up.log"
    with open(log, "wb") as output:
        started = subprocess.Popen([*command, "up"], env=of, cwd=folder, stdout=output, stderr=output, start_new_session=True)
    try:
        wait(started, log)
        yield log
    finally:
        # As a terminal does, to all processes in the foreground.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGINT)
        started.wait(timeout=60)
    # The exit status may be that of npx, which Ctrl-C reaches, too.
    assert all(re.search(rf"^{name} .*: stopped$", log.read_text(), re.M) for name in NAMES), log.read_text()


def wait(started, log):
    """Waits until all processes serve."""
    for _ in range(600):
        if "Kimberly is ready" in log.read_text():
            return
        assert started.poll() is None, log.read_text()
        time.sleep(0.1)
    raise AssertionError(log.read_text())


def tell(command, of, folder):
    """Runs the commands of the session as README prints them."""
    assert len(COMMANDS) >= 5, f"README has only {COMMANDS}"
    shown = ""
    for line in COMMANDS:
        given = shlex.split(line, comments=True)[1:]
        given = [re.search(r"mem_[0-9a-f-]+", shown).group(0) if one == "mem_…" else one for one in given]
        done = subprocess.run([*command, *given], env=of, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
        assert given[0] != "recall" or FACT in done.stdout
        shown += done.stdout

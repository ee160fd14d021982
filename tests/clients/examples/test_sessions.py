"""The example of each language is built as readers would build it, and runs its session against real processes."""

import os
import subprocess
import sys

import toolchains
from conftest import CLIENTS, check_session

CONFIG = CLIENTS / "service_config.json"


def run(guarded, *command, **environment):
    """Runs a program with the key of the server's account and returns its output; fails if it fails."""
    token = (guarded.folder / "keys" / "admin.token").read_text().strip()
    surroundings = {**os.environ, "KIMBERLY_TOKEN": token, **environment}
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_python(guarded):
    example = CLIENTS / "python" / "examples" / "session.py"
    printed = run(guarded, sys.executable, example, guarded.api, PYTHONPATH=str(CLIENTS / "python" / "generated"))
    check_session(printed)


def test_typescript(guarded):
    check_session(run(guarded, "node", CLIENTS / "typescript" / "dist" / "examples" / "session.js", guarded.api))


def test_go(guarded, tmp_path):
    program = toolchains.build_go(CLIENTS / "go", "./examples/session", tmp_path)
    check_session(run(guarded, program, "-config", CONFIG, guarded.api))


def test_java(guarded, tmp_path):
    classes = toolchains.build_java(CLIENTS / "java", tmp_path)
    check_session(run(guarded, "java", "-cp", classes, "Session", guarded.api, CONFIG))

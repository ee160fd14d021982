"""The example of each language, built as its readers would build it, tells its session through the real processes."""

import os
import subprocess
import sys

import toolchains
from conftest import CLIENTS, check_session

CONFIG = CLIENTS / "service_config.json"


def run(*command, **environment):
    """What a program prints; it must succeed. A credential is set: a server that asks for none passes over it."""
    surroundings = {**os.environ, "KIMBERLY_TOKEN": "kmb_example", **environment}
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_python(processes):
    example = CLIENTS / "python" / "examples" / "session.py"
    printed = run(sys.executable, example, processes.api, PYTHONPATH=str(CLIENTS / "python" / "generated"))
    check_session(printed)


def test_typescript(processes):
    check_session(run("node", CLIENTS / "typescript" / "dist" / "examples" / "session.js", processes.api))


def test_go(processes, tmp_path):
    program = toolchains.build_go(CLIENTS / "go", "./examples/session", tmp_path)
    check_session(run(program, "-config", CONFIG, processes.api))


def test_java(processes, tmp_path):
    classes = toolchains.build_java(CLIENTS / "java", tmp_path)
    check_session(run("java", "-cp", classes, "Session", processes.api, CONFIG))

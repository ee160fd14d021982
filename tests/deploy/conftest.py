"""Lets these checks use the fixtures of the Python stories, and packs the programs once."""

import os
import pathlib
import subprocess
import sys

import pytest

# It builds all once more, for half an hour.
collect_ignore = [] if "KIMBERLY_TEST_LONG" in os.environ else ["test_portable.py"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/clients/python"))
sys.path.insert(0, str(ROOT / "deploy/release.d"))


@pytest.fixture(scope="session")
def dist(tmp_path_factory):
    """The packages of the programs that the tests built."""
    out = tmp_path_factory.mktemp("release") / "dist"
    programs = os.environ.get("KIMBERLY_BIN_DIR", str(ROOT / "target/release"))
    done = subprocess.run([ROOT / "deploy/release", "--programs", programs, "--out", out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out

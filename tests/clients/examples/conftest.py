"""Shared by the examples: running processes, and the expected output of one session."""

import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CLIENTS = ROOT / "proto" / "clients"
sys.path.insert(0, str(ROOT / "tests" / "clients" / "python"))

from processes import Processes  # noqa: E402  (the stories of the Python client have it)


def running(folder, **environment):
    """The three processes over an empty data folder."""
    folder.mkdir()
    started = Processes(folder, environment)
    started.start_all()
    yield started
    assert set(started.stop_all().values()) == {0}, "a process did not stop in order"


@pytest.fixture
def processes(tmp_path):
    """Processes that require no key."""
    yield from running(tmp_path / "kimberly")


@pytest.fixture
def guarded(tmp_path):
    """Processes that require a key."""
    yield from running(tmp_path / "guarded", KIMBERLY_AUTH__MODE="required")


def check_session(printed):
    """Checks the output of an example; all examples run the same session."""
    lines = printed.splitlines()
    (memory_id,) = re.findall(r"^remembered \d+ bytes as (mem_\S+)$", printed, re.MULTILINE)
    assert re.fullmatch(r"recalled [01]\.\d\d  Ana's train to Lisbon leaves on Friday at 9:40\.", lines[1]), printed
    assert re.match(r"refused with (INVALID_ARGUMENT|InvalidArgument), INVALID_FIELD", lines[2]), printed
    assert "memory.content" in printed
    assert "meditation: MEDITATION_STATUS_COMPLETE" in lines, printed
    assert re.fullmatch(rf"forgot {memory_id}, restorable until \d{{4}}-\d\d-\d\d", lines[-1]), printed

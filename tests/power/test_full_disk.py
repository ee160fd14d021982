"""A full disk of a file system that copies on write: the index of a log is overwritten in place, so that a page of it needs
no space, calls are refused, no process is killed, and all goes on once there is room again."""

import os
import subprocess

import pytest
from test_power import STARTED, Machine

TURNS = 6


@pytest.fixture
def machine(tmp_path):
    started = Machine("btrfs", tmp_path, seed=45)
    try:
        started.start()
        yield started
    finally:
        started.kill()
        started.files.close()


def fill(folder, number):
    """Writes until the disk gives nothing more, in ever smaller pieces."""
    with (folder / f"filler-{number}").open("ab", buffering=0) as file:
        piece = os.urandom(1 << 20)
        while piece:
            try:
                file.write(piece)
            except OSError:
                piece = piece[: len(piece) // 4]


def use(machine, users):
    """Sends calls that a full disk may refuse."""
    for user in users:
        for method, path, body in (
            ("POST", "/memory", {"userId": user, "memory": {"content": "a word"}}),
            ("GET", f"/memory?user_id={user}", None),
            ("POST", "/memory/query", {"userId": user, "query": "word"}),
        ):
            try:
                machine.call(method, path, body)
            except AssertionError as refusal:
                assert "QUARANTINED" not in str(refusal), refusal


def are_in_place(folder):
    """Whether there are indices of logs, and all are overwritten in place."""
    indices = [str(path) for path in folder.glob("data/vaults/**/memory.db-shm")]
    listed = subprocess.run(["lsattr", *indices], check=True, capture_output=True, text=True).stdout.splitlines()
    return indices and all("C" in line.split()[0] for line in listed)


def test_a_full_btrfs_kills_no_process_and_loses_nothing(machine):
    kept = {f"user-{number}": {} for number in range(4)}
    for turn in range(TURNS):
        for user, memories in kept.items():
            content = f"{turn} before the disk is full " + "a word " * 300
            stored = machine.call("POST", "/memory", {"userId": user, "memory": {"content": content}})
            memories[stored["receipt"]["id"]] = content
        assert are_in_place(machine.files.folder)
        for attempt in range(4):
            # What was written is on disk: every write through a mapping needs space again.
            machine.files.sync()
            fill(machine.files.folder, turn)
            use(machine, [*kept, f"new-{turn}-{attempt}"])
        for name in STARTED:
            assert machine.processes.running[name].poll() is None, f"{name} ended"
        for filler in machine.files.folder.glob("filler-*"):
            filler.unlink()
        machine.files.sync()
    for user, memories in kept.items():
        found = machine.listed(user)
        assert all(found.get(one) == content for one, content in memories.items()), user

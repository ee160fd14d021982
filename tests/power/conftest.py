"""Lets these checks use the processes of the Python stories, and gives their mounts a namespace of their own."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "clients" / "python"))

import disk  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def own_mounts():
    """The kernel removes all mounts and loop devices with the last process that sees them."""
    disk.leave_shared_mounts()

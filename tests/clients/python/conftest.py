"""What the stories share: running processes, a channel that retries, stubs of all services, a user of their own."""

import json
import pathlib
import sys
import types
import uuid

import grpc
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "generated"))

from kimberly.v1 import (  # noqa: E402  (the stubs are generated beside this file)
    goal_service_pb2_grpc,
    meditation_service_pb2_grpc,
    memory_service_pb2_grpc,
    metrics_service_pb2_grpc,
    settings_service_pb2_grpc,
)
from processes import Processes  # noqa: E402

# What clients should ship: calls that found no server are tried again, writes safely so because of `request_id`.
SERVICE_CONFIG = json.dumps(
    {
        "methodConfig": [
            {
                "name": [{}],
                "retryPolicy": {
                    "maxAttempts": 4,
                    "initialBackoff": "0.5s",
                    "maxBackoff": "5s",
                    "backoffMultiplier": 2,
                    "retryableStatusCodes": ["UNAVAILABLE"],
                },
            }
        ]
    }
)


@pytest.fixture(scope="session")
def processes(tmp_path_factory):
    """The three processes, for all stories."""
    started = Processes(tmp_path_factory.mktemp("kimberly"))
    started.start_all()
    yield started
    assert set(started.stop_all().values()) == {0}, "a process did not stop in order"


@pytest.fixture
def channel(processes):
    """A connection to the api."""
    options = [("grpc.service_config", SERVICE_CONFIG), ("grpc.enable_retries", 1)]
    with grpc.insecure_channel(processes.api, options=options) as opened:
        yield opened


@pytest.fixture
def kimberly(channel):
    """Stubs of all services."""
    return types.SimpleNamespace(
        memories=memory_service_pb2_grpc.MemoryServiceStub(channel),
        meditations=meditation_service_pb2_grpc.MeditationServiceStub(channel),
        goals=goal_service_pb2_grpc.GoalServiceStub(channel),
        settings=settings_service_pb2_grpc.SettingsServiceStub(channel),
        metrics=metrics_service_pb2_grpc.MetricsServiceStub(channel),
    )


@pytest.fixture
def user():
    """A user nobody else uses."""
    return f"python-{uuid.uuid4()}"

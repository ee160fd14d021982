"""Health, reflection, and the example of the README."""

import os
import pathlib
import subprocess
import sys

from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

HERE = pathlib.Path(__file__).resolve().parent
SERVICES = {f"kimberly.v1.{name}Service" for name in ("Memory", "Meditation", "Goal", "Settings", "Metrics")}


def test_reflection_lists_every_service_and_health_says_that_each_serves(channel):
    listed = set(ProtoReflectionDescriptorDatabase(channel).get_services())
    assert SERVICES <= listed
    health = health_pb2_grpc.HealthStub(channel)
    for service in SERVICES | {""}:
        answer = health.Check(health_pb2.HealthCheckRequest(service=service))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING, service


def test_the_first_session_works_as_printed(processes):
    environment = {**os.environ, "PYTHONPATH": str(HERE / "generated")}
    done = subprocess.run(
        [sys.executable, HERE / "first_session.py", processes.api],
        env=environment, capture_output=True, text=True, timeout=60, check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert sum(line.startswith("remembered ") for line in lines) == 3
    assert lines[3].endswith("Ana's train to Lisbon leaves on Friday at 9:40.")
    assert lines[-1] == "restored and protected: Ana's train to Lisbon leaves on Friday at 9:40."

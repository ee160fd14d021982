"""Health, and what a client can find out by asking: reflection and the server's facts."""

from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

SERVICES = {f"kimberly.v1.{name}Service" for name in ("Memory", "Meditation", "Goal", "Settings", "Metrics")}


def test_reflection_lists_every_service_and_health_says_that_each_serves(channel):
    listed = set(ProtoReflectionDescriptorDatabase(channel).get_services())
    assert SERVICES <= listed
    health = health_pb2_grpc.HealthStub(channel)
    for service in SERVICES | {""}:
        answer = health.Check(health_pb2.HealthCheckRequest(service=service))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING, service

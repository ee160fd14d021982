"""Calls a server of which only the address is known, like grpcurl: by reflection, with JSON in and out."""

from google.protobuf import descriptor_pool, json_format, message_factory
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase


class Reflected:
    """All services of a server."""

    def __init__(self, channel):
        self._channel = channel
        self._database = ProtoReflectionDescriptorDatabase(channel)
        self._pool = descriptor_pool.DescriptorPool(self._database)

    def services(self):
        """The names of the services."""
        return set(self._database.get_services())

    def service(self, name):
        """Returns the descriptor of a service."""
        return self._pool.FindServiceByName(name)

    def call(self, service, method, **request):
        """Returns the answer to a unary call."""
        return json_format.MessageToDict(self._start(service, method, request))

    def stream(self, service, method, **request):
        """Yields the answers of a server stream."""
        answers = self._start(service, method, request)
        try:
            yield from map(json_format.MessageToDict, answers)
        finally:
            answers.cancel()

    def _start(self, service, method, request):
        described = self.service(f"kimberly.v1.{service}").FindMethodByName(method)
        kind = message_factory.GetMessageClass(described.input_type)
        answer = message_factory.GetMessageClass(described.output_type)
        connect = self._channel.unary_stream if described.server_streaming else self._channel.unary_unary
        rpc = connect(
            f"/{described.containing_service.full_name}/{method}",
            request_serializer=kind.SerializeToString,
            response_deserializer=answer.FromString,
        )
        # Only guards against a hang: a meditation over 10,000 memories is slow while other tests run.
        return rpc(json_format.ParseDict(request, kind()), timeout=300)


def list_services(channel, version):
    """Returns the services that one version of the reflection service lists; the versions have the same messages."""
    ask = channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    answers = ask(iter([reflection_pb2.ServerReflectionRequest(list_services="")]), timeout=30)
    return {service.name for service in next(answers).list_services_response.service}

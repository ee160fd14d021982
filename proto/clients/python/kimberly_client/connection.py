"""What both clients share: address, key, retries and errors."""

from __future__ import annotations

import dataclasses
import json
import os
import socket
from urllib.parse import urlsplit

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

#: Retries calls while the server is unavailable. This is safe for writes because each has a `request_id`.
SERVICE_CONFIG = json.dumps(
    {
        "loadBalancingConfig": [{"round_robin": {}}],
        "methodConfig": [
            {
                "name": [{}],
                "retryPolicy": {
                    "maxAttempts": 4,
                    "initialBackoff": "0.25s",
                    "maxBackoff": "5s",
                    "backoffMultiplier": 2,
                    "retryableStatusCodes": ["UNAVAILABLE"],
                },
            }
        ],
    }
)
OPTIONS = [
    ("grpc.service_config", SERVICE_CONFIG),
    ("grpc.enable_retries", 1),
    ("grpc.max_receive_message_length", 64 << 20),
]


class KimberlyError(Exception):
    """A failed call. `reason` is one of docs/errors.md, or empty if no server answered. `code` is the gRPC status code."""

    def __init__(self, message: str, reason: str, code: grpc.StatusCode):
        super().__init__(message)
        self.reason = reason
        self.code = code

    @classmethod
    def of(cls, error: grpc.RpcError, server: "Server") -> "KimberlyError":
        """Reads message, reason and code of a failed call."""
        reason = ""
        status = rpc_status.from_call(error)
        for detail in status.details if status is not None else []:
            info = error_details_pb2.ErrorInfo()
            if detail.Is(info.DESCRIPTOR) and detail.Unpack(info):
                reason = info.reason
        if error.code() is grpc.StatusCode.UNAVAILABLE and not reason:
            return cls(server.absence(error.details() or "no answer"), "", error.code())
        return cls(error.details() or "", reason, error.code())


@dataclasses.dataclass
class Server:
    """Address, TLS mode and credentials of a server."""

    target: str
    secure: bool
    key: str | None
    ca: bytes | None
    #: Whether a call may wait for retries: the server is on another machine, or was reached before.
    is_reached: bool

    @classmethod
    def at(cls, url: str, key: str | None, ca: str | None) -> "Server":
        """Reads a URL. Raises `ValueError` if a key would be sent without TLS to another machine."""
        parts = urlsplit(url if "//" in url else f"//{url}")
        if parts.scheme not in ("", "http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is no address; write one such as http://127.0.0.1:7420")
        secure = parts.scheme == "https"
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        port = parts.port or (443 if secure else 7420)
        key = key or os.environ.get("KIMBERLY_TOKEN") or None
        is_here = parts.hostname in ("localhost", "127.0.0.1", "::1")
        if key and not secure and not is_here:
            raise ValueError(f"a key is sent over https alone, or to this machine; {url!r} is neither")
        roots = None
        if ca is not None:
            with open(ca, "rb") as file:
                roots = file.read()
        return cls(f"{host}:{port}", secure, key, roots, not is_here)

    def reach(self) -> None:
        """Raises `KimberlyError` at once if no server listens on this machine. Retries would only delay the message."""
        if self.is_reached:
            return
        host, _, port = self.target.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
        except OSError as error:
            raise KimberlyError(self.absence(str(error)), "", grpc.StatusCode.UNAVAILABLE) from None
        self.is_reached = True

    def absence(self, problem: str) -> str:
        """Says that no server answers, and what to do."""
        return f"Kimberly does not answer at {self.target} ({problem}); start it there with `kimberly up`, or name its address"

    def channel(self, module):
        """Opens a channel of `grpc` or `grpc.aio`."""
        if not self.secure:
            return module.insecure_channel(self.target, options=OPTIONS)
        return module.secure_channel(self.target, grpc.ssl_channel_credentials(self.ca), options=OPTIONS)

    @property
    def metadata(self) -> list[tuple[str, str]]:
        """Metadata of every call."""
        return [("authorization", f"Bearer {self.key}")] if self.key else []

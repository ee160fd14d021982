"""Builds Go and Java programs with only the libraries of Debian, which are older than most users' libraries."""

import json
import os
import pathlib
import subprocess

import grpc_tools
from google.rpc import error_details_pb2

HERE = pathlib.Path(__file__).resolve().parent
# Where debian.sh unpacked packages that the system lacks.
PREFIXES = [pathlib.Path(os.environ["DEBIAN_FOLDER"]), pathlib.Path("/")]
JARS = ["grpc", "netty", "perfmark", "protobuf", "gson", "guava", "geronimo-annotation"]


def build(command, folder=None, **environment):
    """Runs a compiler."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=600, check=False,
    )
    assert done.returncode == 0, done.stderr


def build_go(module, package, folder):
    """Builds the program of a package. Debian's grpc-go lacks two functions of newer versions; the overlay adds them."""
    sources = [prefix / "usr/share/gocode" for prefix in PREFIXES]
    (grpc,) = [found for source in sources if (found := source / "src/google.golang.org/grpc").is_dir()][:1]
    overlay = folder / "overlay.json"
    replaced = {grpc / "new_client.go": "new_client.go", grpc / "credentials/insecure/insecure.go": "insecure.go"}
    overlay.write_text(json.dumps({"Replace": {str(at): str(HERE / "go" / by) for at, by in replaced.items()}}))
    linked = folder / "src" / "kimberly.internal" / "client"
    linked.mkdir(parents=True)
    for part in ("kimberly", "examples"):
        build(["cp", "--recursive", module / part, linked])
    program = folder / "program"
    build(
        ["go", "build", "-overlay", overlay, "-o", program, package],
        folder=linked,
        GO111MODULE="off",
        GOPATH=":".join(map(str, [folder, *sources])),
        GOCACHE=str(PREFIXES[0] / "go-cache"),
        GOFLAGS="",
        GOTOOLCHAIN="local",
    )
    return program


def build_java(module, folder):
    """Builds the example; returns its class path. Generates proto-google-common-protos, which Debian lacks."""
    common, classes = folder / "common", folder / "classes"
    common.mkdir()
    protos = pathlib.Path(error_details_pb2.__file__).parents[2]
    well_known = pathlib.Path(grpc_tools.__file__).parent / "_proto"
    names = ["google/api/annotations.proto", "google/api/http.proto", "google/rpc/status.proto", "google/rpc/error_details.proto"]
    build(["protoc", f"--proto_path={protos}", f"--proto_path={well_known}", f"--java_out={common}", *names])
    libraries = [
        jar for name in JARS for prefix in PREFIXES for jar in sorted((prefix / "usr/share/java").glob(f"{name}*.jar"))
    ]
    class_path = ":".join(map(str, [classes, *libraries]))
    sources = [path for root in (common, module / "generated", module / "examples") for path in root.rglob("*.java")]
    build(["javac", "-nowarn", "-d", classes, "-cp", class_path, *sources])
    return class_path

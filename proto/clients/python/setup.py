"""Generates the stubs during `pip install ./proto/clients/python`, unless `proto/clients/generate python` did it before."""

import pathlib
import shutil

from setuptools import setup

HERE = pathlib.Path(__file__).resolve().parent
GENERATED = HERE / "generated"
PROTO = HERE.parents[1]


def generate():
    """Generates messages, type hints and grpcio stubs."""
    import grpc_tools.protoc

    well_known = pathlib.Path(grpc_tools.__file__).parent / "_proto"
    GENERATED.mkdir(exist_ok=True)
    files = sorted(str(path) for path in (PROTO / "kimberly" / "v1").glob("*.proto"))
    outputs = [f"--{generator}_out={GENERATED}" for generator in ("python", "pyi", "grpc_python")]
    if grpc_tools.protoc.main(["protoc", f"--proto_path={PROTO}", f"--proto_path={well_known}", *outputs, *files]) != 0:
        raise SystemExit("grpcio-tools failed; see above")
    package = GENERATED / "kimberly"
    shutil.copyfile(HERE / "package.py", package / "__init__.py")
    for marked in (package, package / "v1"):
        (marked / "py.typed").touch()


if not (GENERATED / "kimberly" / "__init__.py").exists():
    generate()
setup()

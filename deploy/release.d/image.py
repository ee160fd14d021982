"""The container image, in one tar file that `docker load`, `podman load` and `skopeo copy oci-archive:` read: an OCI layout with the
list of docker-archive beside it, as `docker save` writes. Two layers: few files of Debian, and the program."""

import hashlib
import json

import debian
import program
from packing import ROOT, Entry, gzipped, tar, timestamp

ACCOUNT = 10001
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
PROCESSORS = {"x86_64": "amd64", "aarch64": "arm64"}
LOADERS = {"x86_64": "lib64/ld-linux-x86-64.so.2", "aarch64": "lib/ld-linux-aarch64.so.1"}
# What compose, Kubernetes and people inside use.
COMMANDS = ("cat", "chmod", "install", "ls", "sh", "sleep", "tar")
SECOND = 1_000_000_000


def settings(version):
    """How a container of the image runs: everything on SQLite, with all that must be kept below /data."""
    return {
        "User": f"{ACCOUNT}:{ACCOUNT}",
        "Env": [
            "PATH=/usr/local/bin:/bin",
            "HOME=/data",
            "KIMBERLY_DATA_DIR=/data/memory",
            "KIMBERLY_KEYS__FOLDER=/data/keys",
            "KIMBERLY_API__LISTEN=0.0.0.0:7420",
            "KIMBERLY_API__CONTAINER=true",
            "KIMBERLY_AUTH__MODE=required",
        ],
        "Entrypoint": ["kimberly"],
        "Cmd": ["up"],
        "WorkingDir": "/data",
        "Volumes": {"/data": {}},
        "ExposedPorts": {"7420/tcp": {}},
        "StopSignal": "SIGTERM",
        "Healthcheck": {"Test": ["CMD", "kimberly", "health"], "Interval": 30 * SECOND, "Timeout": 5 * SECOND, "Retries": 3,
                        "StartPeriod": 60 * SECOND, "StartInterval": SECOND},
        "Labels": {"org.opencontainers.image.title": "kimberly", "org.opencontainers.image.version": version,
                   "org.opencontainers.image.licenses": "Apache-2.0"},
    }


def base(kimberly, packages):
    """Returns the files of Debian: the libraries that the program loads, certificates, and a shell."""
    loader = LOADERS[kimberly.machine]
    waiting, seen = [loader.rpartition("/")[2], *kimberly.libraries], set()
    while waiting:
        if (name := waiting.pop()) in seen:
            continue
        seen.add(name)
        file = packages.library(name)
        yield Entry.of(loader if loader.endswith(f"/{name}") else f"lib/{name}", file, 0o755)
        waiting += program.needed(file)
    yield Entry.of("bin/busybox", next(packages.get("busybox-static").rglob("bin/busybox")), 0o755)
    yield from (Entry(f"bin/{command}", link="busybox") for command in COMMANDS)
    authorities = sorted(packages.get("ca-certificates").rglob("*.crt"))
    yield Entry("etc/ssl/certs/ca-certificates.crt", b"".join(path.read_bytes().rstrip() + b"\n" for path in authorities))
    texts = packages.get("base-files") / "usr/share/common-licenses"
    yield from (Entry.of(f"usr/share/common-licenses/{path.name}", path) for path in sorted(texts.iterdir()) if not path.is_symlink())
    for name in list(packages.unpacked):
        yield Entry.of(f"usr/share/doc/{name}/copyright", packages.copyright(name))
        yield Entry(f"var/lib/dpkg/status.d/{name}", packages.control(name))
    yield Entry("etc/passwd", f"root:x:0:0::/:/sbin/nologin\nkimberly:x:{ACCOUNT}:{ACCOUNT}::/data:/sbin/nologin\n".encode())
    yield Entry("etc/group", f"root:x:0:\nkimberly:x:{ACCOUNT}:\n".encode())
    yield Entry("etc/nsswitch.conf", b"hosts: files dns\n")


def own(kimberly, sbom, licences):
    """Returns the program and what is to be known about it."""
    yield Entry.of("usr/local/bin/kimberly", kimberly.path, 0o755)
    yield from (Entry(f"usr/local/bin/{name}", link="kimberly") for name in program.FORMER)
    yield Entry.of("usr/share/doc/kimberly/LICENSE", ROOT / "LICENSE")
    yield Entry("usr/share/doc/kimberly/THIRD-PARTY.txt", licences)
    yield Entry("usr/share/doc/kimberly/sbom.cdx.json", sbom)


def digest(content):
    return hashlib.sha256(content).hexdigest()


def described(media_type, content, **more):
    """Returns how an index or a manifest names a blob."""
    return {"mediaType": media_type, "digest": f"sha256:{digest(content)}", "size": len(content), **more}


def encoded(document):
    return json.dumps(document, separators=(",", ":")).encode()


def write(out, kimberly, sbom, licences, cache):
    """Writes the image."""
    folders = [Entry("tmp", mode=0o1777), Entry("data", mode=0o700, owner=ACCOUNT), Entry("run", mode=0o755),
               *(Entry(path, mode=0o755) for path in ("dev", "proc", "sys")), Entry("var/lib/kimberly", mode=0o700, owner=ACCOUNT)]
    plain = [tar([*base(kimberly, debian.Packages(cache / "debian")), *folders], folders), tar(own(kimberly, sbom, licences))]
    layers = [gzipped(layer) for layer in plain]
    processor, name = PROCESSORS[kimberly.machine], f"kimberly:{kimberly.version}"
    config = encoded({
        "architecture": processor, "os": "linux", "created": timestamp(), "config": settings(kimberly.version),
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest(layer)}" for layer in plain]},
        "history": [{"created": timestamp(), "created_by": f"deploy/release: {what}"} for what in ("Debian", "Kimberly")],
    })
    manifest = encoded({"schemaVersion": 2, "mediaType": MANIFEST, "config": described(CONFIG, config),
                        "layers": [described(LAYER, layer) for layer in layers]})
    annotations = {"io.containerd.image.name": f"docker.io/library/{name}", "org.opencontainers.image.ref.name": kimberly.version}
    index = encoded({"schemaVersion": 2, "mediaType": INDEX, "manifests": [
        described(MANIFEST, manifest, platform={"architecture": processor, "os": "linux"}, annotations=annotations)]})
    blobs = [config, manifest, *layers]
    archive = encoded([{"Config": f"blobs/sha256/{digest(config)}", "RepoTags": [name],
                        "Layers": [f"blobs/sha256/{digest(layer)}" for layer in layers]}])
    inside = [
        *(Entry(f"blobs/sha256/{digest(blob)}", blob) for blob in blobs),
        Entry("index.json", index),
        Entry("manifest.json", archive),
        Entry("oci-layout", b'{"imageLayoutVersion":"1.0.0"}'),
    ]
    (out / f"kimberly-{kimberly.version}-image-{processor}.tar").write_bytes(tar(inside))

"""Runs a container image without a daemon: namespaces and a root of its own, with the account, the command and the environment of the
image. As a container runtime does, but without limits. Needs root."""

import contextlib
import hashlib
import json
import pathlib
import shutil
import signal
import subprocess
import time

import session


class Image:
    """An image, unpacked from its file below a folder."""

    def __init__(self, file, folder):
        self.layout, self.root = folder / "layout", folder / "root"
        self.layout.mkdir()
        self.root.mkdir()
        subprocess.run(["tar", "--extract", "--file", file, "--directory", self.layout], check=True)
        (self.listed,) = json.loads((self.layout / "index.json").read_text())["manifests"]
        self.manifest = json.loads(self.blob(self.listed))
        config = json.loads(self.blob(self.manifest["config"]))
        self.config, self.layers = config["config"], config["rootfs"]["diff_ids"]
        for layer in self.manifest["layers"]:
            self.blob(layer)
            unpack = ["tar", "--extract", "--gzip", "--numeric-owner", "--same-owner", "--preserve-permissions"]
            subprocess.run([*unpack, "--file", self.path(layer), "--directory", self.root], check=True)

    def path(self, described):
        return self.layout / "blobs" / described["digest"].replace(":", "/")

    def blob(self, described):
        """Returns the content of a blob, whose digest and size must be those that name it."""
        content = self.path(described).read_bytes()
        assert f"sha256:{hashlib.sha256(content).hexdigest()}" == described["digest"] and len(content) == described["size"]
        return content

    def environment(self, **more):
        return dict(variable.split("=", 1) for variable in self.config["Env"]) | more

    def enter(self):
        """The beginning of a command that runs in the image's root with its account."""
        return [shutil.which("chroot"), f"--userspec={self.config['User']}", self.root]

    @contextlib.contextmanager
    def running(self, folder, **more):
        """Runs the image's own command in a network of its own; its root and /data are as the last run left them."""
        log = folder / "container.log"
        root = self.root
        # The shell of the image, because it can bring up loopback on any system.
        inside = (
            f"{root}/bin/busybox ip link set lo up && mount -t proc proc {root}/proc && mount --rbind /dev {root}/dev && "
            f'exec "$@"'
        )
        command = [
            "unshare", "--pid", "--net", "--mount", "--uts", "--fork", "--kill-child", "sh", "-euc", inside, "sh",
            shutil.which("env"), "-i", *(f"{name}={value}" for name, value in self.environment(**more).items()),
            *self.enter(), *self.config["Entrypoint"], *self.config["Cmd"],
        ]
        with open(log, "wb") as output:
            started = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            yield Container(self, started, log)
        finally:
            # Without a first process, the start failed, and `started` ends by itself.
            with contextlib.suppress(IndexError, FileNotFoundError):
                first = pathlib.Path(f"/proc/{started.pid}/task/{started.pid}/children").read_text().split()[0]
                subprocess.run(["kill", f"-{signal.Signals[self.config['StopSignal']].value}", first])
            ended = started.wait(timeout=60)
        self.ended = ended


class Container:
    """A running container."""

    def __init__(self, image, started, log):
        self.image, self.started, self.log = image, started, log

    def wait(self):
        session.wait(self.started, self.log)
        time.sleep(0.1)

    def outside(self, *command):
        """Runs a program of this machine that reaches only the container's network."""
        return subprocess.run(["nsenter", f"--target={self.started.pid}", "--net", *command], capture_output=True, text=True)

    def execute(self, *command):
        """Runs a command inside, as `docker exec` does."""
        first = pathlib.Path(f"/proc/{self.started.pid}/task/{self.started.pid}/children").read_text().split()[0]
        enter = [shutil.which("nsenter"), f"--target={first}", "--pid", "--net", "--mount", *self.image.enter()]
        return subprocess.run([*enter, *command], env=self.image.environment(), capture_output=True, text=True)

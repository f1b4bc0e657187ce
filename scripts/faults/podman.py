"""Podman with separate storage, and images of Debian that mmdebstrap makes, on which nothing is installed yet.

Commands of the docs run unchanged: a program named podman comes first in PATH. It selects the storage and the network,
so that no image and no container of this machine is touched.
"""

import os
import resource
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scripts.faults.first_use import START_WAIT, Visitor

ROOT = Path(__file__).parents[2]
TOOLS = ("mmdebstrap", "podman", "runc", "slirp4netns", "curl", "nsenter", "pdftoppm")
_CERTIFICATES = Path("/usr/local/share/ca-certificates")
_BUNDLE = Path("/etc/ssl/certs/ca-certificates.crt")
_PIP = Path("/etc/pip.conf")
_CONFIGURATION = """\
[containers]
netns = "slirp4netns"
default_ulimits = ["nofile={files}:{files}", "nproc={processes}:{processes}"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
"""
_PODMAN = """\
#!/bin/sh
[ "$1" = build ] && shift && set -- build --network host "$@"
exec {podman} --root {folder}/storage --runroot {folder}/run --network-config-dir {folder}/networks "$@"
"""


def obstacle() -> str:
    """Return why there can be no podman here, "" if there can."""
    if os.geteuid() != 0:
        return "needs root"
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    return f"needs {', '.join(missing)}" if missing else ""


class Podman:
    """Podman in a folder; made by `podman`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("BARCODESVC_")},
            "PATH": f"{folder}/bin:{os.environ['PATH']}",
            "CONTAINERS_CONF": str(folder / "containers.conf"),
        }
        files, processes = (
            min(resource.getrlimit(limit)[1] % 2**31, 2**15)
            for limit in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC)
        )
        (folder / "containers.conf").write_text(_CONFIGURATION.format(files=files, processes=processes))
        program = folder / "bin" / "podman"
        program.parent.mkdir()
        program.write_text(_PODMAN.format(podman=shutil.which("podman"), folder=folder))
        program.chmod(0o755)

    def run(self, *words: str) -> str:
        """Run podman with these words and return its output; raises SystemExit with its errors if it fails."""
        return self.shell(shlex.join(["podman", *words]), self.folder)

    def shell(self, script: str, folder: Path) -> str:
        """Run a script in a folder and return its output; raises SystemExit with its errors if it fails."""
        command = ["sh", "-ec", script]
        done = subprocess.run(  # noqa: S603 - of the docs
            command,
            cwd=folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"{script}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout

    def import_debian(self, suite: str, image: str, *packages: str) -> None:
        """Make an image of a release of Debian: its smallest set of packages, these, and the way to registries."""
        archive = self.folder / f"{suite}.tar"
        options = ["--quiet", "--variant=minbase", *_access()]
        options += ["--skip=cleanup/apt/lists"]  # with the lists of packages, as on an installed machine
        options += [f"--include={package}" for package in packages]
        subprocess.run(["mmdebstrap", *options, suite, archive], check=True)  # noqa: S603, S607 - mmdebstrap
        self.run("import", str(archive), image)
        archive.unlink()

    def await_health(self, container: str) -> bool:
        """Wait until the health check of a container passes, and return whether it does.

        Until then the container may be restarted, with another network.
        """
        end = time.monotonic() + START_WAIT
        while time.monotonic() < end:
            with suppress(SystemExit):
                self.run("healthcheck", "run", container)
                return True
            time.sleep(0.5)
        return False

    def visitor(self, container: str, origin: str, key: str = "") -> Visitor:
        """Return a client on the network of a running container."""
        process = self.run("inspect", "--format", "{{.State.Pid}}", container).strip()
        return Visitor(origin, key, ("nsenter", f"--net=/proc/{process}/ns/net"))


@contextmanager
def podman() -> Iterator[Podman]:
    """Yield podman in a temporary folder; its containers are removed at the end."""
    with tempfile.TemporaryDirectory(prefix="chaos-") as name:
        engine = Podman(Path(name))
        try:
            yield engine
        finally:
            engine.run("rm", "--all", "--force")
            engine.run("volume", "rm", "--all", "--force")
            engine.run("rmi", "--all", "--force")


def clone(folder: Path) -> Path:
    """Return a bare clone of what is committed here, in the folder."""
    target = folder / "source.git"
    command = ["git", "clone", "--quiet", "--bare", str(ROOT), str(target)]
    subprocess.run(command, check=True)  # noqa: S603 - git
    return target


def _access() -> list[str]:
    """Return options of mmdebstrap that give the image this machine's certificates, and its settings of pip."""
    hooks = ['mkdir -p "$1/etc/ssl/certs" "$1/usr/local/share"']
    hooks += [f"upload {path} {path}" for path in (_BUNDLE, _PIP) if path.exists()]
    hooks += [f"copy-in {_CERTIFICATES} {_CERTIFICATES.parent}"] * _CERTIFICATES.is_dir()
    return [f"--customize-hook={hook}" for hook in hooks]

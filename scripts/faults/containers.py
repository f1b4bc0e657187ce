"""docs/examples/Containerfile and compose.yaml, built and run as the README and docs/deploy.md say.

The base is a Debian that mmdebstrap makes, under the name that the Containerfile has. PostgreSQL, Valkey and Caddy come
from Debian too, under the names of compose.yaml. Without podman, and in a brief run, the steps of the Containerfile run
in a chroot: see `container_steps`.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.faults.container_steps import steps
from scripts.faults.extent import Extent
from scripts.faults.first_use import CODE, first_use
from scripts.faults.podman import ROOT, Podman, clone, obstacle, podman
from scripts.servers.balancer import free_ports

DEBIAN, IMAGE = "trixie", "docker.io/library/debian:13-slim"
_NAME = "shop.localhost"
"""A name for which Caddy issues a certificate itself."""
_SETTINGS = {
    "BARCODESVC_API_KEY": "correct-horse-battery-staple",
    "POSTGRES_PASSWORD": "staple-battery",
    "BARCODESVC_DATABASE": "postgresql://postgres@postgres/postgres",
    "BARCODESVC_RATE_LIMIT_STORE": "valkey://valkey",
    "SHOP_NAME": _NAME,
}
_FOLDERS = "/ /etc /opt /opt/barcodesvc /usr/lib /var/lib"
_PEERS = {
    "postgres": "docker.io/library/postgres:17",
    "valkey": "docker.io/valkey/valkey:8",
    "caddy": "docker.io/library/caddy:2",
}
_PEER_FILE = f"""\
FROM {IMAGE} AS installed
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql valkey-server caddy
FROM installed AS postgres
RUN install -d -o postgres -g postgres -m 700 /var/lib/postgresql/data /var/run/postgresql
COPY start.sh /start.sh
USER postgres
ENV PGDATA=/var/lib/postgresql/data PATH=/usr/lib/postgresql/17/bin:/usr/bin:/bin
VOLUME /var/lib/postgresql/data
CMD ["sh", "/start.sh"]
FROM installed AS valkey
CMD ["valkey-server"]
FROM installed AS caddy
ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile"]
"""
_POSTGRES_START = """\
if [ ! -e $PGDATA/PG_VERSION ]; then
    echo "$POSTGRES_PASSWORD" >/tmp/password
    initdb --auth-host=scram-sha-256 --auth-local=trust --pwfile=/tmp/password --encoding=UTF8 --locale=C
    echo host all all all scram-sha-256 >>$PGDATA/pg_hba.conf
fi
exec postgres -c listen_addresses='*'
"""
"""What the official image does at its first start, as far as compose.yaml depends on it."""


def image(extent: Extent) -> Iterator[Figure]:
    """Build and run the image with the commands of the README."""
    reason = "a brief run" if extent is Extent.BRIEF else obstacle()
    if reason:
        yield from steps(reason)
        return
    with podman() as engine:
        engine.import_debian(DEBIAN, IMAGE)
        checkout = _checkout(engine)
        [port] = free_ports(1)
        begin = time.perf_counter()
        commands = readme_commands().replace("8080:8080", f"{port}:8080")
        key = engine.shell(commands, checkout).split()[-1]
        yield Figure("built and started", time.perf_counter() - begin, "s")
        size = engine.run("image", "inspect", "--format", "{{.Size}}", "barcodesvc")
        yield Figure("size of the image, with that of its Debian", int(size) / 1e6, "MB")
        yield from first_use(engine.visitor("barcodesvc", "http://127.0.0.1:8080", key))
        yield _published(port)
        yield from _confined(engine, "barcodesvc")
        yield from _replaced(engine, commands, checkout, key)


def readme_commands() -> str:
    """Return the commands of the README that build and run the container."""
    text = (ROOT / "README.md").read_text("utf-8")
    found = re.search(r"```sh\n(podman build .*?)```", text, re.DOTALL)
    if found is None:
        raise SystemExit("the README does not show how to build the container")
    return found[1]


def _checkout(engine: Podman) -> Path:
    checkout = engine.folder / "checkout"
    subprocess.run(["git", "clone", "--quiet", clone(engine.folder), checkout], check=True)  # noqa: S603, S607 - git
    return checkout


def _published(port: int) -> Figure:
    command = ["curl", "--silent", "--fail", "--retry", "3", f"http://127.0.0.1:{port}/health"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)  # noqa: S603 - curl
    return Figure("answers on the published port", done.returncode == 0, "", at_least(1))


def _confined(engine: Podman, container: str) -> Iterator[Figure]:
    """Yield whether the service is not root, writes to its volume alone, and passes its health check."""
    user = engine.run("exec", container, "python", "-c", "import os; print(os.getuid())")
    yield Figure("user of the service", int(user), "", at_least(1))
    engine.run("exec", container, "sh", "-c", "touch /data/x && rm /data/x")
    script = f"for place in {_FOLDERS}; do touch $place/x 2>/dev/null && echo $place; done; true"
    written = engine.run("exec", "--user", "0", container, "sh", "-c", script)
    yield Figure("folders of the image that root can write", len(written.split()), "", at_most(0), written)
    yield Figure("the health check passes", engine.await_health(container), "", at_least(1))


def _replaced(engine: Podman, commands: str, checkout: Path, key: str) -> Iterator[Figure]:
    """Stop the container, run the commands again with its key, and yield whether its product is there."""
    begin = time.perf_counter()
    engine.run("stop", "barcodesvc")
    yield Figure("stopped", time.perf_counter() - begin, "s", at_most(10.0))
    engine.run("rm", "barcodesvc")
    engine.shell(re.sub(r"(?m)^BARCODESVC_API_KEY=.*", f"BARCODESVC_API_KEY={key}", commands), checkout)
    visitor = engine.visitor("barcodesvc", "http://127.0.0.1:8080", key)
    visitor.waits()
    found = visitor.post("/api/codes/decode", {"code_data": CODE}) or b""
    yield Figure("a new container serves the volume's data", CODE.encode() in found, "", at_least(1))


def compose(extent: Extent) -> Iterator[Figure]:
    """Run compose.yaml as it is, then with each profile."""
    if extent is Extent.BRIEF:
        yield Figure("only in a full run", 0, "")
        return
    why = obstacle("docker-compose")
    if why:
        yield Figure(f"not possible here: {why}", 0, "")
        return
    with podman() as engine:
        engine.import_debian(DEBIAN, IMAGE)
        checkout = _checkout(engine)
        _make_images(engine, checkout)
        with _api(engine):
            yield from _composed(engine, checkout / "docs" / "examples")


def _make_images(engine: Podman, checkout: Path) -> None:
    engine.shell("podman build --format docker --tag barcodesvc --file docs/examples/Containerfile .", checkout)
    peers = engine.folder / "peers"
    peers.mkdir()
    (peers / "Containerfile").write_text(_PEER_FILE)
    (peers / "start.sh").write_text(_POSTGRES_START)
    for target, name in _PEERS.items():
        engine.shell(f"podman build --layers --target {target} --tag {name} .", peers)


@contextmanager
def _api(engine: Podman) -> Iterator[None]:
    """Run podman's service, which speaks the API that Compose uses."""
    address = engine.environment["DOCKER_HOST"]
    command = ["podman", "system", "service", "--time=0", address]
    with (
        (engine.folder / "service.log").open("w") as log,
        subprocess.Popen(command, env=engine.environment, stdout=log, stderr=log) as process,  # noqa: S603 - podman
    ):
        try:
            while not Path(address.removeprefix("unix://")).exists():
                time.sleep(0.1)
            yield
        finally:
            process.terminate()


def _composed(engine: Podman, folder: Path) -> Iterator[Figure]:
    settings = engine.folder / "compose.env"
    example = folder / "compose.yaml"
    # Debian's Compose 1.29 does not know the name of a project
    example.write_text(example.read_text("utf-8").replace("name: barcodesvc\n", "", 1))
    run = f"docker compose --env-file {settings}"
    key = _SETTINGS["BARCODESVC_API_KEY"]
    [port] = free_ports(1)
    alone = {"BARCODESVC_API_KEY": key, "SHOP_PORT": str(port)}
    for title, profiles, given in (
        ("alone", "", alone),
        ("with PostgreSQL and Valkey", "--profile postgres", _SETTINGS | alone),
        ("with Caddy", "--profile https --profile postgres", _SETTINGS | alone),
    ):
        settings.write_text("".join(f"{name}={value}\n" for name, value in given.items()))
        engine.shell(f"{run} {profiles} up --detach", folder)
        healthy = engine.await_health("barcodesvc_barcodesvc_1")
        yield Figure(f"healthy {title}", healthy, "", at_least(1))
        service, shop = "barcodesvc_barcodesvc_1", "http://127.0.0.1:8080"
        if "https" in profiles:
            service, shop = "barcodesvc_caddy_1", f"https://{_NAME}"
        options = ("--insecure", "--resolve", f"{_NAME}:443:127.0.0.1")
        yield from first_use(engine.visitor(service, shop, key, *options))
        yield from _confined(engine, "barcodesvc_barcodesvc_1")
        if not profiles:
            yield from _restored(engine, folder, run)
        yield from _peers_work(engine, profiles)
        engine.shell(f"{run} {profiles} down --volumes", folder)


def _restored(engine: Podman, folder: Path, run: str) -> Iterator[Figure]:
    """Back up and restore as docs/deploy.md does, and yield what the commands print."""
    engine.shell(f"{run} exec -T barcodesvc barcodesvc backup /data/backup.db --force", folder)
    engine.shell(f"{run} stop barcodesvc", folder)
    # as `docker compose run` does, which Debian's Compose 1.29 cannot do with podman's networks
    restoring = ("barcodesvc", "barcodesvc", "restore", "/data/backup.db")
    restored = engine.run("run", "--rm", "--read-only", "--volume", "barcodesvc_shop:/data", *restoring)
    engine.shell(f"{run} start barcodesvc", folder)
    yield Figure("a backup is restored", "1 products" in restored, "", at_least(1), restored.strip())


def _peers_work(engine: Podman, profiles: str) -> Iterator[Figure]:
    if "postgres" in profiles:
        healthy = [engine.await_health(f"barcodesvc_{name}_1") for name in ("postgres", "valkey")]
        yield Figure("healthy servers", sum(healthy), "", at_least(2))
        counted = engine.run("exec", "barcodesvc_valkey_1", "valkey-cli", "dbsize")
        yield Figure("clients that Valkey counts", int(counted), "", at_least(1))
        query = "SELECT count(*) FROM products"
        stored = engine.run("exec", "barcodesvc_postgres_1", "psql", "--no-align", "--tuples-only", "--command", query)
        yield Figure("products in PostgreSQL", int(stored), "", at_least(1))
    if "https" in profiles:
        visitor = engine.visitor(
            "barcodesvc_caddy_1", f"https://{_NAME}", "", "--insecure", "--resolve", f"{_NAME}:443:127.0.0.1"
        )
        yield Figure("/metrics stays hidden", visitor.get("/metrics") is None, "", at_least(1))


PARTS = {"image": image, "compose": compose}

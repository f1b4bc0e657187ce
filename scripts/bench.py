"""Speed as ratios, measured in one run: how close the service comes to aiohttp doing nothing.

    scripts/bench              everything
    scripts/bench codes        a repeated barcode and QR code against a bare POST handler that returns the same bytes

The server is a process of its own, holding the bare handler and the service in one event loop; this process sends the
load over keep-alive connections, in short rounds by turns, and takes the median of the rounds' ratios. Beside the
requests per second stands the server's own processor time per request, which does not depend on the sender.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, cast

import psutil
import uvloop
from aiohttp import ClientSession, web
from aiohttp.typedefs import Handler

from barcodesvc.__main__ import SWITCH_INTERVAL
from barcodesvc.app import make_app
from barcodesvc.config import Settings

ROUNDS = 7
SECONDS = 1.5
CONNECTIONS = 16

CASES = {
    "barcode": b'{"product_code":"4006381333931","format":"CODE128"}',
    "qrcode": b'{"product_code":"4006381333931"}',
}


@dataclass(frozen=True)
class Round:
    """What one round of load saw."""

    per_second: float
    cpu_microseconds: float


class Sender(asyncio.Protocol):
    """One keep-alive connection that sends the same request again as soon as it is answered."""

    def __init__(self, request: bytes, answer_length: int, deadline: float) -> None:
        self.request = request
        self.answer_length = answer_length
        self.deadline = deadline
        self.answered = 0
        self.pending = answer_length
        self.finished = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first request."""
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        """Count, and send the next request, until the round is over."""
        self.pending -= len(data)
        if self.pending:
            return
        self.answered += 1
        self.pending = self.answer_length
        if time.perf_counter() < self.deadline:
            self.transport.write(self.request)
        elif not self.finished.done():
            self.finished.set_result(None)
            self.transport.close()


def identity(sender: Sender) -> Sender:
    """Return the sender: what create_connection wants is a factory."""
    return sender


async def one_round(server: psutil.Process, port: int, request: bytes, answer_length: int) -> Round:
    """Send load for SECONDS and return what was reached."""
    loop = asyncio.get_running_loop()
    cpu, begin = sum(server.cpu_times()[:2]), time.perf_counter()
    senders = [Sender(request, answer_length, begin + SECONDS) for _ in range(CONNECTIONS)]
    for sender in senders:
        await loop.create_connection(partial(identity, sender), "127.0.0.1", port)
    await asyncio.gather(*(sender.finished for sender in senders))
    answered = sum(sender.answered for sender in senders)
    elapsed = time.perf_counter() - begin
    return Round(answered / elapsed, (sum(server.cpu_times()[:2]) - cpu) / answered * 1e6)


def post(path: str, body: bytes) -> bytes:
    """Return the bytes of a POST request."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def answer_length(port: int, request: bytes) -> int:
    """Return the length in bytes of the whole answer to a request, head and body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    writer.close()
    length = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
    return len(head) + int(length.split(b":")[1])


async def compare(server: psutil.Process, bare_port: int, port: int, name: str, body: bytes) -> None:
    """Measure one code endpoint against the bare handler, by turns, and print the medians."""
    ports = {"bare": bare_port, "service": port}
    requests = {"bare": post(f"/{name}", body), "service": post(f"/api/codes/{name}", body)}
    lengths = {kind: await answer_length(ports[kind], request) for kind, request in requests.items()}
    rounds: dict[str, list[Round]] = {kind: [] for kind in ports}
    for _ in range(ROUNDS):
        for kind, request in requests.items():
            rounds[kind].append(await one_round(server, ports[kind], request, lengths[kind]))
    bare, service = rounds["bare"], rounds["service"]
    speed = statistics.median(s.per_second / b.per_second for s, b in zip(service, bare, strict=True))
    cpu = statistics.median(b.cpu_microseconds / s.cpu_microseconds for s, b in zip(service, bare, strict=True))
    print(
        f"cached {name}: {statistics.median(s.per_second for s in service):,.0f} requests/s, "
        f"bare handler {statistics.median(b.per_second for b in bare):,.0f}/s: "
        f"{speed:.0%} of its throughput, {cpu:.0%} by processor time"
    )


async def serve(folder: Path) -> None:
    """Be the server: the service, and a bare handler for each case that returns the service's own bytes."""
    runner = web.AppRunner(
        make_app(Settings(database=folder / "bench.db", rate_limit=None, upload_rate_limit=None)), access_log=None
    )
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    bare = web.Application()
    async with ClientSession(f"http://127.0.0.1:{port}") as session:
        for name, body in CASES.items():
            headers = {"Content-Type": "application/json"}
            async with session.post(f"/api/codes/{name}", data=body, headers=headers) as response:
                bare.router.add_post(f"/{name}", returning(await response.read()))
    bare_runner = web.AppRunner(bare, access_log=None)
    await bare_runner.setup()
    await web.TCPSite(bare_runner, "127.0.0.1", 0).start()
    print(bare_runner.addresses[0][1], port, flush=True)
    await asyncio.Event().wait()


def returning(body: bytes) -> Handler:
    """Return a handler that does nothing but answer these bytes."""

    async def handler(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type="application/json", charset="utf-8")

    return handler


async def bench_codes(server: psutil.Process, bare_port: int, port: int) -> None:
    """Measure cached codes."""
    for name, body in CASES.items():
        await compare(server, bare_port, port, name, body)


def main(names: list[str]) -> None:
    """Run the benchmarks of these names, or all of them."""
    if set(names) - {"codes"}:
        raise SystemExit(__doc__)
    command = [sys.executable, __file__, "serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - this very file
        try:
            bare_port, port = map(int, cast("IO[str]", process.stdout).readline().split())
            uvloop.run(bench_codes(psutil.Process(process.pid), bare_port, port))
        finally:
            process.terminate()


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        sys.setswitchinterval(SWITCH_INTERVAL)
        with tempfile.TemporaryDirectory() as temporary:
            uvloop.run(serve(Path(temporary)))
    else:
        main(sys.argv[1:])

"""How forked services end; the tests of the page start theirs this way."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.served import WAIT, Service

LEFT = """
import sys
from pathlib import Path
from tests.served import Service
print(Service(Path(sys.argv[1])).address)
"""


def test_a_service_that_no_one_ended_goes_with_who_started_it(tmp_path: Path) -> None:
    """It does not delay the exit, and neither it nor the process it was forked from keeps the starter's output open."""
    run = subprocess.run(  # noqa: S603 - the interpreter that runs this test, and fixed text
        [sys.executable, "-c", LEFT, str(tmp_path)], capture_output=True, text=True, timeout=WAIT, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(run.stdout.rpartition(":")[2])), WAIT)


def test_one_that_was_killed_starts_again_where_it_was(tmp_path: Path) -> None:
    """It has its former database and port; a stop ends it with status 0."""
    service = Service(tmp_path)
    service.call("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen"})
    address = service.address
    service.kill()
    service.start()
    assert service.address == address
    assert service.call("GET", "/api/products/1")["data"]["product_code"] == "A-1"
    assert service.stop().status == 0

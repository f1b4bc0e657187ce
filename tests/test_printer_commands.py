import re

import pytest

from barcodesvc.__main__ import main
from barcodesvc.commands import status_of
from barcodesvc.config import Settings
from barcodesvc.printer_addresses import printer_of
from barcodesvc.printer_commands import Announced, printer_findings
from tests.printers.ipp_printer import IppPrinter
from tests.printers.queued import zebra
from tests.servers.label_printer import Behaviour, LabelPrinter


async def test_each_printer_is_asked_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Its model, its state and what it gets are on a line; one that cannot print makes the result a failure."""
    async with IppPrinter().running() as printer, IppPrinter(reasons=("media-empty",)).running() as empty:
        address = "ipp://127.0.0.1:{}/ipp/print?label=50x30mm"
        texts = (f"good={address.format(printer.port)}", f"empty={address.format(empty.port)}")
        assert status_of(await printer_findings(Settings(printers=texts[:1]))) == 0
        assert status_of(await printer_findings(Settings(printers=texts))) == 2
    said = capsys.readouterr().out
    assert re.search(
        r"^ok     good: ipp://127.0.0.1:\d+/ipp/print: Simulated 1, ready, gets application/pdf$", said, re.MULTILINE
    )
    assert re.search(r"^WRONG  empty: .* the printer is out of paper, gets application/pdf$", said, re.MULTILINE)


@pytest.mark.parametrize(("status", "said"), [("zebra", "Simulated-203dpi, ready"), ("silent", "tells no state")])
async def test_a_label_printer_is_asked_too(capsys: pytest.CaptureFixture[str], status: str, said: str) -> None:
    """It tells its model and its state, unless it says nothing; nothing is printed."""
    async with LabelPrinter(Behaviour(status=status)).running() as printer:
        assert status_of(await printer_findings(Settings(printers=(zebra(printer.port),)))) == 0
    assert f": {said}, gets application/vnd.zebra-zpl" in capsys.readouterr().out
    assert printer.printed == []


async def test_a_printer_must_read_what_it_would_get(capsys: pytest.CaptureFixture[str]) -> None:
    """A printer without PDF needs the dots per inch of its raster in the settings."""
    async with IppPrinter(formats=("image/pwg-raster",), resolutions=(300, 600)).running() as printer:
        address = f"ipp://127.0.0.1:{printer.port}/ipp/print?label=50x30mm"
        assert status_of(await printer_findings(Settings(printers=(f"right={address}&dpi=300",)))) == 0
        assert status_of(await printer_findings(Settings(printers=(f"wrong={address}&dpi=203",)))) == 2
    said = capsys.readouterr().out
    assert "it reads neither PDF nor PWG raster of 203 dpi, but raster of 300 and 600 dpi" in said


async def test_a_printhead_of_another_resolution_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    """Its labels would come out in another size; the printer tells its dots per millimetre."""
    async with LabelPrinter().running() as printer:
        assert status_of(await printer_findings(Settings(printers=(zebra(printer.port, "&dpi=300"),)))) == 2
    said = "Simulated-203dpi: its printhead has 203 dpi, not 300; write dpi=203"
    assert said in capsys.readouterr().out


async def test_another_roll_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    """Both sizes are on its line."""
    async with IppPrinter(ready=((6200, 2900),)).running() as printer:
        address = f"ipp://127.0.0.1:{printer.port}/ipp/print?label=50x30mm"
        assert status_of(await printer_findings(Settings(printers=(f"a={address}",)))) == 2
    assert (
        "the printer has 62x29mm, not 50x30mm; put that in, or correct BARCODESVC_PRINTERS" in capsys.readouterr().out
    )


async def test_a_wrong_path_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """The host is there, but nothing prints at this path."""
    async with IppPrinter(path="/ipp/print").running() as printer:
        address = f"ipp://127.0.0.1:{printer.port}/ipp/prnit?label=50x30mm"
        assert status_of(await printer_findings(Settings(printers=(f"wrong={address}",)))) == 2
    assert "there is no printer at this path of the host; correct the address" in capsys.readouterr().out


def test_a_printer_that_is_off_ends_the_command_with_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scripts see it, and a wrong setting too."""
    monkeypatch.setenv("BARCODESVC_PRINTERS", "off=ipp://127.0.0.1:9?label=50x30mm")
    assert main(["printers"]) == 2
    said = capsys.readouterr().out
    assert said == "WRONG  off: ipp://127.0.0.1:9/ipp/print: the printer cannot be reached: connection refused\n"
    monkeypatch.setenv("BARCODESVC_PRINTERS", "off=ipp://127.0.0.1:9?label=50x30mm&dpi=1")
    assert main(["printers"]) == 2


def test_no_printers_end_the_command_with_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The setting may be lost in a shell, which ends a command at `&`, so the command says how to write it."""
    monkeypatch.delenv("BARCODESVC_PRINTERS", raising=False)
    assert main(["printers"]) == 2
    example = "BARCODESVC_PRINTERS='zebra=zpl://10.1.0.20:9100?label=100x50mm&dpi=203'"
    assert example in capsys.readouterr().out


def test_what_is_announced_becomes_entries_that_are_valid() -> None:
    """Whatever a printer calls itself, the name is one that the setting takes, and no two are the same."""
    taken: set[str] = set()
    instances = ("Zebra ZD420 (front)", "Zebra ZD420, front", "\x1b[2J漢字", "x" * 300)
    entries = [Announced(name, "ipp", "10.1.0.20", 631, "/ipp/print").entry(taken) for name in instances]
    assert entries[0] == "zebra-zd420-front=ipp://10.1.0.20:631/ipp/print?label=100x50mm"
    assert len({printer_of(entry).name for entry in entries}) == len(instances)

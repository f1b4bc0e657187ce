"""Printers in the settings: what stops the start, and what the command `printers` says of them."""

import re

import pytest

from barcodesvc.__main__ import main
from barcodesvc.commands import status_of
from barcodesvc.config import Settings, load_settings
from barcodesvc.errors import StartError
from barcodesvc.printer_addresses import printer_of
from barcodesvc.printer_commands import Announced, printer_findings
from barcodesvc.printers.layouts import printer_layouts
from tests.printers.ipp_printer import IppPrinter
from tests.printers.queued import zebra
from tests.servers.label_printer import Behaviour, LabelPrinter
from tests.sweeps import sweep


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


@pytest.mark.parametrize(("status", "said"), [("zebra", "Simulated-203dpi, ready"), ("silent", "reports no state")])
async def test_a_label_printer_is_asked_too(capsys: pytest.CaptureFixture[str], status: str, said: str) -> None:
    """It tells its model and its state, unless it says nothing; nothing is printed."""
    async with LabelPrinter(Behaviour(status=status)).running() as printer:
        assert status_of(await printer_findings(Settings(printers=(zebra(printer.port),)))) == 0
    assert f": {said}, gets application/vnd.zebra-zpl" in capsys.readouterr().out
    assert printer.printed == []


@pytest.mark.parametrize(
    ("printer", "path", "said"),
    [
        (
            IppPrinter(formats=("image/pwg-raster",), resolutions=(300, 600)),
            "print?label=50x30mm&dpi=203",
            "it reads neither PDF nor PWG raster at 203 dpi, but raster at 300 and 600 dpi",
        ),
        (
            IppPrinter(ready=((6200, 2900),)),
            "print?label=50x30mm",
            "the printer has 62x29mm, not 50x30mm; put that in, or correct BARCODESVC_PRINTERS",
        ),
        (
            IppPrinter(path="/ipp/print"),
            "prnit?label=50x30mm",
            "there is no printer at this path on the host; correct the address",
        ),
    ],
    ids=["resolution", "roll", "path"],
)
async def test_what_would_not_be_printed_is_noticed(
    capsys: pytest.CaptureFixture[str], printer: IppPrinter, path: str, said: str
) -> None:
    """A printer without PDF that has other dots per inch, another roll in it, or another path at its host."""
    async with printer.running():
        setting = f"wrong=ipp://127.0.0.1:{printer.port}/ipp/{path}"
        assert status_of(await printer_findings(Settings(printers=(setting,)))) == 2
    assert said in capsys.readouterr().out


async def test_a_printhead_of_another_resolution_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    """Its labels would come out in another size; the printer tells its dots per millimetre."""
    async with LabelPrinter().running() as printer:
        assert status_of(await printer_findings(Settings(printers=(zebra(printer.port, "&dpi=300"),)))) == 2
    assert "Simulated-203dpi: its printhead has 203 dpi, not 300; write dpi=203" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (
            "off=ipp://127.0.0.1:9?label=50x30mm",
            "WRONG  off: ipp://127.0.0.1:9/ipp/print: the printer cannot be reached: connection refused",
        ),
        ("", "BARCODESVC_PRINTERS='zebra=zpl://10.1.0.20:9100?label=100x50mm&dpi=203'"),
        ("off=ipp://127.0.0.1:9?label=50x30mm&dpi=1", "dpi"),
    ],
    ids=["off", "none", "wrong"],
)
def test_the_command_ends_with_2_and_says_why(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, setting: str, said: str
) -> None:
    """The setting may be lost in a shell, which ends a command at `&`, so the command says how to write it."""
    monkeypatch.setenv("BARCODESVC_PRINTERS", setting)
    assert main(["printers"]) == 2
    assert said in "".join(capsys.readouterr())


def test_what_is_announced_becomes_entries_that_are_valid() -> None:
    """Whatever a printer calls itself, the name is one that the setting takes, and no two are the same."""
    taken: set[str] = set()
    instances = ("Zebra ZD420 (front)", "Zebra ZD420, front", "\x1b[2J漢字", "x" * 300)
    entries = [Announced(name, "ipp", "10.1.0.20", 631, "/ipp/print").entry(taken) for name in instances]
    assert entries[0] == "zebra-zd420-front=ipp://10.1.0.20:631/ipp/print?label=100x50mm"
    assert len({printer_of(entry).name for entry in entries}) == len(instances)


WRONG = {
    "zebra": "address",
    "a=zpl://u:secret@h?label=50x30mm": "password",
    "a=ftp://h?label=50x30mm": "begins with",
    "a=zpl://169.254.1.1?label=50x30mm": "link-local",
    "a=zpl://2852039167?label=50x30mm": "link-local",
    "a=zpl://255.255.255.255?label=50x30mm": "broadcast",
    "a=ipp://[::ffff:169.254.1.1]/?label=50x30mm": "link-local",
    "a=ipp://0/?label=50x30mm": "unspecified",
    "a=zpl://h:0?label=50x30mm": "port",
    "a=zpl://h/path?label=50x30mm": "path",
    "a=zpl://?label=50x30mm": "host",
    "a=zpl://h": "label=",
    "a=ipp://h?sheet=L7160&label=50x30mm": "not both",
    "a=ipp://h?sheet=L7160&sheet=L7160": "twice",
    "a=zpl://h?label=50x30mm&status=on": "auto or off",
    "a=ipps://h?label=50x30mm&fingerprint=12": "64 hexadecimal",
    "a=file://host/dev/lp0?label=50x30mm": "absolute path",
    "a=ipp://h?label=50x30mm,a=ipp://h?label=50x30mm": "two printers",
    "a=ipp://h?label=50x30mm&nix=1": "nix: no such option; there are label, sheet, dpi, status, graphics, fing",
    "a=ipp://h?label=50x30mm&dpi=few": "printer 'a': dpi: a whole number, such as 203",
    "a=ipp://h?label=50x30mm&darkness=31": "darkness: at most 30",
    "a=ipp://h?label=50x30mm&outlines=yes": "outlines: true or false",
    "a=ipp://h?label=50x30mm&graphics=z": "graphics: 'z64', 'acs' or 'hex'",
    "a=ipp://h?label=50x30mm&status=off": "status= is only for zpl://",
    "a=ipp://h?label=50x30mm&fingerprint=12": "fingerprint= is only for ipps://",
    "a=ipp://h?label=50x30mm&offset_x=0,5": "printer 2: a name .*; a number has a point, because a comma begins",
    "a=ipp://h?label=50x30mm,Zebra=zpl://h?label=50x30mm": "printer 2: 'Zebra': a name has 1-32",
    "a=zpl://u:sec,secret@h?label=50x30mm": "printer 'a': .*; printer 2: a name",
    "a=ipp://h?label=2x3mm": "5 to 1200",
    "a=ipp://h?sheet=L716": "did you mean",
    "a=zpl://h?label=500x500mm&dpi=600": "139 million dots at 600 dpi",
    "a=ipp://h?label=50x30mm#x": "#",
}


@sweep(("text", "said"), WRONG.items())
def test_a_wrong_printer_stops_the_start(text: str, said: str) -> None:
    """The message says what is wrong, and repeats no password."""
    with pytest.raises(StartError, match=said) as stopped:
        printer_layouts(load_settings({"BARCODESVC_PRINTERS": text}))
    assert "secret" not in str(stopped.value)

"""The registry of all symbologies that the service can draw: all that is known of each, in one row.

Names are compared without case, `-`, `_` and space, so that `Code 128`, `code-128` and `CODE128` are one name. The
rules are for people (`GET /api/codes/formats`, docs/symbologies.md); the encoders apply them.

The least X-dimension is that of the standard or, if the standard leaves it open, that of the trade: GS1 General
Specifications 5.12.3 (EAN, UPC and DataBar 0.264, ITF-14 0.495, GS1-128 0.250, GS1 DataMatrix 0.255, GS1 QR 0.396),
AIM's specifications of linear symbologies (0.191, which is 7.5 mil), Laetus (Pharmacode 0.350, the miniature), ISO/IEC
15438 (PDF417 and MicroPDF417 0.170). For the other matrix symbologies it is 0.250, which hand-held imagers resolve.

Aliases are the names of GS1, JsBarcode, python-barcode, bwip-js, zxing and zxing-cpp that mean only one symbology.
"""

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from pydantic import WithJsonSchema

from barcodesvc.errors import InvalidInput, field_problem
from barcodesvc.gs1.gtin import GTIN14_DIGITS, GTIN_AI, check_digit, has_valid_check_digit, is_digits
from barcodesvc.numbers.canonical import canonical_gtin
from barcodesvc.numbers.check_digits import (
    completed_isbn13,
    completed_pzn,
    ean_of_isbn10,
    ean_of_issn,
    luhn_digit,
    modulo_43_character,
)
from barcodesvc.numbers.drawn import drawn_gtin, drawn_upce
from barcodesvc.symbols import code128, databar, ean_upc, linear, matrices, qr, trust
from barcodesvc.symbols.alphabets import CODABAR_FITS, CODE39_FITS, PHARMACODE_FITS, PRINTABLE_ASCII_FITS, SET_A_FITS
from barcodesvc.symbols.gs1_content import as_printed
from barcodesvc.symbols.modules import Symbol
from barcodesvc.symbols.trust import Trust

_LONGEST_NAME = 100
"""Characters of a name that is compared; all names here are less than half as long."""
_LONGEST_IN_REQUESTS = 64
_IGNORED = {ord(character): None for character in "-_ "}

_DIGITS = "0-9"
_GS1 = "a GS1 element string, bracketed `(01)…(10)…`, or raw where it needs no separator"
_RETAIL = "0-9, and an add-on after +"
_JAN = "0-9, the first two 45 or 49, and an add-on after +"
_ISBN = "0-9, hyphens and spaces, and an add-on after +"
_ENDS_IN_X = "0-9, at the end X, hyphens and spaces, and an add-on after +"
_PZN = "0-9, after an optional PZN or -"
_LIMITED = "0-9, the first 0 or 1, after an optional (01)"

_ANY = "any"
_EVEN = "even"
_EAN13 = "12 or 13, add-on 2 or 5"
_UPCA = "11 or 12, add-on 2 or 5"
_UPCE = "6, 7 or 8, or 11 or 12 of a UPC-A, add-on 2 or 5"
_ISBN10 = "9 or 10, add-on 2 or 5"
_ISSN = "7 or 8, add-on 2 or 5"
_GTIN14 = "13 or 14"
_MICRO_QR = "at most 35 digits, 21 capitals or 15 others"
_MICRO_PDF417 = "at most 366 digits or 150 others"

_NONE = "none"
_INSIDE = "part of the symbol"
_MOD_10 = "modulo 10, added or verified"
_MOD_11 = "modulo 11, added or verified"
_ADDED = "modulo 10, always added: a given one cannot be distinguished from data"

_ELEMENTS = "(01)09521234543213(10)LOT7"
_AB = "AB-12345"

# alphabet, length, check digit and example that several symbologies have in common
_ASCII = (PRINTABLE_ASCII_FITS, _ANY, _INSIDE, _AB)
_GS1_OF_ANY_LENGTH = (_GS1, _ANY, _INSIDE, _ELEMENTS)
_GTIN = ("0-9, after an optional (01)", _GTIN14, _MOD_10, "09521234543213")
_EXPANDED = (_GS1, "at most 74 digits or 41 capitals", _INSIDE, _ELEMENTS)

_EAN13_NAMES = ("EAN", "GTIN13", "EAN13 Guard")
_CODE39_NAMES = ("3of9", "Code 3 of 9", "Code 39 Std")
_EAN8_NAMES = ("GTIN8", "EAN8 Guard")
_ITF_NAMES = ("I2OF5", "INTERLEAVED2OF5")
_ITF14_NAMES = ("GTIN14", "GTIN", "EAN14")
_CODABAR_NAMES = ("NW7", "Rationalized Codabar")
_MSI_NAMES = ("MSI10", "MSI Plessey")
_DATABAR_NAMES = (
    "DataBar",
    "DataBar Omnidirectional",
    "GS1 DataBar",
    "GS1 DataBar Omni",
    "GS1 DataBar Omnidirectional",
    "RSS14",
)
_DATABAR_STACKED_NAMES = ("DataBarStk", "GS1 DataBar Stacked", "RSS14 Stacked")
_DATABAR_STACKED_OMNI_NAMES = (
    "DataBarStkOmni",
    "DataBar Stacked Omnidirectional",
    "GS1 DataBar Stacked Omni",
    "GS1 DataBar Stacked Omnidirectional",
    "RSS14 Stacked Omnidirectional",
)
_DATABAR_LIMITED_NAMES = ("DataBarLtd", "GS1 DataBar Limited", "RSS Limited")
_DATABAR_EXPANDED_NAMES = ("DataBarExp", "GS1 DataBar Expanded", "RSS Expanded")
_DATABAR_EXPANDED_STACKED_NAMES = ("DataBarExpStk", "GS1 DataBar Expanded Stacked", "RSS Expanded Stacked")


@dataclass(frozen=True, slots=True, eq=False)
class Symbology:
    """A symbology: its canonical name and aliases, its encoder, its rules in words, and what a scan of it means.

    encode          from content to modules; raises InvalidContent for content that the symbology cannot hold
    least_module    the least X-dimension, in mm
    encoded         from content, without an add-on, to the data that the symbol holds
    has_add_on      whether an add-on of two or five digits may follow, behind `+`
    takes_elements  whether its content is a GS1 element string
    with_elements   the name of the symbology that takes element strings in its place
    hint            the kind of number that a scan may be if a client names this symbology
    aim             its symbology identifiers (ISO/IEC 15424): letters, or letters with a modifier, between spaces
    optional_check  from content to the check character that a scanner may send or leave out; None if that is certain
    read_as         the format, or family of formats, by whose name zxing-cpp finds it on an image; empty if none does
    is_read_turned  whether zxing-cpp finds it at every angle, and in white on black
    trust           how far a reading of it on an image is trusted
    """

    name: str
    aliases: tuple[str, ...]
    encode: Callable[[str], Symbol]
    alphabet: str
    length: str
    check_digit: str
    example: str
    least_module: float
    encoded: Callable[[str], str] = str
    has_add_on: bool = False
    takes_elements: bool = False
    with_elements: str = ""
    hint: str = ""
    aim: str = ""
    optional_check: Callable[[str], str] | None = None
    read_as: str = ""
    is_read_turned: bool = False
    trust: Trust = trust.UNKNOWN

    def encoded_content(self, content: str) -> str:
        """Return the data of a symbol, written as a product code: add-on after `+`, elements in brackets, PZN bare."""
        main, plus, add_on = content.partition("+") if self.has_add_on else (content, "", "")
        return self.encoded(main) + plus + add_on


def _gtin(length: int, content: str) -> str:
    prefix = GTIN_AI if length == GTIN14_DIGITS and content.startswith(GTIN_AI) else ""
    return prefix + drawn_gtin("GTIN", content, length)


def _of_digits(check: Callable[[str], str], content: str) -> str:
    return check(content) if is_digits(content) else ""


_GTIN_8, _GTIN_12, _GTIN_13, _GTIN_14 = (partial(_gtin, length) for length in (8, 12, 13, 14))
_MOD_10_OF_DIGITS, _LUHN_OF_DIGITS = (partial(_of_digits, check) for check in (check_digit, luhn_digit))

_linear = partial(Symbology, least_module=0.191)
_code128 = partial(_linear, read_as="Code128")
_ean = partial(Symbology, least_module=0.264)
_retail = partial(_ean, has_add_on=True, hint="EAN13", read_as="EANUPC", trust=trust.EAN13)
_matrix = partial(Symbology, least_module=0.250, trust=trust.CORRECTING)
_square = partial(_matrix, is_read_turned=True)
_elements = partial(Symbology, takes_elements=True, encoded=as_printed, trust=trust.CORRECTING)
_gs1_square = partial(_elements, is_read_turned=True)
_trade_item = partial(Symbology, encoded=_GTIN_14)
_databar = partial(_trade_item, least_module=0.264, read_as="DataBar", trust=trust.DATABAR)
_expanded = partial(_elements, least_module=0.264, read_as="DataBar", trust=trust.EXPANDED)

SYMBOLOGIES = (
    _code128("CODE128", (), code128.code128, *_ASCII, with_elements="GS1-128", aim="C", trust=trust.FAIR),
    _code128("CODE128A", (), code128.code128a, SET_A_FITS, _ANY, _INSIDE, _AB),
    _code128("CODE128B", (), code128.code128b, *_ASCII),
    _code128("CODE128C", (), code128.code128c, _DIGITS, _EVEN, _INSIDE, "12345678"),
    _linear(
        "CODE39",
        _CODE39_NAMES,
        linear.code39,
        CODE39_FITS,
        _ANY,
        _NONE,
        _AB,
        hint="CODE39",
        aim="A",
        optional_check=modulo_43_character,
        read_as="Code39Std",
        trust=trust.WEAK,
    ),
    _linear("CODE93", (), linear.code93, CODE39_FITS, _ANY, _INSIDE, _AB, aim="G", read_as="Code93", trust=trust.FAIR),
    _retail(
        "EAN13", _EAN13_NAMES, ean_upc.ean13, _RETAIL, _EAN13, _MOD_10, "4006381333931", encoded=_GTIN_13, aim="E0 E3"
    ),
    _ean(
        "EAN8",
        _EAN8_NAMES,
        ean_upc.ean8,
        _DIGITS,
        "7 or 8",
        _MOD_10,
        "96385074",
        encoded=_GTIN_8,
        aim="E4",
        read_as="EANUPC",
        trust=trust.EAN8,
    ),
    _ean("EAN5", (), ean_upc.ean5, _DIGITS, "5", _INSIDE, "51299", aim="E2"),
    _ean("EAN2", (), ean_upc.ean2, _DIGITS, "2", _INSIDE, "12", aim="E1"),
    _retail("UPCA", ("UPC", "GTIN12"), ean_upc.upca, _RETAIL, _UPCA, _MOD_10, "036000291452", encoded=_GTIN_12),
    _retail(
        "UPCE", (), ean_upc.upce, _RETAIL, _UPCE, _MOD_10, "01234565", encoded=drawn_upce, hint="UPCE", trust=trust.UPCE
    ),
    _retail("JAN", ("JAN13",), ean_upc.jan, _JAN, _EAN13, _MOD_10, "4901234567894", encoded=_GTIN_13),
    _retail("ISBN13", ("ISBN",), ean_upc.isbn13, _ISBN, _EAN13, _MOD_10, "978-0-306-40615-7", encoded=completed_isbn13),
    _retail("ISBN10", (), ean_upc.isbn10, _ENDS_IN_X, _ISBN10, _MOD_11, "0-8044-2957-X", encoded=ean_of_isbn10),
    _retail("ISSN", (), ean_upc.issn, _ENDS_IN_X, _ISSN, _MOD_11, "2434-561X", encoded=ean_of_issn, hint="ISSN"),
    _linear(
        "ITF",
        _ITF_NAMES,
        linear.itf,
        _DIGITS,
        _EVEN,
        _NONE,
        "12345678",
        hint="ITF",
        aim="I",
        optional_check=_MOD_10_OF_DIGITS,
        read_as="ITF",
        trust=trust.ITF,
    ),
    _trade_item(
        "ITF14",
        _ITF14_NAMES,
        linear.itf14,
        _DIGITS,
        _GTIN14,
        _MOD_10,
        "15400141288763",
        0.495,
        read_as="ITF",
        trust=trust.WEAK,
    ),
    _linear(
        "CODABAR",
        _CODABAR_NAMES,
        linear.codabar,
        CODABAR_FITS,
        _ANY,
        _NONE,
        "A12345B",
        encoded=linear.framed,
        hint="CODABAR",
        aim="F",
        read_as="Codabar",
        trust=trust.CODABAR,
    ),
    _linear(
        "MSI",
        _MSI_NAMES,
        linear.msi,
        _DIGITS,
        _ANY,
        _ADDED,
        "80523",
        encoded=linear.msi_digits,
        hint="MSI",
        aim="M",
        optional_check=_LUHN_OF_DIGITS,
    ),
    Symbology("PHARMACODE", ("Laetus",), linear.pharmacode, PHARMACODE_FITS, "1-6", _NONE, "1234", 0.350),
    _linear(
        "PZN",
        ("PZN8",),
        linear.pzn,
        _PZN,
        "7 or 8",
        _MOD_11,
        "12345626",
        encoded=completed_pzn,
        read_as="PZN",
        trust=trust.EAN13,
    ),
    _elements(
        "GS1-128",
        ("GS1", "EAN128", "UCC128"),
        code128.gs1_128,
        _GS1,
        "1-48",
        _INSIDE,
        _ELEMENTS,
        0.250,
        aim="C1",
        read_as="Code128",
        trust=trust.FAIR,
    ),
    _databar("DATABAROMNI", _DATABAR_NAMES, databar.omnidirectional, *_GTIN),
    _databar("DATABARSTACKED", _DATABAR_STACKED_NAMES, databar.stacked, *_GTIN, trust=trust.STACKED),
    _databar(
        "DATABARSTACKEDOMNI",
        _DATABAR_STACKED_OMNI_NAMES,
        databar.stacked_omnidirectional,
        *_GTIN,
        trust=trust.STACKED_OMNI,
    ),
    _databar("DATABARLIMITED", _DATABAR_LIMITED_NAMES, databar.limited, _LIMITED, *_GTIN[1:]),
    _expanded("DATABAREXPANDED", _DATABAR_EXPANDED_NAMES, databar.expanded, *_EXPANDED),
    _expanded("DATABAREXPANDEDSTACKED", _DATABAR_EXPANDED_STACKED_NAMES, databar.expanded_stacked, *_EXPANDED),
    _square("QR", ("QRCODE",), qr.qr, *_ASCII, with_elements="GS1QR", aim="Q", read_as="QRCode"),
    _square(
        "MICROQR",
        ("MICROQRCODE",),
        matrices.micro_qr,
        PRINTABLE_ASCII_FITS,
        _MICRO_QR,
        _INSIDE,
        _AB,
        read_as="QRCode",
        trust=trust.MICRO_QR,
    ),
    _matrix("RMQR", ("RMQRCODE", "Rectangular Micro QR Code"), matrices.rmqr, *_ASCII, read_as="RMQRCode"),
    _gs1_square("GS1QR", ("GS1QRCODE",), matrices.gs1_qr, *_GS1_OF_ANY_LENGTH, 0.396, aim="Q3 Q4", read_as="QRCode"),
    _square(
        "DATAMATRIX",
        ("ECC200",),
        matrices.data_matrix,
        *_ASCII,
        with_elements="GS1DATAMATRIX",
        aim="d",
        read_as="DataMatrix",
    ),
    _gs1_square(
        "GS1DATAMATRIX", (), matrices.gs1_data_matrix, *_GS1_OF_ANY_LENGTH, 0.255, aim="d2 d5", read_as="DataMatrix"
    ),
    _square("AZTEC", ("AZTECCODE",), matrices.aztec, *_ASCII, aim="z", read_as="Aztec", trust=trust.AZTEC),
    Symbology("PDF417", (), matrices.pdf417, *_ASCII, 0.170, aim="L", read_as="PDF417", trust=trust.PDF417),
    _matrix(
        "MICROPDF417",
        (),
        matrices.micro_pdf417,
        PRINTABLE_ASCII_FITS,
        _MICRO_PDF417,
        _INSIDE,
        _AB,
        least_module=0.170,
        read_as="PDF417",
    ),
)


def normal_name(name: str) -> str:
    """Return the form in which a name is compared: without case, `-`, `_` and space; "" for one that is too long."""
    return name.casefold().translate(_IGNORED) if len(name) <= _LONGEST_NAME else ""


_BY_NAME = {normal_name(name): entry for entry in SYMBOLOGIES for name in (entry.name, *entry.aliases)}


def known_symbology(name: str) -> Symbology | None:
    """Return the symbology with this name or alias, None if there is none."""
    return _BY_NAME.get(normal_name(name))


def find_symbology(name: str, field: str = "format") -> Symbology:
    """Return the symbology of this name or alias; raises InvalidInput, which suggests the most similar names.

    The first suggestion is the symbology with which the name begins: CODE93 for `CODE93FullASCII`.
    """
    found = known_symbology(name)
    if found is None:
        raise InvalidInput.of(field_problem(field, _unknown(name), name))
    return found


def _unknown(name: str) -> str:
    asked = normal_name(name)
    longest_beginning = sorted((key for key in _BY_NAME if asked.startswith(key)), key=len)[-1:]
    near = longest_beginning + difflib.get_close_matches(asked, _BY_NAME, n=3)
    offered = dict.fromkeys(_BY_NAME[key].name for key in near) or [entry.name for entry in SYMBOLOGIES]
    return f"no such symbology; {'did you mean' if near else 'there are'} {', '.join(offered)}"


_CODE128 = find_symbology("CODE128")
_SHOP_NUMBERS = {13: find_symbology("EAN13"), 12: find_symbology("UPCA"), 8: find_symbology("EAN8")}
_BY_ZEROS = (("000000", 8), ("00", 12), ("0", 13))


def best_symbology(content: str) -> Symbology:
    """Return the symbology that suits a code: CODE128, except for the numbers that shops scan.

    These are 13, 12 or 8 digits with a correct check digit, which are EAN13, UPCA or EAN8, in any notation.
    """
    if is_digits(content):
        return _SHOP_NUMBERS.get(len(content), _CODE128) if has_valid_check_digit(content) else _CODE128
    gtin = canonical_gtin(content) or ""
    return next((_SHOP_NUMBERS[length] for zeros, length in _BY_ZEROS if gtin.startswith(zeros)), _CODE128)


def _encode_best(content: str) -> Symbol:
    return best_symbology(content).encode(content)


BEST = Symbology("BEST", (), _encode_best, *_ASCII, _CODE128.least_module, with_elements=_CODE128.with_elements)
"""Requests may name it as a symbology; each code is encoded in its `best_symbology`. It is not in SYMBOLOGIES."""


def named_symbology(value: object) -> Symbology:
    """Return the symbology that a request names, or BEST; raises ValueError, reported with all other problems."""
    if not isinstance(value, str) or not 1 <= len(value) <= _LONGEST_IN_REQUESTS:
        raise ValueError(f"the name of a symbology is text of 1 to {_LONGEST_IN_REQUESTS} characters")
    if normal_name(value) == normal_name(BEST.name):
        return BEST
    try:
        return find_symbology(value)
    except InvalidInput as refusal:
        raise ValueError(refusal.errors[0]["message"]) from refusal


def names_of_symbologies(description: str, example: str, *others: str) -> WithJsonSchema:
    """Return the schema of the names that `named_symbology` accepts, each in one spelling, and of `others`."""
    names = ["best", *others, *(symbology.name for symbology in SYMBOLOGIES)]
    return WithJsonSchema({"type": "string", "enum": names, "description": description, "examples": [example]})

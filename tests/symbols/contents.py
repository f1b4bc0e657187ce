"""The contents with which encoders are compared for each symbology: its alphabet and lengths."""

from hypothesis import strategies as st

Texts = st.SearchStrategy[str]

ASCII = "".join(map(chr, range(32, 127)))
CODE39 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ -.$/+%"
GS1_LOT = ASCII.translate({ord(character): None for character in " #$@[\\]^`{|}~()"})


def text(alphabet: str, least: int = 1, most: int = 64) -> Texts:
    """Build texts of an alphabet."""
    return st.text(alphabet, min_size=least, max_size=most)


def digits(length: int) -> Texts:
    """Build numbers of this many digits."""
    return text("0123456789", length, length)


def with_add_on(number: Texts) -> Texts:
    """Build numbers with and without an add-on."""
    add_on = (digits(2) | digits(5)).map("+{}".format)
    return st.tuples(number, add_on | st.just("")).map("".join)


def pairs() -> Texts:
    """Build even numbers of digits."""
    return st.integers(1, 32).flatmap(lambda count: digits(2 * count))


def elements(most: int) -> Texts:
    """Build bracketed element strings: an article, a date, a lot and a serial number."""
    article = st.sampled_from(["(01)09521234543213", "(01)15400141288763", ""])
    date = st.sampled_from(["(17)261231", "(15)270101", ""])
    lot = text(GS1_LOT, 1, most).map("(10){}".format)
    return st.tuples(article, date, lot).map("".join)


GTIN = digits(13)

CONTENTS = {
    "CODE128": text(ASCII) | text("0123456789-A"),
    "CODE128A": text(ASCII[:64]),
    "CODE128B": text(ASCII),
    "CODE128C": pairs(),
    "CODE39": text(CODE39),
    "CODE93": text(CODE39),
    "EAN13": with_add_on(digits(12)),
    "EAN8": digits(7),
    "EAN5": digits(5),
    "EAN2": digits(2),
    "UPCA": with_add_on(digits(11)),
    "UPCE": with_add_on(digits(6).map("0{}".format) | digits(6).map("1{}".format)),
    "JAN": with_add_on(digits(10).map("49{}".format)),
    "ISBN13": with_add_on(digits(9).map("978{}".format)),
    "ISBN10": digits(9),
    "ISSN": digits(7),
    "ITF": pairs(),
    "ITF14": GTIN,
    "CODABAR": text("0123456789-$:/.+").map("A{}B".format),
    "MSI": text("0123456789"),
    "PHARMACODE": st.integers(3, 131070).map(str),
    "PZN": digits(7),
    "GS1-128": elements(20),
    "DATABAROMNI": GTIN,
    "DATABARSTACKED": GTIN,
    "DATABARSTACKEDOMNI": GTIN,
    "DATABARLIMITED": digits(12).map("1{}".format) | digits(12).map("0{}".format),
    "DATABAREXPANDED": elements(15),
    "DATABAREXPANDEDSTACKED": elements(15),
    "QR": text(ASCII) | text("0123456789-A"),
    "MICROQR": text("0123456789", 1, 36) | text("ABCDEF %", 1, 22) | text(ASCII, 1, 16),
    "RMQR": text(ASCII),
    "GS1QR": elements(20),
    "DATAMATRIX": text(ASCII),
    "GS1DATAMATRIX": elements(20),
    "AZTEC": text(ASCII),
    "PDF417": text(ASCII),
    "MICROPDF417": text(ASCII),
}

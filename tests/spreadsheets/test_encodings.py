from io import BytesIO

import pytest

from barcodesvc.errors import InvalidFileFormat
from barcodesvc.spreadsheets.encodings import find_encoding, known_encoding, usual_name

TEXTS = {
    "de": "Nr;Größe\n007;Ölkanne zu 5 €\n8;Schlüssel für Räder, ½ m²\n",
    "fr": "référence;désignation;quantité\n1;Vis à tête fraisée\n2;Écrou en acier zingué, côté gauche « créé »\n",
    "es": "código;descripción\n1;Tubería de camión, tamaño pequeño\n",
    "ru": "Артикул;Наименование\n1001;Болт оцинкованный\n1002;Гайка шестигранная\n",
    "pl": "kod;nazwa;ilość\n1;Śruba sześciokątna;12\n2;Nakrętka;5\n3;Podkładka płaska żółta;7\n",
    "cs": "kód;název;množství\n1;Šroub šestihranný;12\n2;Matice křídlová;5\n3;Podložka plochá žlutá;7\n",
    "tr": "kod;açıklama\n1;Gümüş yıldız ağır çekiç\n2;Vida şişe\n",  # noqa: RUF001 - Turkish
    "el": "κωδικός;περιγραφή\n1;Βίδα εξάγωνη\n2;Παξιμάδι\n",
    "ja": "品番;品名;数量\n1;六角ボルト;12\n2;ナット;5\n",
    "zh": "编号;名称;数量\n1;六角螺栓;12\n2;螺母;5\n3;垫圈\n",
}


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_western_texts_in_windows_1252_are_certain(language: str) -> None:
    """Excel writes them like this, and there is no warning."""
    found = find_encoding(BytesIO(TEXTS[language].encode("cp1252")))
    assert (usual_name(found.codec), found.guessed) == ("windows-1252", False)


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        *(("ru", encoding) for encoding in ("cp1251", "koi8_r", "cp866", "mac_cyrillic")),
        *(("pl", encoding) for encoding in ("cp1250", "cp852")),
        *((language, encoding) for language in ("fr", "es", "de") for encoding in ("mac_roman", "cp850")),
        *(("cs", "cp1250"), ("tr", "cp1254"), ("el", "cp1253"), ("ja", "shift_jis"), ("zh", "gbk")),
    ],
)
def test_other_encodings_are_guessed_and_said_to_be_a_guess(language: str, encoding: str) -> None:
    """The texts are those that were saved."""
    text = TEXTS[language].replace("€", "EUR").replace("½ m²", "1 m")
    content = text.encode(encoding)
    found = find_encoding(BytesIO(content))
    assert (content.decode(found.codec), found.guessed) == (text, True)


def test_a_strange_word_among_many_makes_windows_1252_a_guess() -> None:
    """One name from elsewhere does not change the letters of all others."""
    words = [f"M{letter}ße{number}" for letter in "äöü" for number in "abcdefghij"]
    found = find_encoding(BytesIO("\n".join([*words, "Dvořák".replace("ř", "ø")]).encode("cp1252")))
    assert (found.codec, found.guessed) == ("cp1252", True)


def test_a_euro_sign_of_iso_8859_15_makes_windows_1252_a_guess() -> None:
    """It would be `¤` in the whole column of prices."""
    assert find_encoding(BytesIO("sku;Größe\n1;5 €\n".encode("iso8859-15"))).guessed


def test_a_broken_line_of_utf_8_is_refused() -> None:
    """Another encoding would spoil all of its other lines; the message names the line."""
    with pytest.raises(InvalidFileFormat, match="line 3 is not UTF-8"):
        find_encoding(BytesIO("Nr;Größe\n1;Öl\n".encode() + b"2;\xff\n" + "3;Süß\n".encode()))


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("windows-1251", "cp1251"),
        ("Windows-1251", "cp1251"),
        ("shift_jis", "shift_jis"),
        ("GBK", "gbk"),
        ("macintosh", "mac-roman"),
        ("UTF-8", "utf-8"),
        ("latin1", "iso8859-1"),
        ("ISO-8859-15", "iso8859-15"),
        ("utf 16", "utf-16"),
    ],
)
def test_encodings_have_their_usual_names(name: str, codec: str) -> None:
    """Whatever their case and punctuation."""
    assert known_encoding(name) == codec


@pytest.mark.parametrize("name", ["klingon", "base64", "rot13", "idna", "unicode_escape", "aliases", "../x", "x" * 900])
def test_what_is_no_encoding_of_files_is_refused(name: str) -> None:
    """The message names some."""
    with pytest.raises(ValueError, match="no known encoding; there are utf-8"):
        known_encoding(name)


def test_a_given_encoding_has_to_fit() -> None:
    """Otherwise texts would be lost."""
    assert find_encoding(BytesIO(b"\xef\xbb\xbfa"), "utf-8").codec == "utf-8-sig"
    with pytest.raises(InvalidFileFormat, match="its encoding is not shift_jis"):
        find_encoding(BytesIO(b"\xff\xff"), "shift_jis")

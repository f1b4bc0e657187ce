"""Files of images, as grey pixels: every type and mode, upright; bombs, damage and other files are refused."""

import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import given, strategies as st
from PIL import Image
from PIL.ExifTags import Base

from barcodesvc.errors import FileTooLarge, InvalidFileFormat
from barcodesvc.scanning.images.pixels import MOST_SCANS, grey_pixels
from tests.properties import examples
from tests.scanning.pictures.drawn_codes import codes_on
from tests.scanning.symbol_images import PAPER, file_of, on_paper, symbol, texts
from tests.sweeps import sweep

KINDS = ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP")
IMAGE = on_paper((symbol(), (100, 60)), side=400)
ORIENTATION = 0x0112
UNDONE_BY: dict[int, tuple[Image.Transpose, ...]] = {
    **dict.fromkeys((0, 1, 9, 65535), ()),
    2: (Image.Transpose.FLIP_LEFT_RIGHT,),
    3: (Image.Transpose.ROTATE_180,),
    4: (Image.Transpose.FLIP_TOP_BOTTOM,),
    5: (Image.Transpose.TRANSPOSE,),
    6: (Image.Transpose.ROTATE_90,),
    7: (Image.Transpose.TRANSVERSE,),
    8: (Image.Transpose.ROTATE_270,),
}
"""What turns an upright image into the stored one, by orientation; values other than 1 to 8 mean nothing."""
READ = "import sys; from barcodesvc.scanning.images.pixels import grey_pixels; grey_pixels(sys.stdin.buffer.read())"


def png_header(width: int, height: int) -> bytes:
    """Return a PNG file that declares this size, and contains almost nothing."""
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)), (b"IDAT", zlib.compress(b"")))
    written = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(written)


@sweep(
    ("mode", "kind", "options"),
    [
        *((mode, kind, {}) for kind in KINDS for mode in ("L", "RGB")),
        ("1", "TIFF", {"compression": "group4"}),
        ("1", "PNG", {}),
        ("1", "BMP", {}),
        ("P", "PNG", {}),
        ("P", "BMP", {}),
        ("CMYK", "JPEG", {}),
        ("CMYK", "TIFF", {}),
        ("RGB", "JPEG", {"progressive": True}),
        ("RGB", "JPEG", {"keep_rgb": True}),
        ("RGB", "WEBP", {"lossless": True}),
        ("RGB", "TIFF", {"compression": "tiff_lzw"}),
        ("RGB", "TIFF", {"compression": "jpeg"}),
        ("RGB", "TIFF", {"big_tiff": True}),
        ("YCbCr", "TIFF", {}),
        ("LAB", "TIFF", {}),
        ("I", "TIFF", {}),
        ("F", "TIFF", {}),
    ],
)
def test_every_kind_and_mode_is_read(mode: str, kind: str, options: dict[str, object]) -> None:
    """The content decides the type; one bit a pixel, palettes, four inks, floats: all of them become grey."""
    image = Image.merge("LAB", (IMAGE, IMAGE, IMAGE)) if mode == "LAB" else IMAGE.convert(mode)
    assert texts(file_of(image, kind, **options)) == ["AB-12345"]


@sweep(("mode", "order", "kind"), [("I;16", "<", "TIFF"), ("I;16B", ">", "TIFF"), ("I;16", "<", "PNG")])
@sweep("factor", [16, 257])
def test_sixteen_bits_are_stretched(mode: str, order: str, kind: str, factor: int) -> None:
    """The least value is black and the greatest white, whether 12 or 16 bits are used."""
    values = [value * factor for value in IMAGE.tobytes()]
    deep = Image.frombytes(mode, IMAGE.size, struct.pack(f"{order}{len(values)}H", *values))
    pixels = grey_pixels(file_of(deep, kind))
    assert (min(pixels.luma), max(pixels.luma)) == (0, 255)
    assert [code.text for code in codes_on(pixels)] == ["AB-12345"]


@pytest.mark.parametrize("value", [7.0, float("inf"), float("nan")])
def test_an_image_of_one_value_is_empty_paper(value: float) -> None:
    """An image without contrast shows nothing."""
    assert set(grey_pixels(file_of(Image.new("F", (20, 10), value), "TIFF")).luma) == {255}


def transparent(mode: str) -> Image.Image:
    """Return the image on a transparent ground: its light parts are transparent, and black by colour."""
    dark = IMAGE.point([255 * (value < 128) for value in range(256)])
    return Image.merge(mode, (*(Image.new("L", IMAGE.size, 0) for _ in mode[1:]), dark))


@sweep("kind", ["PNG", "WEBP", "TIFF"])
@sweep("mode", ["LA", "RGBA"])
def test_what_is_transparent_is_white(kind: str, mode: str) -> None:
    """Black on a transparent ground is black on white, as a viewer shows it."""
    assert texts(file_of(transparent(mode), kind)) == ["AB-12345"]


def test_half_transparent_ink_is_grey() -> None:
    """Ink lets the white of the paper through as far as it is transparent."""
    assert set(grey_pixels(file_of(Image.new("LA", (8, 8), (0, 128)))).luma) == {127}


@sweep(("kind", "transparency"), [("PNG", 1), ("PNG", b"\xff\x00"), ("GIF", 1)])
def test_a_palette_may_be_transparent(kind: str, transparency: int | bytes) -> None:
    """A transparent entry of the palette is white, whatever its colour."""
    image = IMAGE.point([value > 128 for value in range(256)], "L").convert("P")
    image.putpalette([0, 0, 0, 0, 0, 0])
    assert texts(file_of(image, kind, transparency=transparency)) == ["AB-12345"]


@pytest.mark.parametrize(("mode", "key"), [("L", 7), ("RGB", (7, 7, 7)), ("1", 1)])
def test_a_colour_may_be_transparent(mode: str, key: int | tuple[int, ...]) -> None:
    """A PNG may name one colour as transparent, which becomes white."""
    dark = IMAGE.point([0 if value < 128 else 7 for value in range(256)])
    image = IMAGE.convert("1") if mode == "1" else dark.convert(mode)
    assert texts(file_of(image, transparency=key)) == ["AB-12345"]


@sweep("orientation", UNDONE_BY)
@sweep("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_positions_are_those_of_the_upright_image(kind: str, orientation: int) -> None:
    """However the camera was held, a code is where a viewer shows it."""
    stored = IMAGE.crop((0, 0, 400, 300))
    expected = codes_on(grey_pixels(file_of(stored)))[0].corners
    for turn in UNDONE_BY[orientation]:
        stored = stored.transpose(turn)
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    pixels = grey_pixels(file_of(stored, kind, exif=exif))
    [code] = codes_on(pixels)
    assert (pixels.width, pixels.height) == (400, 300)
    for corner, there in zip(code.corners, expected, strict=True):
        assert abs(corner.x - there.x) <= 3
        assert abs(corner.y - there.y) <= 3


@pytest.mark.filterwarnings("ignore:Corrupt EXIF data")
@sweep("exif", [b"Exif\0\0", b"Exif\0\0garbage", b"Exif\0\0II*\0\xff\xff\xff\xff"])
@sweep("kind", ["JPEG", "PNG", "WEBP"])
def test_broken_metadata_turn_nothing(kind: str, exif: bytes) -> None:
    """An image is read even if its Exif data cannot be."""
    assert texts(file_of(IMAGE, kind, exif=exif)) == ["AB-12345"]


@pytest.mark.parametrize(("kind", "left"), [("JPEG", 60), ("PNG", 80), ("WEBP", 99)])
def test_what_pillow_warns_of_is_not_logged(kind: str, left: int) -> None:
    """Truncated metadata are the client's problem: nothing reaches standard error, where the log goes."""
    exif = Image.Exif()
    exif[Base.ImageDescription] = "long enough to be stored apart " * 2
    whole = exif.tobytes()
    content = file_of(Image.new("L", (40, 40), 255), kind, exif=whole[: len(whole) * left // 100])
    done = subprocess.run([sys.executable, "-c", READ], input=content, capture_output=True, check=True)  # noqa: S603 - this interpreter, and fixed text
    assert done.stderr == b""


@sweep("kind", ["GIF", "TIFF", "WEBP", "PNG", "MPO"])
def test_the_first_image_counts(kind: str) -> None:
    """Of animations, of documents, and of what phones append to a JPEG (MPO), only the first image is read."""
    other = on_paper((symbol(content="OTHER"), (100, 60)), side=400)
    assert texts(file_of(IMAGE, kind, save_all=True, append_images=[other])) == ["AB-12345"]


@pytest.mark.parametrize(("width", "height"), [(50_001, 1000), (1000, 50_001), (65_536, 1), (2**31 - 1, 2**31 - 1)])
def test_a_bomb_is_refused_by_its_header(width: int, height: int) -> None:
    """More than 50 megapixels, or an impossible side, are rejected before anything is unpacked."""
    with pytest.raises(FileTooLarge) as refusal:
        grey_pixels(png_header(width, height))
    assert refusal.value.details == {"width": width, "height": height}
    assert "at most 50 megapixels and 65535 pixels a side" in refusal.value.message


def test_fifty_megapixels_are_no_bomb() -> None:
    """At the limit, the pixels are missing rather than rejected."""
    with pytest.raises(InvalidFileFormat):
        grey_pixels(png_header(50_000, 1000))


def tiled_header(tile: int) -> bytes:
    """Return a TIFF file that declares a small image of square tiles with this side, and contains nothing."""
    tags = {256: 9, 257: 9, 258: 8, 259: 1, 262: 1, 322: tile, 323: tile, 324: 8, 325: 81}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
    return struct.pack("<2sHIH", b"II", 42, 8, len(tags)) + entries + bytes(4)


BOMBS: dict[str, Callable[[], bytes]] = {
    "GIF": lambda: (
        b"GIF89a" + struct.pack("<HH", 60_000, 60_000) + b"\0\0\0,\0\0\0\0" + struct.pack("<HHBB", 9, 9, 0, 2)
    ),
    "BMP": lambda: b"BM" + bytes(8) + struct.pack("<IIiiHHIIiiII", 54, 40, 60_000, 60_000, 1, 24, 0, 0, 0, 0, 0, 0),
    "TIFF": lambda: tiled_header(60_000),
    "WEBP": lambda: b"RIFF" + struct.pack("<I", 30) + b"WEBPVP8X" + struct.pack("<II", 10, 0) + b"\xfe\x3f\0\xfe\x3f\0",
}


@pytest.mark.parametrize("kind", BOMBS)
def test_bombs_of_every_kind_are_refused(kind: str) -> None:
    """No type is unpacked to find out; nor can a small image consist of tiles that are larger than any image."""
    with pytest.raises(FileTooLarge, match="tiles" if kind == "TIFF" else "at most 50 megapixels"):
        grey_pixels(BOMBS[kind]())


def test_a_jpeg_with_endless_scans_is_refused() -> None:
    """Each scan costs a pass over all pixels, in only a few bytes of the file."""
    whole = file_of(IMAGE.convert("RGB"), "JPEG", progressive=True)
    scan = whole.rindex(b"\xff\xda")
    with pytest.raises(FileTooLarge, match="scans"):
        grey_pixels(whole[:scan] + whole[scan:-2] * MOST_SCANS + b"\xff\xd9")


def in_other_kinds() -> list[bytes]:
    """Return files of types that Pillow could read besides the six."""
    kinds = ("ICO", "PPM", "TGA", "PCX", "SGI", "ICNS", "JPEG2000", "EPS", "PDF")
    return [file_of(IMAGE.convert("RGB").resize((64, 64)), kind) for kind in kinds]


@sweep("content", [b"", b"\0", b"BA", b"%PDF-1.7", b"<svg/>", b"RIFF\0\0\0\0WAVEfmt ", b"\xff\xd8", *in_other_kinds()])
def test_what_is_no_such_image_is_refused(content: bytes) -> None:
    """The refusal lists the accepted types; no other reader of Pillow runs."""
    with pytest.raises(InvalidFileFormat, match="PNG, JPEG, WebP, GIF, TIFF or BMP"):
        grey_pixels(content)


@sweep("kind", KINDS)
@sweep("kept", [0.05, 0.5, 0.9])
def test_a_truncated_image_is_refused(kind: str, kept: float) -> None:
    """A truncated image is damaged, whatever its type."""
    whole = file_of(IMAGE.convert("RGB"), kind)
    with pytest.raises(InvalidFileFormat, match=f"the {kind} image cannot be read; it is truncated or damaged"):
        grey_pixels(whole[: int(len(whole) * kept)])


WHOLE = [file_of(IMAGE.resize((60, 60)), kind) for kind in KINDS]


@pytest.mark.filterwarnings("ignore")
@examples(300)
@given(
    content=st.sampled_from(WHOLE),
    changes=st.lists(st.tuples(st.integers(0, 4000), st.binary(min_size=1, max_size=4)), min_size=1, max_size=6),
)
def test_a_damaged_image_is_read_or_refused(content: bytes, changes: list[tuple[int, bytes]]) -> None:
    """Whatever bytes change, the result is pixels or a refusal, never another exception."""
    damaged = bytearray(content)
    for index, bits in changes:
        start = index % len(damaged)
        damaged[start : start + len(bits)] = bits
    with suppress(InvalidFileFormat, FileTooLarge):
        pixels = grey_pixels(bytes(damaged))
        assert len(pixels.luma) == pixels.width * pixels.height


def test_of_a_jpeg_only_the_luma_is_decoded() -> None:
    """The grey of a JPEG is its own first component, so no colours are held in memory."""
    content = file_of(Image.merge("RGB", (IMAGE, IMAGE, Image.new("L", IMAGE.size, PAPER))), "JPEG")
    luma = Image.open(BytesIO(content))
    luma.draft("YCbCr", None)
    assert grey_pixels(content).luma == luma.getchannel("Y").tobytes()

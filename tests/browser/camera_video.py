"""Videos for the browser's fake camera: codes as the service draws them, held by an unsteady hand.

A video is YUV4MPEG2, which Chromium plays in a loop with `--use-file-for-fake-video-capture`.
"""

import random
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

import PIL.Image
from PIL import ImageFilter

SIZE = (640, 480)
"""Width and height of the picture."""
RATE = 10
"""Pictures a second."""
SECONDS = 1.5
"""How long each code is shown."""
_TABLE = 150
"""The grey behind a code."""
_BLURRED = (5, 8)
"""The pictures of a blurred clip, from its first to its last, that cannot be read."""
_UNREADABLE = 6
"""The radius of their blur, in pixels."""
_NO_COLOUR = bytes([128]) * (SIZE[0] * SIZE[1] // 2)


def camera_flags(video: Path) -> tuple[str, ...]:
    """Return the flags of a browser whose camera shows this video, and which lets the page use it."""
    shown = f"--use-file-for-fake-video-capture={video}"
    return "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", shown


def write_video(path: Path, pictures: Iterable[PIL.Image.Image]) -> Path:
    """Write pictures of SIZE, at RATE, and return the path."""
    with path.open("wb") as file:
        file.write(b"YUV4MPEG2 W%d H%d F%d:1 Ip A1:1 C420jpeg\n" % (*SIZE, RATE))
        for picture in pictures:
            file.write(b"FRAME\n" + picture.tobytes() + _NO_COLOUR)
    return path


def held(
    code: bytes, seed: int, seconds: float = SECONDS, degrees: float = 0, *, is_blurred: bool = False
) -> Iterator[PIL.Image.Image]:
    """Yield the pictures of a code, given as a PNG file, held at a tilt, moving and slightly out of focus.

    It is turned by `degrees`. Some pictures of a blurred clip show nothing that can be read.
    """
    chance = random.Random(seed)  # noqa: S311 - the same clip each time
    drawn = PIL.Image.open(BytesIO(code)).convert("L")
    tilt, speed = chance.uniform(-8, 8), (chance.uniform(-25, 25), chance.uniform(-25, 25))
    blur = chance.uniform(0.3, 0.9)
    for number in range(round(seconds * RATE)):
        time = number / RATE - seconds / 2
        turn = degrees + tilt + 2 * time
        turned = drawn.rotate(turn, PIL.Image.Resampling.BICUBIC, expand=True, fillcolor=255)
        picture = nothing()
        left, top = ((SIZE[axis] - turned.size[axis]) // 2 + round(speed[axis] * time) for axis in (0, 1))
        picture.paste(turned, (left, top))
        hides = is_blurred and _BLURRED[0] <= number <= _BLURRED[1]
        yield picture.filter(ImageFilter.GaussianBlur(_UNREADABLE if hides else blur))


def nothing() -> PIL.Image.Image:
    """Return a picture without a code."""
    return PIL.Image.new("L", SIZE, _TABLE)

"""A camera of the page that shows its next picture once the page has read the one before, at any speed of the machine.

It replaces `getUserMedia`. A video element shows its pictures, and the page reads them as those of a real camera.

Rule: each picture is shown until it is read, and moves the page's clock by STEP.
"""

import base64
import json
from collections.abc import Iterable
from io import BytesIO

import PIL.Image

from tests.browser.camera import SIZE
from tests.browser.chromium import Chromium

STEP = 125
"""Milliseconds of the page's clock from one picture to the next, as many as it waits between two."""
RATE = 1000 // STEP
"""Pictures in a second of the page's clock."""
_CAMERA = """
(() => {
  if (!navigator.mediaDevices) return;
  const [files, width, height, step] = %s;
  const clock = performance.now.bind(performance);
  const { play } = HTMLMediaElement.prototype;
  const { postMessage } = Worker.prototype;
  const { fetch } = window;
  let [stepped, since, shown, isNew, track] = [0, clock(), -1, false, null];
  performance.now = () => stepped + (track ? Math.min(clock() - since, step - 1) : clock() - since);
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');

  async function show(video) {
    isNew = false;
    shown = (shown + 1) %% files.length;
    const bytes = Uint8Array.from(atob(files[shown]), (each) => each.charCodeAt(0));
    context.drawImage(await createImageBitmap(new Blob([bytes])), 0, 0);
    video.requestVideoFrameCallback(() => { isNew = true });
    track?.requestFrame();
  }
  function restart(at) {
    [stepped, since] = [at, clock()];
  }
  navigator.mediaDevices.getUserMedia = async () => {
    const stream = canvas.captureStream(0);
    restart(performance.now());
    [track] = stream.getTracks();
    const { stop } = track;
    track.stop = function () {
      restart(performance.now());
      track = null;
      stop.call(this);
    };
    return stream;
  };
  HTMLMediaElement.prototype.play = function () {
    void show(this);
    return play.call(this);
  };
  function taken() {
    if (!isNew) return;
    restart(stepped + step);
    void show(document.querySelector('video'));
  }
  Worker.prototype.postMessage = function (message, transferred) {
    if (message.isTurned === false) taken();
    return postMessage.call(this, message, transferred);
  };
  window.fetch = (address, options) => {
    if (options?.body instanceof FormData) taken();
    return fetch(address, options);
  };
})()
"""


def show_pictures(browser: Chromium, pictures: Iterable[PIL.Image.Image]) -> None:
    """Have the camera of pages that are opened from now on show these pictures of SIZE, again and again."""
    given = json.dumps([[_jpeg(picture) for picture in pictures], *SIZE, STEP])
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=_CAMERA % given)


def _jpeg(picture: PIL.Image.Image) -> str:
    file = BytesIO()
    picture.save(file, "JPEG", quality=90)
    return base64.b64encode(file.getvalue()).decode()

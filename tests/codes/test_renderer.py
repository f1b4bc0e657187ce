import asyncio
import gc
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from barcodesvc.codes.batches import LIMIT, Batches
from barcodesvc.codes.layout import ModuleWidth
from barcodesvc.codes.renderer import Renderer
from barcodesvc.codes.rendering import BarcodeKey, Rendering, RenderKey
from barcodesvc.errors import GenerationFailure, InvalidContent, RenderOverload
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.symbols.code128 import code128
from barcodesvc.symbols.modules import Symbol
from barcodesvc.symbols.registry import find_symbology

PATIENCE = 20.0
"""Seconds after which a test that waits for a thread fails."""
MOMENT = 0.05
"""Seconds within which work that waits for a thread has begun to wait."""
REFUSED = InvalidContent("GATED: no", rule="test")


class GatedEncoder:
    """An encoder that counts its calls, records their threads and waits at a gate; then it raises `failure`.

    `failures` are raised instead for their contents, and `slow` contents have their own gates after the common one.
    """

    def __init__(self) -> None:
        self.threads: list[threading.Thread] = []
        self.contents: list[str] = []
        self.failures: dict[str, BaseException] = {}
        self.slow: dict[str, threading.Event] = {}
        self.started = threading.Event()
        self.gate = threading.Event()
        self.failure: BaseException | None = None
        self.symbology = replace(find_symbology("CODE128"), name="GATED", encode=self)

    @property
    def calls(self) -> int:
        """How often anything was encoded."""
        return len(self.threads)

    def __call__(self, content: str) -> Symbol:
        """Encode as Code 128, once the gate is open."""
        self.threads.append(threading.current_thread())
        self.contents.append(content)
        self.started.set()
        assert self.gate.wait(PATIENCE)
        assert content not in self.slow or self.slow[content].wait(PATIENCE)
        failure = self.failures.get(content, self.failure)
        if failure is not None:
            raise failure
        return code128(content)

    def key(self, content: str = "AB-12345") -> BarcodeKey:
        """Return a key that renders through this encoder."""
        return BarcodeKey(self.symbology, content, ModuleWidth(1), 10, with_text=False)

    async def wait_for_start(self) -> None:
        """Wait until a thread waits at the gate."""
        assert await asyncio.to_thread(self.started.wait, PATIENCE)


async def _rendered(renderer: Renderer, key: RenderKey) -> Rendering:
    """Return the rendering of the key as the service gets it: from the cache, or drawn."""
    return renderer.cached(key) or await renderer.draw(key)


@pytest.fixture
def encoder() -> Iterator[GatedEncoder]:
    """Return an encoder whose gate is closed; it is opened at the end, so that no thread remains."""
    gated = GatedEncoder()
    yield gated
    gated.gate.set()


@pytest.fixture
async def renderer(encoder: GatedEncoder) -> AsyncIterator[Renderer]:
    """Return a renderer with room for 50 renders and a cache of a megabyte."""
    renderer = Renderer(queue=50, cache_bytes=1_000_000)
    yield renderer
    encoder.gate.set()
    await renderer.close()


async def _cancel(task: asyncio.Task[Rendering]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_cached_key_is_not_rendered_again(renderer: Renderer, encoder: GatedEncoder) -> None:
    """A rendering is what its key renders; an equal key gets the same bytes without any work."""
    encoder.gate.set()
    first = await _rendered(renderer, encoder.key())
    assert await _rendered(renderer, encoder.key()) is first
    assert encoder.calls == 1
    assert encoder.key().render() == first


async def test_simultaneous_requests_for_one_key_render_once(renderer: Renderer, encoder: GatedEncoder) -> None:
    """200 callers, more than the queue has room for, share one render and get the same object."""
    callers = [asyncio.create_task(_rendered(renderer, encoder.key())) for _ in range(200)]
    await encoder.wait_for_start()
    encoder.gate.set()
    renderings = await asyncio.gather(*callers)
    assert {id(rendering) for rendering in renderings} == {id(renderings[0])}
    assert encoder.calls == 1


@pytest.mark.parametrize("leaver", [0, 4])
async def test_a_caller_that_disconnects_affects_no_other(
    renderer: Renderer, encoder: GatedEncoder, leaver: int
) -> None:
    """Whether the first or the last caller is cancelled, the others get the one rendering."""
    callers = [asyncio.create_task(_rendered(renderer, encoder.key())) for _ in range(5)]
    await encoder.wait_for_start()
    await _cancel(callers.pop(leaver))
    encoder.gate.set()
    renderings = await asyncio.gather(*callers)
    assert len(renderings) == 4
    assert encoder.calls == 1


async def test_a_render_without_callers_is_finished_and_kept(renderer: Renderer, encoder: GatedEncoder) -> None:
    """After all callers have disconnected, the next one finds the result in the cache."""
    caller = asyncio.create_task(_rendered(renderer, encoder.key()))
    await encoder.wait_for_start()
    await _cancel(caller)
    encoder.gate.set()
    await renderer.close()
    assert renderer.cached(encoder.key()) is not None
    assert encoder.calls == 1


async def test_a_failure_without_callers_is_silent(renderer: Renderer, encoder: GatedEncoder) -> None:
    """Nothing is reported, neither by the loop nor when the task is collected."""
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    encoder.failure = REFUSED
    caller = asyncio.create_task(_rendered(renderer, encoder.key()))
    await encoder.wait_for_start()
    await _cancel(caller)
    encoder.gate.set()
    await renderer.close()
    del caller
    gc.collect()
    assert complaints == []


async def test_every_waiter_gets_the_failure_and_none_is_kept(renderer: Renderer, encoder: GatedEncoder) -> None:
    """A refusal reaches all waiting callers; the next request tries again."""
    encoder.failure = REFUSED
    callers = [asyncio.create_task(_rendered(renderer, encoder.key())) for _ in range(5)]
    await encoder.wait_for_start()
    encoder.gate.set()
    assert await asyncio.gather(*callers, return_exceptions=True) == [REFUSED] * 5
    assert renderer.cached(encoder.key()) is None
    encoder.failure = None
    await _rendered(renderer, encoder.key())
    assert encoder.calls == 2


@pytest.mark.parametrize("failure", [ValueError("secret"), MemoryError()], ids=repr)
async def test_an_unexpected_failure_is_logged_and_hidden(
    renderer: Renderer, encoder: GatedEncoder, failure: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """The caller gets a GenerationFailure without details, the log gets the cause."""
    encoder.failure = failure
    encoder.gate.set()
    with pytest.raises(GenerationFailure, match=r"^the code could not be rendered$") as refusal:
        await _rendered(renderer, encoder.key())
    assert (refusal.value.status, refusal.value.details, refusal.value.__cause__) == (500, {}, failure)
    (record,) = caplog.records
    assert (record.levelno, record.exc_info and record.exc_info[1]) == (logging.ERROR, failure)


async def test_a_full_queue_refuses_with_retry_after(encoder: GatedEncoder) -> None:
    """Beyond its limit a new key is refused at once; keys in progress can be joined, and room becomes free."""
    renderer = Renderer(queue=3, cache_bytes=1_000_000)
    waiting = [asyncio.create_task(_rendered(renderer, encoder.key(str(number)))) for number in (1, 2, 3)]
    await encoder.wait_for_start()
    with pytest.raises(RenderOverload, match="try again") as refusal:
        await _rendered(renderer, encoder.key("4"))
    assert (refusal.value.status, refusal.value.headers) == (503, {"Retry-After": "1"})
    waiting.append(asyncio.create_task(_rendered(renderer, encoder.key("1"))))
    encoder.gate.set()
    await asyncio.gather(*waiting)
    await _rendered(renderer, encoder.key("4"))
    assert encoder.calls == 4
    await renderer.close()


class CountedThreads(WorkerThreads):
    """Threads that count how often they get work."""

    starts = 0

    def start(self, work: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
        """Count, and give the work to a thread."""
        self.starts += 1
        return super().start(work, *arguments)


async def _batches_of(encoder: GatedEncoder, keys: int, steady: Callable[[], float]) -> int:
    """Render keys that all wait at the start, and return how many batches they were."""
    threads = CountedThreads("render", 1)
    batches = Batches(threads, steady)
    waiting = [batches.render(encoder.key(str(number))) for number in range(keys)]
    encoder.gate.set()
    await asyncio.gather(*waiting)
    await threads.close()
    assert encoder.contents == [str(number) for number in range(keys)]
    return threads.starts


async def test_a_thread_takes_several_keys_in_one_batch(encoder: GatedEncoder) -> None:
    """While its time is not over, it renders those that wait, in order and without the loop."""
    assert await _batches_of(encoder, 16, lambda: encoder.calls * LIMIT / 7.5) == 2


async def test_a_batch_that_takes_long_ends_with_its_key(encoder: GatedEncoder) -> None:
    """No further key is started once the batch's time is over."""
    assert await _batches_of(encoder, 3, count().__next__) == 3


async def test_a_key_that_comes_while_the_only_batch_ends_is_rendered(encoder: GatedEncoder) -> None:
    """A request that arrives when the thread takes no more keys is rendered without another request."""
    loop = asyncio.get_running_loop()
    later: list[asyncio.Task[Rendering]] = []
    renderer = Renderer(queue=50, cache_bytes=0, steady=count().__next__)

    def ask_and_encode(content: str) -> Symbol:
        loop.call_soon_threadsafe(lambda: later.append(loop.create_task(_rendered(renderer, encoder.key("second")))))
        return code128(content)

    encoder.gate.set()
    await _rendered(
        renderer, replace(encoder.key("first"), symbology=replace(encoder.symbology, encode=ask_and_encode))
    )
    async with asyncio.timeout(PATIENCE):
        assert await later[0] == encoder.key("second").render()
    await renderer.close()


@pytest.mark.parametrize("failure", [REFUSED, SystemExit(1), StopIteration()], ids=repr)
async def test_a_key_that_fails_harms_no_other_of_its_batch(
    renderer: Renderer, encoder: GatedEncoder, failure: BaseException
) -> None:
    """Those before it and after it are rendered, whatever it raises."""
    encoder.failures["1"] = failure
    waiting = [asyncio.create_task(_rendered(renderer, encoder.key(str(number)))) for number in range(3)]
    await encoder.wait_for_start()
    encoder.gate.set()
    first, second, third = await asyncio.gather(*waiting, return_exceptions=True)
    assert (first, third) == (encoder.key("0").render(), encoder.key("2").render())
    assert isinstance(second, InvalidContent if failure is REFUSED else GenerationFailure)


async def test_what_a_batch_has_done_is_handed_out_while_it_goes_on(encoder: GatedEncoder) -> None:
    """A quick key gets its rendering before a slow one after it has finished, however late the thread begins."""
    renderer = Renderer(queue=50, cache_bytes=1_000_000, steady=lambda: 0)
    encoder.slow["slow"] = threading.Event()
    quick, slow = (asyncio.create_task(_rendered(renderer, encoder.key(content))) for content in ("quick", "slow"))
    await encoder.wait_for_start()
    await asyncio.wait([quick], timeout=MOMENT)
    encoder.gate.set()
    await quick
    assert not slow.done()
    encoder.slow["slow"].set()
    await slow
    await renderer.close()


async def test_a_second_thread_renders_while_a_key_is_slow(encoder: GatedEncoder) -> None:
    """What BARCODESVC_RENDER_THREADS asks for; a key that one thread has taken is no other's."""
    renderer = Renderer(queue=50, cache_bytes=1_000_000, threads=2)
    encoder.slow["slow"] = threading.Event()
    encoder.gate.set()
    slow = asyncio.create_task(_rendered(renderer, encoder.key("slow")))
    await encoder.wait_for_start()
    await _rendered(renderer, encoder.key("quick"))
    assert not slow.done()
    encoder.slow["slow"].set()
    await slow
    assert encoder.contents == ["slow", "quick"]
    await renderer.close()


async def test_a_lone_key_waits_for_no_other(encoder: GatedEncoder) -> None:
    """The thread begins it before the event loop does anything else, and it is handed out although no batch is full."""
    threads = WorkerThreads("render", 1)
    encoder.gate.set()
    alone = Batches(threads, lambda: 0).render(encoder.key())
    assert encoder.started.wait(PATIENCE)
    async with asyncio.timeout(PATIENCE):
        assert await alone == encoder.key().render()
    await threads.close()


async def test_a_client_that_never_stops_asking_delays_another_by_its_share(encoder: GatedEncoder) -> None:
    """A key waits for no more keys of another client than that had waiting before it, however many come later."""
    renderer = Renderer(queue=6, cache_bytes=0)

    async def ask_without_end(first: int) -> None:
        for number in range(first, 300, 10):
            with suppress(RenderOverload):
                await renderer.draw(encoder.key(f"greedy {number}"), "greedy")

    greedy = [asyncio.create_task(ask_without_end(first)) for first in range(10)]
    await encoder.wait_for_start()
    modest = asyncio.create_task(renderer.draw(encoder.key("modest"), "modest"))
    asyncio.get_running_loop().call_soon(encoder.gate.set)  # after it has begun to wait
    await asyncio.gather(modest, *greedy)
    assert encoder.contents.index("modest") == renderer.share == 3
    await renderer.close()


async def test_a_pool_that_cannot_begin_fails_what_waits(
    renderer: Renderer, encoder: GatedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the system has no thread left, each key gets a failure, and none waits forever."""

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    waiting = [asyncio.create_task(_rendered(renderer, encoder.key(str(number)))) for number in range(20)]
    outcomes = await asyncio.gather(*waiting, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {GenerationFailure}
    assert renderer.under_way == 0
    monkeypatch.undo()
    encoder.gate.set()
    again = [asyncio.create_task(_rendered(renderer, encoder.key(str(number)))) for number in range(20)]
    assert {type(outcome) for outcome in await asyncio.gather(*again)} == {Rendering}


async def test_failures_give_their_slot_in_the_queue_back(encoder: GatedEncoder) -> None:
    """Refused keys do not fill the queue permanently."""
    renderer = Renderer(queue=1, cache_bytes=0)
    encoder.failure = REFUSED
    encoder.gate.set()
    for number in range(5):
        with pytest.raises(InvalidContent):
            await _rendered(renderer, encoder.key(str(number)))
    await renderer.close()


async def test_close_finishes_what_is_under_way(renderer: Renderer, encoder: GatedEncoder) -> None:
    """A started render is delivered; a new one is refused with Retry-After; cached ones stay available."""
    caller = asyncio.create_task(_rendered(renderer, encoder.key()))
    await encoder.wait_for_start()
    closing = asyncio.create_task(renderer.close())
    await asyncio.wait([closing], timeout=MOMENT)
    with pytest.raises(RenderOverload, match="shutting down") as refusal:
        await _rendered(renderer, encoder.key("later"))
    assert "Retry-After" in refusal.value.headers
    assert not closing.done()
    encoder.gate.set()
    await closing
    assert await caller is renderer.cached(encoder.key())
    assert not any(thread.is_alive() for thread in encoder.threads)


async def test_regression_an_impatient_shutdown_cancels_no_render(renderer: Renderer, encoder: GatedEncoder) -> None:
    """Cancelling close() does not cancel its callers' renderings."""
    caller = asyncio.create_task(_rendered(renderer, encoder.key()))
    await encoder.wait_for_start()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(renderer.close(), MOMENT)
    encoder.gate.set()
    assert await caller is renderer.cached(encoder.key())


def test_a_loop_that_ends_cancels_quietly(encoder: GatedEncoder) -> None:
    """An event loop that is closed during a render reports nothing, and the thread ends by itself."""
    complaints: list[dict[str, Any]] = []

    async def leave_in_the_middle() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        renderer = Renderer(queue=1, cache_bytes=0)
        caller = asyncio.create_task(_rendered(renderer, encoder.key()))
        await encoder.wait_for_start()
        assert not caller.done()

    asyncio.run(leave_in_the_middle())
    encoder.gate.set()
    gc.collect()
    assert complaints == []

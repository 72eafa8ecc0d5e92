"""The queue of one socket: in order, bounded, and woken when it ends."""

from __future__ import annotations

import asyncio

import pytest

from controlroom.gateway.outbox import DROP_ABOVE, WAIT_ABOVE, Outbox


async def written(outbox: Outbox) -> list[bytes]:
    """Everything that comes out until the end."""
    frames: list[bytes] = []

    async def write(frame: bytes) -> None:
        frames.append(frame)

    await outbox.write_all(write)
    return frames


async def test_frames_come_out_in_order() -> None:
    outbox = Outbox()
    for number in range(5):
        assert await outbox.put(b"%d" % number)
    outbox.end()
    assert await written(outbox) == [b"0", b"1", b"2", b"3", b"4"]
    assert outbox.size == 0


async def test_a_sender_waits_while_it_is_full() -> None:
    outbox = Outbox()
    await outbox.put(b"x" * WAIT_ABOVE)
    async with asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(outbox.put(b"next"))
        await asyncio.sleep(0)
        assert not waiting.done()
        writer = tasks.create_task(written(outbox))
        assert await waiting
        outbox.end()
    assert writer.result() == [b"x" * WAIT_ABOVE, b"next"]


async def test_a_push_waits_for_nobody() -> None:
    outbox = Outbox()
    assert outbox.offer(b"x" * DROP_ABOVE)
    assert not outbox.offer(b"y")


@pytest.mark.parametrize("discard", [True, False])
async def test_the_end_wakes_senders_and_takes_nothing_more(discard: bool) -> None:
    outbox = Outbox()
    await outbox.put(b"x" * WAIT_ABOVE)
    async with asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(outbox.put(b"late"))
        await asyncio.sleep(0)
        outbox.end(discard=discard)
    assert waiting.result() is False
    assert await outbox.put(b"later") is False
    assert outbox.offer(b"later") is False
    assert await written(outbox) == ([] if discard else [b"x" * WAIT_ABOVE])
    await outbox.flushed()


async def test_what_is_discarded_while_it_is_written_is_counted_once() -> None:
    outbox = Outbox()
    await outbox.put(b"one")
    await outbox.put(b"two")

    async def write(frame: bytes) -> None:
        outbox.end(discard=True)

    await outbox.write_all(write)
    assert outbox.size == 0


async def test_an_error_of_the_socket_leaves_the_writer() -> None:
    outbox = Outbox()
    await outbox.put(b"one")

    async def write(frame: bytes) -> None:
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await outbox.write_all(write)

from concurrent.futures import Future

import pytest

from inspector.ingest import IntakeFull
from inspector.ingest.request_queue import RequestQueue, WaitingRequest
from inspector.otlp import Decoded


def waiting(size):
    return WaitingRequest(Decoded, size, Future())


def test_a_request_that_is_taken_leaves_room_for_another_of_its_size():
    queue = RequestQueue(most_bytes=10)
    first, second = waiting(6), waiting(4)
    queue.put(first)
    queue.put(second)
    with pytest.raises(IntakeFull, match="too many spans are waiting"):
        queue.put(waiting(6))
    assert queue.take(wait=True) is first
    queue.put(waiting(6))
    with pytest.raises(IntakeFull, match="too many spans are waiting"):
        queue.put(waiting(1))


def test_a_queue_that_was_cleared_has_room_for_all_again():
    queue = RequestQueue(most=2, most_bytes=10)
    requests = [waiting(5), waiting(5)]
    for request in requests:
        queue.put(request)
    assert queue.clear() == requests
    for request in requests:
        queue.put(request)
    assert queue.clear() == requests


def test_a_closed_queue_hands_out_what_waits_and_then_nothing():
    queue = RequestQueue()
    request = waiting(1)
    queue.put(request)
    queue.close()
    with pytest.raises(IntakeFull, match="shutting down"):
        queue.put(waiting(1))
    assert [queue.take(wait=True), queue.take(wait=True)] == [request, None]

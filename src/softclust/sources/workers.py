"""Crews: actors that hold shards, one on each worker of a cluster, and skip the scheduler's planning.

The scheduler plans, sends, reports and releases every task: 12 ms or more a pass, as long as a pass over
some hundred MB takes.  A holder is an actor of dask and answers in 3 ms.  A holder is lost with its worker;
a new crew then makes the pass again from the origin of the rows.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from distributed import wait
from distributed.protocol import pickle

from softclust.compat.dask import address_of, ask_directly, on_the_loop_of

_PATIENCE = 2.0  # s without an answer, after which the crew checks that its holders are still there
_MOST_DIRECT = 256  # connections to workers; a client has 512


class Holder:
    """An actor that holds the shards of one worker, with weights or None for each shard.

    It has as many threads as the worker.
    """

    def __init__(self, threads: int, shards: list[Any], weights: list[Any]) -> None:
        self.shards, self.weights = shards, weights
        self.threads = ThreadPoolExecutor(threads) if min(threads, len(shards)) > 1 else None

    def serve(self, call: bytes, details: bytes) -> bytes:
        """Return the results of the call for all shards and their details, pickled as one piece.

        One piece travels faster than several.
        """
        each = map if self.threads is None else self.threads.map
        results = each(pickle.loads(call), pickle.loads(details), self.shards, self.weights)
        return pickle.dumps(list(results))


@contextmanager
def _losses() -> Iterator[None]:
    """Turn RuntimeError, which dask raises for an actor whose worker is gone, into OSError."""
    try:
        yield
    except RuntimeError as error:
        raise OSError(str(error)) from error


def _let_go(client: Any, futures: list[Any]) -> None:
    """Cancel the futures.  Do not wait: a finalizer may run on any thread."""
    if client.status == "running":
        client.loop.add_callback(client.cancel, futures, asynchronous=True)


async def _is_near(client: Any, addresses: list[str]) -> bool:
    """Tell whether the client can talk to these workers directly.

    If there are many workers, or if they are behind a firewall, only the scheduler can.
    """
    if len(addresses) > _MOST_DIRECT:
        return False
    try:
        calls = (client.rpc(address).identity() for address in addresses)
        await asyncio.wait_for(asyncio.gather(*calls), _PATIENCE)
    except (OSError, TimeoutError):
        return False
    return True


class Crew:
    """The holders of all shards; the shards are futures of a client."""

    def __init__(self, client: Any, shards: list[Any], weights: list[Any]) -> None:
        """Start a holder on each worker that has shards; wait for the shards first."""
        self.client = client
        held = [future for future in (*shards, *weights) if future is not None]
        for future in wait(held).done:
            if future.status == "error":
                future.result()  # raises the error of the task
        holds, threads = client.who_has(shards), client.nthreads()
        places: dict[str, list[int]] = {}
        for place, shard in enumerate(shards):
            if not (where := holds[shard.key]):
                raise OSError(f"shard {place} was lost before a pass")
            places.setdefault(where[0], []).append(place)
        self.places = list(places.values())
        # Allow other workers: nobody should wait for a worker that is lost at this moment.
        self.futures = [
            client.submit(
                Holder, threads.get(address, 1), [shards[k] for k in mine], [weights[k] for k in mine],
                actor=True, pure=False, workers=[address], allow_other_workers=True,
            )
            for address, mine in places.items()
        ]  # fmt: skip
        # Cancel the futures together with the crew.  The proxy of an actor would keep the actor, and so
        # the rows, until the next garbage collection.
        weakref.finalize(self, _let_go, client, self.futures).atexit = False
        with _losses():
            self.holders = client.gather(self.futures)
        if client.sync(_is_near, client, [address_of(holder) for holder in self.holders]):
            for holder in self.holders:
                ask_directly(holder, client)

    def serve(self, call: Callable[..., Any], details: list[Any]) -> list[Any]:
        """Return the results of the call for each shard and its details, in the order of the shards."""
        # Send bytes: an object that cannot be pickled fails here, and an object that cannot be read fails
        # on the worker, with an answer.
        asked, message = [], pickle.dumps(call)
        for mine, holder in zip(self.places, self.holders, strict=True):
            own = pickle.dumps([details[place] for place in mine])
            with _losses():
                asked.append(holder.serve(message, own))
        results: list[Any] = [None] * len(details)
        answers = on_the_loop_of(self.holders[0], self._answers, asked)
        for mine, answer in zip(self.places, answers, strict=True):
            for place, result in zip(mine, pickle.loads(answer), strict=True):
                results[place] = result
        return results

    async def _answers(self, asked: list[Any]) -> list[bytes]:
        """Return the answers of all holders, in their order; raise OSError if a worker was lost."""
        every = asyncio.gather(*asked)
        while not (await asyncio.wait([every], timeout=_PATIENCE))[0]:
            if any(future.status != "finished" for future in self.futures):
                every.cancel()
                raise OSError("a worker that held rows was lost")
        return every.result()

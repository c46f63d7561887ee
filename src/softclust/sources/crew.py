"""Holders of shards, one on each worker of a cluster, asked without the scheduler's planning.

A task is planned, sent, reported and given up by the scheduler: 12 ms or more a pass, as long as a pass
over some hundred MB takes.  A holder is an actor of dask and answers in 3.  It goes with its worker; the
pass is then made again from what rows are read from, by a new crew.
"""

from __future__ import annotations

import asyncio
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from distributed import wait
from distributed.protocol import pickle

from softclust.compat.dask import address_of, ask_directly

_PATIENCE = 2.0  # s without an answer, after which one looks whether the holder is still there
_MOST_DIRECT = 256  # connections: a client has 512


class Holder:
    """The shards that a worker has, with weights or None for each, and as many threads as it has."""

    def __init__(self, threads, shards, weights):
        self.shards, self.weights = shards, weights
        self.threads = ThreadPoolExecutor(threads) if min(threads, len(shards)) > 1 else None

    def serve(self, call, details):
        """What the call gives for each shard, from its details; as one piece, which travels faster."""
        each = map if self.threads is None else self.threads.map
        results = each(pickle.loads(call), pickle.loads(details), self.shards, self.weights)
        return pickle.dumps(list(results))


@contextmanager
def _losses():
    """RuntimeError is dask's word for an actor whose worker is gone."""
    try:
        yield
    except RuntimeError as error:
        raise OSError(str(error)) from error


def _let_go(client, futures):
    """Without waiting, for nobody knows which thread this is."""
    if client.status == "running":
        client.loop.add_callback(client.cancel, futures, asynchronous=True)


async def _is_near(client, addresses):
    """Whether one can talk to these workers oneself; to many, or behind a wall, only the scheduler can."""
    if len(addresses) > _MOST_DIRECT:
        return False
    try:
        calls = (client.rpc(address).identity() for address in addresses)
        await asyncio.wait_for(asyncio.gather(*calls), _PATIENCE)
    except (OSError, TimeoutError):
        return False
    return True


class Crew:
    """Holders of all shards, which are futures of a client."""

    def __init__(self, client, shards, weights):
        self.client = client
        held = [future for future in (*shards, *weights) if future is not None]
        for future in wait(held).done:
            if future.status == "error":
                future.result()  # says why
        holds, threads = client.who_has(shards), client.nthreads()
        places: dict[str, list[int]] = {}
        for place, shard in enumerate(shards):
            if not (where := holds[shard.key]):
                raise OSError(f"shard {place} was lost before a pass")
            places.setdefault(where[0], []).append(place)
        self.places = list(places.values())
        # Elsewhere if need be: a worker that is lost now must not be waited for.
        self.futures = [
            client.submit(
                Holder, threads.get(address, 1), [shards[k] for k in mine], [weights[k] for k in mine],
                actor=True, pure=False, workers=[address], allow_other_workers=True,
            )
            for address, mine in places.items()
        ]  # fmt: skip
        # What calls an actor keeps a hold of it until a search for garbage, and so of the rows.
        weakref.finalize(self, _let_go, client, self.futures).atexit = False
        with _losses():
            self.holders = client.gather(self.futures)
        if client.sync(_is_near, client, [address_of(holder) for holder in self.holders]):
            for holder in self.holders:
                ask_directly(holder, client)

    def serve(self, call, details):
        """What the call gives for each shard and its details, in their order."""
        # As bytes: what cannot be sent fails here, and what cannot be read fails there with an answer.
        asked, message = [], pickle.dumps(call)
        for mine, holder in zip(self.places, self.holders, strict=True):
            own = pickle.dumps([details[place] for place in mine])
            with _losses():
                asked.append(holder.serve(message, own))
        results = [None] * len(details)
        for mine, answer in zip(self.places, self.client.sync(self._answers, asked), strict=True):
            for place, result in zip(mine, pickle.loads(answer), strict=True):
                results[place] = result
        return results

    async def _answers(self, asked):
        """Of all holders, in their order."""
        every = asyncio.gather(*asked)
        while not (await asyncio.wait([every], timeout=_PATIENCE))[0]:
            if any(future.status != "finished" for future in self.futures):
                every.cancel()
                raise OSError("a worker that held rows was lost")
        return every.result()

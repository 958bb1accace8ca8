import asyncio

import numpy as np
import ray
from ray.util import ActorPool


@ray.remote
class Counter:
    def __init__(self, start_at):
        self.count = start_at

    def add(self, amount):
        self.count += amount
        return self.count

    def sum(self, values):
        return float(values.sum())

    def squares(self, end):
        for value in range(1, end + 1):
            yield value * value


@ray.remote
class Meeting:
    def __init__(self):
        self.waiting = []

    async def join(self, size):
        here = asyncio.Event()
        self.waiting.append(here)
        if len(self.waiting) == size:
            for other in self.waiting:
                other.set()
        await here.wait()
        return "met"


def actors():
    counter = Counter.remote(10)
    first = ray.get(counter.add.remote(1))
    following = ray.get([counter.add.remote(1), counter.add.remote(1), counter.add.remote(1)])

    total = ray.get(counter.sum.remote(np.array([0.5, 1, 1.5])))

    squares = counter.squares.options(num_returns="streaming").remote(4)
    streamed = [ray.get(item) for item in squares]

    named = Counter.options(name="tally", get_if_exists=True, num_cpus=0.5)
    tally = named.remote(100)
    same = named.remote(0)
    ray.get(same.add.remote(5))
    found = ray.get(ray.get_actor("tally").add.remote(1))
    ray.kill(tally)

    meeting = Meeting.options(max_concurrency=2).remote()
    met = ray.get([meeting.join.remote(2), meeting.join.remote(2)])

    pool = ActorPool([Counter.remote(0), Counter.remote(0)])
    pooled = list(pool.map(lambda actor, amount: actor.sum.remote(np.array([amount, 1.0])), [1, 2, 3]))
    pool.submit(lambda actor, _: actor.sum.remote(np.array([4.0])), None)
    pooled.append(pool.get_next())
    return {
        "first": first,
        "next": following,
        "sum": total,
        "streamed": streamed,
        "found": found,
        "met": met,
        "pooled": pooled,
    }

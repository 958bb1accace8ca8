"""Ray's side of ray.ts: answers each line of JSON with one, for as long as there are lines."""

import json
import sys
import time

BEGAN = time.perf_counter()

import numpy as np  # noqa: E402
import ray  # noqa: E402
from ray.util.placement_group import placement_group, remove_placement_group  # noqa: E402

ray.init(
    num_cpus=4,
    include_dashboard=False,
    log_to_driver=False,
    configure_logging=False,
    object_store_memory=2_000_000_000,
    _plasma_directory=sys.argv[1] if len(sys.argv) > 1 else None,
)
IN_FLIGHT = 1_000
BYTES = np.ones(100_000_000, dtype=np.uint8)


@ray.remote
def echo(value):
    return value


@ray.remote(num_cpus=0)
class Echo:
    def echo(self, value):
        return value


@ray.remote(num_cpus=0)
class Caller:
    def burst(self, targets, count):
        ray.get([targets[index % len(targets)].echo.remote("ok") for index in range(count)])


ACTOR = Echo.remote()
ray.get(ACTOR.echo.remote("ok"))
FIRST_CALL_MS = (time.perf_counter() - BEGAN) * 1000
TARGETS = []
CALLERS = []
LARGE = ray.put(BYTES)
MEDIUM = ray.put(BYTES[: 1024 * 1024])
THOUSAND = [ray.put("ok") for _ in range(1_000)]


def many(remote):
    ray.get([remote("ok") for _ in range(IN_FLIGHT)])
    return IN_FLIGHT


def crowd():
    if not CALLERS:
        TARGETS.extend(Echo.remote() for _ in range(2))
        CALLERS.extend(Caller.remote() for _ in range(2))
    ray.get([caller.burst.remote(TARGETS, IN_FLIGHT) for caller in CALLERS])
    return IN_FLIGHT * len(CALLERS)


def one(act):
    act()
    return 1


def actors():
    handles = [Echo.remote() for _ in range(8)]
    ray.get([handle.echo.remote("ok") for handle in handles])
    for handle in handles:
        ray.kill(handle)
    return 8


def groups(count):
    created = [placement_group([{"CPU": 0.01}]) for _ in range(count)]
    for group in created:
        group.wait(60)
    for group in created:
        remove_placement_group(group)
    return count


def put_large():
    ray.put(BYTES)
    return BYTES.nbytes


def get_large():
    ray.get(LARGE)
    return BYTES.nbytes


def read_large():
    # One word of each page.
    if ray.get(LARGE).view(np.float64)[::512].sum() == 0:
        raise RuntimeError("nothing was read")
    return BYTES.nbytes


CASES = {
    "1:1 calls, each awaited": lambda: one(lambda: ray.get(ACTOR.echo.remote("ok"))),
    "1:1 calls, 1,000 in flight": lambda: many(ACTOR.echo.remote),
    "2:2 calls, 1,000 in flight each": crowd,
    "tasks, each awaited": lambda: one(lambda: ray.get(echo.remote("ok"))),
    "tasks, 1,000 in flight": lambda: many(echo.remote),
    "put small": lambda: one(lambda: ray.put("ok")),
    "put 64 KiB": lambda: one(lambda: ray.put(BYTES[: 64 * 1024])),
    "put 256 KiB": lambda: one(lambda: ray.put(BYTES[: 256 * 1024])),
    "put 1 MiB": lambda: one(lambda: ray.put(BYTES[: 1024 * 1024])),
    "put 100 MB": put_large,
    "get 100 MB": get_large,
    "get 100 MB into a buffer": get_large,
    "get 100 MB and read it": read_large,
    "get 100 MB into shared memory": get_large,
    "get 1 MiB": lambda: one(lambda: ray.get(MEDIUM)),
    "get 1 MiB into shared memory": lambda: one(lambda: ray.get(MEDIUM)),
    "wait on 1,000 references": lambda: one(lambda: ray.wait(THOUSAND, num_returns=1_000)),
    "actors created and called, 8 at once": actors,
    "actors created and called, 8 at once, without rest": actors,
    "light actors created and called, 8 at once": actors,
    "placement group created, ready, removed": lambda: groups(1),
    "placement groups created, ready, removed, 100 at once": lambda: groups(100),
}

for line in sys.stdin:
    question = json.loads(line)
    if question["name"] == "version":
        print(json.dumps({"version": ray.__version__, "firstCallMs": FIRST_CALL_MS}), flush=True)
        continue
    once = CASES[question["name"]]
    began = time.perf_counter()
    while time.perf_counter() - began < question.get("drainMs", 0) / 1000:
        once()
    began = time.perf_counter()
    total = 0
    while True:
        total += once()
        took = time.perf_counter() - began
        if took >= question["windowMs"] / 1000:
            break
    print(json.dumps({"rate": total / took}), flush=True)

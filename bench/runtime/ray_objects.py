"""Ray's side of objects.ts: answers each line of JSON with one, for as long as there are lines."""

import numpy as np
import ray
from ray_window import serve

ray.init(num_cpus=2, log_to_driver=False, configure_logging=False, object_store_memory=2_000_000_000)
BYTES = np.ones(100_000_000, dtype=np.uint8)
SMALL = np.ones(64 * 1024, dtype=np.uint8)
MIDDLE = np.ones(256 * 1024, dtype=np.uint8)
LARGE = ray.put(BYTES)
THOUSAND = [ray.put("ok") for _ in range(1_000)]


def put(value, amount):
    def once():
        ray.put(value)
        return amount

    return once


def get():
    ray.get(LARGE)
    return 100_000_000


def wait():
    ray.wait(THOUSAND, num_returns=1_000)
    return 1


CASES = {
    "put small": put("ok", 1),
    "put 64 KiB": put(SMALL, 1),
    "put 256 KiB": put(MIDDLE, 1),
    "put 100 MB": put(BYTES, 100_000_000),
    "get 100 MB": get,
    "wait on 1,000 references": wait,
}

serve(CASES)

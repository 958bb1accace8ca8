import numpy as np
import ray


def values():
    ref = ray.put({"name": "x", "sizes": [1, 2]})
    value = ray.get(ref)

    refs = [ray.put(number) for number in [10, 20, 30]]
    numbers = ray.get(refs)
    ready, pending = ray.wait(refs, num_returns=2, timeout=10)

    large = ray.put(np.full(1_000_000, 0.5))
    total = float(ray.get(large).sum())

    del large
    return {"value": value, "numbers": numbers, "waited": [len(ready), len(pending)], "sum": total}

import os
import tempfile

import ray


@ray.remote
def square(value):
    return value * value


@ray.remote
def count_to(end):
    for value in range(1, end + 1):
        yield value


@ray.remote
def fibonacci(n):
    if n < 2:
        return n
    one, two = ray.get([fibonacci.remote(n - 1), fibonacci.remote(n - 2)])
    return one + two


@ray.remote(max_retries=3, retry_exceptions=True)
def flaky(path):
    with open(path, "a") as file:
        file.write("x")
    tries = os.path.getsize(path)
    if tries < 3:
        raise RuntimeError(f"try {tries}")
    return tries


@ray.remote
def compute_forever():
    while True:
        pass


def tasks():
    one = ray.get(square.remote(7))
    squares = ray.get([square.remote(value) for value in [1, 2, 3]])

    light = square.options(num_cpus=0.5, max_retries=0)
    lightly = ray.get(light.remote(4))

    items = [ray.get(item) for item in count_to.remote(3)]

    nested = ray.get(fibonacci.remote(4))

    with tempfile.TemporaryDirectory() as folder:
        tries = ray.get(flaky.remote(os.path.join(folder, "tries")))

    endless = compute_forever.options(max_retries=0).remote()
    quick = square.remote(9)
    ready, pending = ray.wait([endless, quick], num_returns=1)
    waited = [len(ready), len(pending), ray.get(ready[0])]

    ray.cancel(endless, force=True)
    try:
        ray.get(endless)
        cancelled = False
    except ray.exceptions.RayError:
        cancelled = True
    return {
        "one": one,
        "squares": squares,
        "lightly": lightly,
        "items": items,
        "nested": nested,
        "tries": tries,
        "waited": waited,
        "cancelled": cancelled,
    }

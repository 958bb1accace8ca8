"""Ray's side of ../runtime.ts: answers each line of JSON with the figures of that case, under the same names."""

import json
import sys
import time

import ray

ray.init(num_cpus=2, log_to_driver=False, configure_logging=False)
WINDOW = 2.0
IN_FLIGHT = 1_000
REST = 2.5


@ray.remote
def echo(value):
    return value


@ray.remote(num_cpus=0)
class Echo:
    def echo(self, value):
        return value


def rate(step):
    until = time.perf_counter() + WINDOW / 2
    while time.perf_counter() < until:
        step()
    began = time.perf_counter()
    done = 0
    while time.perf_counter() - began < WINDOW:
        done += step()
    return done / (time.perf_counter() - began)


def sync_rate(call):
    def step():
        for _ in range(20):
            ray.get(call("ok"))
        return 20

    return rate(step)


def async_rate(call):
    def step():
        ray.get([call("ok") for _ in range(IN_FLIGHT)])
        return IN_FLIGHT

    return rate(step)


def tasks():
    actor = Echo.remote()
    figures = {
        "taskSyncPerSecond": sync_rate(echo.remote),
        "callSyncPerSecond": sync_rate(actor.echo.remote),
        "taskAsyncPerSecond": async_rate(echo.remote),
        "callAsyncPerSecond": async_rate(actor.echo.remote),
    }
    ray.kill(actor)
    return figures


def created(count):
    began = time.perf_counter()
    made = [Echo.remote() for _ in range(count)]
    ray.get([actor.echo.remote("ok") for actor in made])
    took = time.perf_counter() - began
    for actor in made:
        ray.kill(actor)
    return took


def actors():
    created(1)
    time.sleep(REST)
    one = created(1)
    time.sleep(REST)
    pair = created(2)
    burst = 16
    each = burst / created(burst)
    time.sleep(REST)
    return {"oneMs": one * 1000, "pairMs": pair * 1000, "burstPerSecond": each}


CASES = {"actors": actors, "tasks": tasks}

for line in sys.stdin:
    print(json.dumps(CASES.get(json.loads(line)["name"], dict)()), flush=True)

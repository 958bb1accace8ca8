"""Ray's side of placement-groups.ts: answers each line of JSON with one, for as long as there are lines."""

import json
import sys
import time

import ray
from ray.util.placement_group import placement_group, remove_placement_group

ray.init(num_cpus=2, log_to_driver=False, configure_logging=False)


def groups(count):
    def once():
        created = [placement_group([{"CPU": 0.01}]) for _ in range(count)]
        for group in created:
            group.wait(60)
        for group in created:
            remove_placement_group(group)
        return count

    return once


CASES = {
    "create, ready, remove": groups(1),
    "create, ready, remove: 100 at once": groups(100),
}

for line in sys.stdin:
    question = json.loads(line)
    once = CASES.get(question["name"])
    rate = None
    if once is not None:
        began = time.perf_counter()
        total = 0
        while True:
            total += once()
            took = time.perf_counter() - began
            if took >= question["windowMs"] / 1000:
                break
        rate = total / took
    print(json.dumps({"rate": rate}), flush=True)

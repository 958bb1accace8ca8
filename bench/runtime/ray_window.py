"""What Ray's sides of the benches share: answers each line of JSON with one, for as long as there are lines."""

import json
import sys
import time


def serve(cases):
    """A question names a case and a window; one that is not among them has no rate."""
    for line in sys.stdin:
        question = json.loads(line)
        once = cases.get(question["name"])
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

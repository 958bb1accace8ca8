# The Ray originals of the examples: python3 examples/ray/main.py [tasks|values|actors|failures|scheduling]
import json
import sys

import ray
from actors import actors
from failures import failures
from scheduling import scheduling
from tasks import tasks
from values import values

ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
for example in [tasks, values, actors, failures, scheduling]:
    if len(sys.argv) > 1 and example.__name__ not in sys.argv:
        continue
    print(example.__name__, json.dumps(example()), flush=True)
ray.shutdown()

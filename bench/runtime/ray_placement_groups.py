"""Ray's side of placement-groups.ts: answers each line of JSON with one, for as long as there are lines."""

import ray
from ray.util.placement_group import placement_group, remove_placement_group
from ray_window import serve

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

serve(CASES)

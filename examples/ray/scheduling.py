import ray
from ray.util.placement_group import placement_group, remove_placement_group
from ray.util.scheduling_strategies import (
    NodeAffinitySchedulingStrategy,
    PlacementGroupSchedulingStrategy,
)


@ray.remote
class Counter:
    def __init__(self, start_at):
        self.count = start_at

    def add(self, amount):
        self.count += amount
        return self.count

    def node_id(self):
        return ray.get_runtime_context().get_node_id()


def scheduling():
    node_id = ray.nodes()[0]["NodeID"]
    strategy = NodeAffinitySchedulingStrategy(node_id, soft=False)
    there = Counter.options(scheduling_strategy=strategy).remote(0)
    is_there = ray.get(there.node_id.remote()) == node_id

    group = placement_group([{"CPU": 1}, {"CPU": 0.5}], strategy="PACK")
    group.wait(60)
    strategy = PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=1)
    inside = Counter.options(num_cpus=0.5, scheduling_strategy=strategy)
    count = ray.get(inside.remote(40).add.remote(2))
    remove_placement_group(group)

    too_large = placement_group([{"CPU": 10_000}])
    is_ready = too_large.wait(0.2)
    remove_placement_group(too_large)
    return {"isThere": is_there, "count": count, "isReady": is_ready}

/** Planted bugs of tasks and their workers; see planted-bugs.ts. */
import type * as proto from "@palimpsest/wire/protocol";
import type { ControlPlane } from "../../packages/runtime/head/src/start/control-plane.js";
import { leaseOf, leaseOptionsOf } from "../../packages/runtime/head/src/tables/actor-lease.js";
import type { PlantedBug } from "./planted-bugs.js";
import type { Arrival } from "./world/connection.js";
import { Plant } from "./world/plant.js";

/** Nodes that report, for each worker that ended, a wrong number of calls that had begun. */
class MarkBug extends Plant {
  override startedCalls(): number {
    return 0;
  }
}

class RetryBug extends Plant {
  override retries(): number {
    return 3;
  }
}

/** Workers that mix up the values of their replies. */
class ValueBug extends Plant {
  #last: Uint8Array | null | undefined;

  override arrival({ method, toServer, body, from }: Arrival): unknown {
    if (method !== "ActorHost.Calls" || toServer || !from.name.startsWith("worker-")) return body;
    for (const reply of (body as proto.ReplyBatch.$Properties).replies ?? []) {
      if (!reply.value) continue;
      const before = this.#last;
      this.#last = reply.value;
      if (before) reply.value = before;
    }
    return body;
  }
}

/** A plant that loses requests to end workers that their clients have given back. */
class LeakBug extends Plant {
  override arrival({ method, toServer, body }: Arrival): unknown {
    const { actorId, noRestart } = body as proto.KillActorRequest.$Properties;
    const leaks = method === "Head.KillActor" && toServer && noRestart && actorId?.startsWith("worker-");
    return leaks ? { ...(body as object), actorId: "actor-nobody" } : body;
  }
}

/** A head that never returns the cpu to a waiting worker. */
class WaitBug extends Plant {
  override plane(plane: ControlPlane): void {
    const { taskWorkers, nodes } = plane;
    const setWaiting = taskWorkers.setWaiting.bind(taskWorkers);
    taskWorkers.setWaiting = (request) => {
      setWaiting(request);
      const actor = plane.actors.get(request.actorId ?? "");
      if (actor?.state !== "ALIVE" || request.waiting) return;
      const { cpu: _cpu, ...others } = actor.spec.resources;
      const lease = leaseOf(actor.spec.actorId, actor.incarnation);
      nodes.reserve(actor.nodeId, lease, others, leaseOptionsOf(actor, actor.gpuIds, actor.bundle));
    };
  }
}

export const plantedTaskBugs: readonly PlantedBug[] = [
  {
    name: "the certificate of a worker says that none of its tasks had begun",
    breaks: "TASK-1, TASKLEASE-1",
    make: () => new MarkBug(),
  },
  { name: "tasks without retries are retried", breaks: "TASK-1", make: () => new RetryBug() },
  {
    name: "a worker's reply carries the value of the reply before it",
    breaks: "TASK-2",
    make: () => new ValueBug(),
  },
  { name: "workers that are given back run on", breaks: "TASKQUEUE-3", make: () => new LeakBug() },
  {
    name: "a worker that waited for tasks of its own never has its cpu back",
    breaks: "TASKWORKER-2, NODE-2",
    make: () => new WaitBug(),
  },
];

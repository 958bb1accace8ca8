import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import { normalizeQuantities } from "@palimpsest/scheduler";
import { headService } from "@palimpsest/wire";
import type { PendingQueue } from "./placement.js";
import type { Rpc } from "./rpc.js";
import type { TaskWorkers } from "./task-workers.js";

const maxWaitMs = 30_000;

/** The RPCs of service Head about workers for tasks. */
export function createTaskRpcs(
  rpc: Rpc,
  queue: Pick<PendingQueue, "demand">,
  workers: TaskWorkers,
): UntypedServiceImplementation {
  return {
    awaitDemand: rpc.unary(
      headService.awaitDemand,
      async ({ ownerId, resources, labels, waitMs }, signal) => {
        const kept = { resources: normalizeQuantities(resources?.quantities ?? {}), labels: { ...labels } };
        const boundMs = Math.min(maxWaitMs, Math.max(0, waitMs ?? 0));
        return { waits: await queue.demand.until(ownerId ?? "", kept, boundMs, signal) };
      },
      maxWaitMs + 5_000,
    ),
    setWaiting: rpc.unary(headService.setWaiting, (request) => {
      workers.setWaiting(request);
      return {};
    }),
  };
}

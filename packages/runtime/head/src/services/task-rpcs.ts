import { normalizeQuantities } from "@palimpsest/scheduler";
import { headService, PalimpsestError } from "@palimpsest/wire";
import type { Claims } from "../rules/claims.js";
import type { NodeDrains } from "../rules/node-drains.js";
import type { PendingQueue } from "../rules/placement.js";
import type { PlacementGroups } from "../rules/placement-groups.js";
import type { TaskWorkers } from "../rules/task-workers.js";
import { namespaceOf, scopeOf } from "../tables/actor.js";
import type { HeadHandlers } from "./head-handlers.js";
import type { Rpc } from "./rpc.js";

const maxWaitMs = 30_000;

/** Returns the RPCs of service Head for task workers. */
export function createTaskRpcs(
  rpc: Rpc,
  queue: Pick<PendingQueue, "demand">,
  groups: Pick<PlacementGroups, "queueOf">,
  workers: TaskWorkers,
  drains: Pick<NodeDrains, "workersToRetire" | "onBegin">,
  claims: Claims,
): HeadHandlers<"awaitDemand" | "setWaiting"> {
  return {
    awaitDemand: rpc.unary(
      headService.awaitDemand,
      async ({ ownerId, resources, labels, waitMs, groupId, spare, ...whose }, { signal }) => {
        const claimant = {
          jobId: whose.jobId ?? "",
          namespace: namespaceOf(whose.namespace),
          scope: scopeOf(whose.scope),
        };
        const kept = {
          resources: normalizeQuantities(resources?.quantities ?? {}),
          labels: { ...labels },
          claim: groupId ? claims.inBundle(claimant) : claims.of(claimant),
        };
        const boundMs = Math.min(maxWaitMs, Math.max(0, waitMs ?? 0));
        const demand = groupId ? groups.queueOf(groupId)?.demand : queue.demand;
        if (demand === undefined)
          throw new PalimpsestError("NOT_FOUND", `placement group ${groupId} no longer exists`);
        const waits = await unlessDrained(drains, signal, (until) =>
          demand.until(
            ownerId ?? "",
            kept,
            drains.workersToRetire(ownerId ?? "").length > 0 ? 0 : boundMs,
            until,
            spare ?? false,
          ),
        );
        return { waits, retireActorIds: [...drains.workersToRetire(ownerId ?? "")] };
      },
      maxWaitMs + 5_000,
    ),
    setWaiting: rpc.unary(headService.setWaiting, (request) => {
      workers.setWaiting(request);
      return {};
    }),
  };
}

/** Waits no longer than until a drain begins. */
async function unlessDrained<T>(
  drains: Pick<NodeDrains, "onBegin">,
  caller: AbortSignal,
  wait: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const end = () => controller.abort();
  caller.addEventListener("abort", end, { once: true });
  const forget = drains.onBegin(end);
  try {
    return await wait(controller.signal);
  } finally {
    forget();
    caller.removeEventListener("abort", end);
  }
}

/**
 * Responsibility: the RPCs of service Head over the tables.
 * Not responsible for: anything that happens after the answer.
 *
 * Invariants:
 * - CREATE-1. The owner and the placement group of an actor are checked in the turn of the event loop in which the
 *   actor enters the table, so that an end of theirs either refuses the actor or finds it there.
 * - CREATE-2. A request that gets or creates the actor of a name is not answered with one that died while the request
 *   waited for the store: it gets or creates the actor of that name once more.
 */
import { callerOf, headService, isReader, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { Claims } from "../rules/claims.js";
import type { NodeDrains } from "../rules/node-drains.js";
import type { ObjectRecoveries } from "../rules/object-recoveries.js";
import { expectOwner } from "../rules/owners.js";
import type { PlacementGroups } from "../rules/placement-groups.js";
import type { Recovery } from "../rules/recovery.js";
import type { TaskWorkers } from "../rules/task-workers.js";
import type { Bundles } from "../store/bundles.js";
import type { DurableStates } from "../store/durable-states.js";
import {
  type Actor,
  type ActorSpec,
  actorForReaders,
  actorSpecFromProto,
  fullNameOf,
  namespaceOf,
  specUnder,
} from "../tables/actor.js";
import type { JobTable } from "../tables/job-table.js";
import type { ObjectDirectory } from "../tables/object-directory.js";
import type { PlacementGroupTable } from "../tables/placement-group-table.js";
import { environmentBundles, type RuntimeEnvironment } from "../tables/runtime-environment.js";
import { createDurableRpcs } from "./durable-rpcs.js";
import type { HeadHandlers } from "./head-handlers.js";
import { type ListingsDeps, listActors, listNodes, summarize } from "./listings.js";
import { createObjectRpcs } from "./object-rpcs.js";
import { createGroupRpcs, expectGroup } from "./placement-group-rpcs.js";
import type { QueueDepth } from "./queues.js";
import type { Rpc, RpcContext } from "./rpc.js";
import { type SessionServiceDeps, serveSession } from "./session-service.js";
import { createTaskEventRpcs, type TaskEventRpcDeps } from "./task-event-rpcs.js";
import { createTaskRpcs } from "./task-rpcs.js";
import { serveTokens } from "./token-service.js";

const maxWaitMs = 60_000;
const defaultStackWaitMs = 5_000;
/** The longest wait for a stack in milliseconds, which is shorter than the limit of any RPC. */
const maxStackWaitMs = 25_000;
/** The longest profile in milliseconds, which leaves time for its answer. */
const maxProfileMs = 20_000;

export interface HeadServiceDeps extends SessionServiceDeps, ListingsDeps, TaskEventRpcDeps {
  readonly recoveries: ObjectRecoveries;
  readonly rpc: Rpc;
  readonly recovery: Recovery;
  readonly objects: ObjectDirectory;
  readonly taskWorkers: TaskWorkers;
  readonly drains: NodeDrains;
  readonly claims: Claims;
  readonly groups: PlacementGroups;
  readonly groupTable: PlacementGroupTable;
  readonly bundles: Bundles;
  readonly jobs: Pick<JobTable, "submission">;
  /** The records of durable actors. If it is absent, durable actors are refused. */
  readonly durableStates?: DurableStates | undefined;
  readonly queueDepths: () => Promise<readonly QueueDepth[]>;
  /** Begins the orderly end of the head, and returns at once. */
  readonly shutdown: (how: { readonly all: boolean; readonly restart: boolean }) => void;
}

export function createHeadHandlers(deps: HeadServiceDeps): HeadHandlers {
  const { rpc, lifecycle } = deps;
  return {
    getCluster: rpc.unary(headService.getCluster, (_request, { call }) => {
      const info = deps.clusterInfo();
      return isReader(callerOf(call)) ? { ...info, redisUrl: "" } : info;
    }),
    createActor: rpc.unary(headService.createActor, (request, context) =>
      createActor(deps, request, context),
    ),
    resolveActor: rpc.unary(
      headService.resolveActor,
      (request, context) => resolveActor(deps, request, context),
      maxWaitMs + 5_000,
    ),
    killActor: rpc.unary(headService.killActor, async (request, context) => {
      const { actorId, noRestart, incarnation } = request;
      const found = await deps.recovery.find({ actorId: actorId ?? "" }, context);
      const reason =
        noRestart && found?.spec.taskWorker
          ? "the program that had leased it for tasks returned it"
          : "it was killed by a client";
      return actorForReaders(
        await lifecycle.kill(actorId ?? "", {
          noRestart: noRestart ?? false,
          incarnation: incarnation ?? 0,
          isReturned: noRestart ?? false,
          reason,
        }),
      );
    }),
    getStack: rpc.unary(headService.getStack, (request) => {
      const timeoutMs = Math.min(maxStackWaitMs, request.timeoutMs || defaultStackWaitMs);
      const profileMs = Math.max(0, Math.min(maxProfileMs, request.profileMs ?? 0));
      return deps.stacks.ask(request.target ?? "", timeoutMs, { profileMs, heap: request.heap ?? false });
    }),
    listActors: rpc.unary(headService.listActors, (request) => listActors(deps, request)),
    listNodes: rpc.unary(headService.listNodes, (request) => listNodes(deps, request)),
    listDrivers: rpc.unary(headService.listDrivers, () => ({
      drivers: deps.sessions.connected().map(({ sessionId, name, pid, jobId, version, protocols }) => ({
        ...{ sessionId, name, pid, jobId, version, protocols },
      })),
    })),
    summarize: rpc.unary(headService.summarize, () => summarize(deps)),
    listQueues: rpc.unary(headService.listQueues, async () => ({ queues: [...(await deps.queueDepths())] })),
    ...createObjectRpcs(rpc, deps.objects, deps.recoveries),
    ...createTaskRpcs(rpc, deps.pendingQueue, deps.groups, deps.taskWorkers, deps.drains, deps.claims),
    ...createTaskEventRpcs(deps),
    ...createGroupRpcs(deps),
    drainNode: rpc.unary(headService.drainNode, (request) => deps.drains.drain(request)),
    ...createDurableRpcs(deps),
    shutdown: rpc.unary(headService.shutdown, (request) => {
      deps.shutdown({ all: request.all ?? false, restart: request.restart ?? false });
      return {};
    }),
    rotateToken: rpc.unary(headService.rotateToken, (request, { call }) => {
      if (!deps.tokens) throw new PalimpsestError("UNAVAILABLE", "this head has no token");
      return deps.tokens.rotate(callerOf(call), request.graceMs ?? 0, request.stolen ?? false);
    }),
    followToken: (stream) => serveTokens(deps.tokens, stream),
    session: (stream) => serveSession(deps, stream),
  };
}

async function createActor(
  deps: HeadServiceDeps,
  request: proto.CreateActorRequest.$Properties,
  context: RpcContext,
): Promise<proto.ActorInfo.$Properties> {
  const spec = actorSpecFromProto(request.spec);
  const getIfExists = request.getIfExists ?? false;
  if (getIfExists && spec.name === "") {
    throw new PalimpsestError("INVALID_ARGUMENT", "get_if_exists is true and name is empty: name the actor");
  }
  const isKnown = () => deps.actors.get(spec.actorId) !== undefined;
  if (!isKnown()) {
    // Only an actor has incarnations, so this owner is an actor that runs, but its node may not be back yet.
    if (spec.ownerIncarnation > 0) await deps.recovery.find({ actorId: spec.ownerId }, context);
    await expectName(deps.recovery, spec, context);
    await expectBundle(deps.bundles, spec.code.bundle ?? "", "of the actor's class");
    for (const sha256 of environmentBundles(spec))
      await expectBundle(deps.bundles, sha256, "of its working directory or packages");
  }
  for (;;) {
    // CREATE-1
    if (!isKnown()) {
      expectOwner(deps, spec);
      expectGroup(deps.groups, spec);
    }
    const actor = await deps.lifecycle.create(specUnder(spec, parentOf(deps, spec)), getIfExists);
    // CREATE-2
    if (actor.state !== "DEAD" || actor.spec.actorId === spec.actorId) return actorForReaders(actor);
  }
}

/** Returns the environment to inherit: that of the actor or worker that spawns it, else that of its job. */
function parentOf(
  { actors, jobs }: Pick<HeadServiceDeps, "actors" | "jobs">,
  { ownerId, jobId }: ActorSpec,
): RuntimeEnvironment | undefined {
  return actors.get(ownerId)?.spec ?? jobs.submission(jobId);
}

/** Waits as RECOVERY-3 requires. Whether the name is taken is then decided by the table. */
async function expectName(recovery: Recovery, spec: ActorSpec, context: RpcContext): Promise<void> {
  const name = fullNameOf(spec);
  if (name === "") return;
  const holder = await recovery.find({ name }, context);
  // The caller was answered or is gone: an actor created now would keep the name although nobody uses it.
  if (holder === undefined && context.signal.aborted)
    throw new PalimpsestError("GET_TIMEOUT", `a node may still report an actor with the name ${name}: retry`);
}

async function expectBundle(bundles: Bundles, sha256: string, what: string): Promise<void> {
  if (sha256 === "" || (await bundles.sizeBytes(sha256)) !== undefined) return;
  throw new PalimpsestError(
    "NOT_FOUND",
    `the head does not have bundle ${sha256} ${what}: upload it with PutBundle first`,
    { details: { bundle: sha256 } },
  );
}

async function resolveActor(
  { actors, lifecycle, recovery }: HeadServiceDeps,
  request: proto.ResolveActorRequest.$Properties,
  context: RpcContext,
): Promise<proto.ActorInfo.$Properties> {
  const name = fullNameOf({ name: request.name ?? "", namespace: namespaceOf(request.namespace) });
  const found = await recovery.find({ actorId: request.actorId ?? "", name }, context);
  if (found === undefined) {
    const what = request.actorId ? `actor ${request.actorId}` : `an actor named ${JSON.stringify(name)}`;
    throw new PalimpsestError("NOT_FOUND", `${what} is not known`);
  }
  const waitMs = Math.min(maxWaitMs, Math.max(0, request.waitMs ?? 0));
  const known = request.knownIncarnation ?? 0;
  const settled = (actor: Actor) =>
    actor.state === "DEAD" || (actor.state === "ALIVE" && actor.incarnation > known);
  const view = (actor: Actor) => actorForReaders(actor, lifecycle.pendingReason(actor));
  if (settled(found) || waitMs === 0) return view(found);
  const { signal: caller } = context;
  const wait = new AbortController();
  const end = () => wait.abort();
  // AbortSignal.any over AbortSignal.timeout is not used, because on Node.js 20 that signal can be garbage-collected.
  const timer = setTimeout(end, waitMs);
  caller.addEventListener("abort", end, { once: true });
  if (caller.aborted) end();
  try {
    return view((await actors.waitFor(found.spec.actorId, settled, wait.signal)) ?? found);
  } finally {
    clearTimeout(timer);
    caller.removeEventListener("abort", end);
  }
}

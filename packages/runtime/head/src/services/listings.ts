/**
 * Lists actors and nodes for readers, in pages and counts that are bounded in bytes and time whatever the size of the
 * cluster.
 */
import type { AutoscalerReport } from "@palimpsest/scheduler";
import type { Clock } from "@palimpsest/std";
import { needsFence, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ActorLifecycle } from "../rules/actors/actor-lifecycle.js";
import type { ObjectQuotas } from "../rules/object-quotas.js";
import type { PendingQueue } from "../rules/placement.js";
import {
  type Actor,
  actorForReaders,
  actorStateFromProto,
  actorStates,
  actorStateToProto,
  namespaceOf,
  waitsForNode,
} from "../tables/actor.js";
import type { ActorTable } from "../tables/actor-table.js";
import { nodeStates, nodeStateToProto, nodeToProto } from "../tables/node.js";
import type { NodeTable } from "../tables/node-table.js";
import { requestToProto } from "../tables/scheduling.js";

/** The maximum number of unsatisfiable requests that the status lists. */
const maxUnmet = 20;

const defaultLimit = 1_000;
const maxLimit = 5_000;
/** A page ends after this many bytes of certificates and errors, because the rest of a row is small. */
const maxPageTextBytes = 8 * 1024 * 1024;
/**
 * The maximum number of shapes of pending requests that a page or summary explains, because each explanation examines
 * every node.
 */
const maxExplained = 20;

export interface ListingsDeps {
  readonly actors: ActorTable;
  readonly lifecycle: ActorLifecycle;
  readonly nodes: NodeTable;
  readonly pendingQueue: PendingQueue;
  readonly objectQuotas: Pick<ObjectQuotas, "uses">;
  readonly clock: Clock;
  /** Returns the autoscaler's report. It is absent if no autoscaler runs. */
  readonly autoscalerReport?: () => AutoscalerReport | undefined;
}

export function listActors(
  deps: ListingsDeps,
  request: proto.ListActorsRequest.$Properties,
): proto.ListActorsResponse.$Properties {
  const states = new Set((request.states ?? []).map(actorStateFromProto));
  const wanted = (actor: Actor) =>
    (states.size > 0 ? states.has(actor.state) : request.includeDead || actor.state !== "DEAD") &&
    (!request.nodeId || actor.nodeId === request.nodeId) &&
    (!request.jobId || actor.spec.jobId === request.jobId) &&
    (!request.ownerId || actor.spec.ownerId === request.ownerId) &&
    (!request.className || actor.spec.code.exportName === request.className) &&
    (!request.namespace || actor.spec.namespace === namespaceOf(request.namespace)) &&
    (!request.role || actor.spec.role === request.role);
  const explain = explainer(deps.lifecycle);
  let textBytes = 0;
  const { rows, nextPageToken } = pageOf(deps.actors.all(), {
    request,
    idOf: (actor) => actor.spec.actorId,
    wanted,
    isFull: (actor) => {
      textBytes += textBytesOf(actor);
      return textBytes > maxPageTextBytes;
    },
  });
  return { actors: rows.map((actor) => actorForReaders(actor, explain(actor))), nextPageToken };
}

export function listNodes(
  { nodes }: ListingsDeps,
  request: proto.ListNodesRequest.$Properties,
): proto.ListNodesResponse.$Properties {
  const states = new Set(request.states ?? []);
  const { rows, nextPageToken } = pageOf(nodes.all(), {
    request,
    idOf: (node) => node.nodeId,
    wanted: (node) =>
      (states.size === 0 || states.has(nodeStateToProto[node.state])) &&
      (!request.hostname || node.hostname === request.hostname),
    isFull: () => false,
  });
  return { nodes: rows.map(nodeToProto), nextPageToken };
}

export function summarize({
  actors,
  nodes,
  pendingQueue,
  objectQuotas,
  clock,
  autoscalerReport,
}: ListingsDeps): proto.Summary.$Properties {
  const { total, used } = nodes.sums.totals();
  const shapes = pendingQueue.waitingShapes();
  const monotonicToEpochMs = clock.now() - clock.monotonicMs();
  return {
    actors: actorStates.map((state) => ({ state: actorStateToProto[state], count: actors.count(state) })),
    nodes: nodeStates.map((state) => ({ state: nodeStateToProto[state], count: nodes.sums.count(state) })),
    total: { quantities: { ...total } },
    used: { quantities: { ...used } },
    waiting: shapes.slice(0, maxExplained).map(({ request, count, oldestSinceMs, feasible }) => ({
      resources: { quantities: { ...request.resources } },
      ...requestToProto(request),
      count,
      oldestSinceMs: Math.round(oldestSinceMs + monotonicToEpochMs),
      feasible,
      reason: pendingQueue.explain(request),
    })),
    waitingCount: pendingQueue.length,
    waitingShapeCount: shapes.length,
    reservedNodeCount: pendingQueue.reservedNodes,
    autoscaler: autoscalerToProto(autoscalerReport?.()) ?? null,
    objectQuotas: objectQuotas.uses().slice(0, maxExplained),
  };
}

interface PageOptions<Row> {
  readonly request: { readonly limit?: number | null; readonly pageToken?: string | null };
  readonly idOf: (row: Row) => string;
  readonly wanted: (row: Row) => boolean;
  /** Called with each row of the page; returning true ends the page after that row. */
  readonly isFull: (row: Row) => boolean;
}

/** Returns the rows after the one that the token names, up to the limit. */
export function pageOf<Row>(
  all: Iterable<Row>,
  { request, idOf, wanted, isFull }: PageOptions<Row>,
): { readonly rows: readonly Row[]; readonly nextPageToken: string } {
  const limit = pageLimit(request.limit);
  const after = request.pageToken ?? "";
  const rows: Row[] = [];
  let reached = after === "";
  let full = false;
  for (const row of all) {
    if (!reached) reached = idOf(row) === after;
    else if (wanted(row)) {
      const last = rows.at(-1);
      if (full && last !== undefined) return { rows, nextPageToken: idOf(last) };
      rows.push(row);
      full = isFull(row) || rows.length === limit;
    }
  }
  if (reached) return { rows, nextPageToken: "" };
  throw new PalimpsestError(
    "NOT_FOUND",
    `page_token names ${after}, which has since been forgotten: list from the start`,
  );
}

/** Returns the number of rows per page. @throws {PalimpsestError} INVALID_ARGUMENT */
export function pageLimit(asked: number | null | undefined): number {
  const limit = asked || defaultLimit;
  if (Number.isInteger(limit) && limit >= 1 && limit <= maxLimit) return limit;
  throw new PalimpsestError("INVALID_ARGUMENT", `limit is ${limit}: it must be from 1 to ${maxLimit}`);
}

/** Explains why actors are pending, for the first few shapes of requests. */
function explainer(lifecycle: ActorLifecycle): (actor: Actor) => string {
  const reasons = new Map<string, string>();
  return (actor) => {
    if (!waitsForNode(actor)) return "";
    const { resources, labels, labelConditions, strategy } = actor.spec;
    // An actor whose starts failed has its own reason, and one that waits for a fence may have.
    const own = actor.startFailures > 0 || actor.lostStartNodeIds.length > 0 || needsFence(actor.spec);
    const key = own
      ? actor.spec.actorId
      : JSON.stringify([actor.state, resources, labels, labelConditions, strategy]);
    const known = reasons.get(key);
    if (known !== undefined) return known;
    if (reasons.size >= maxExplained) return "";
    const reason = lifecycle.pendingReason(actor);
    reasons.set(key, reason);
    return reason;
  };
}

function textBytesOf({ certificate, constructorError }: Actor): number {
  let bytes = certificate?.reason?.length ?? 0;
  for (const line of certificate?.lastStderrLines ?? []) bytes += line.length;
  return bytes + (constructorError?.message?.length ?? 0) + (constructorError?.stack?.length ?? 0);
}

function autoscalerToProto(
  report: AutoscalerReport | undefined,
): proto.AutoscalerStatus.$Properties | undefined {
  return (
    report && {
      ...report,
      types: report.types.map((type) => ({ ...type, instances: [...type.instances] })),
      unmet: report.unmet.slice(0, maxUnmet).map(({ resources, count, reason }) => ({
        ...{ count, reason },
        resources: { quantities: { ...resources } },
      })),
    }
  );
}

/** Implements the RPCs of service Head for placement groups, and the checks of an actor's request for one. */
import { fits, type Quantities } from "@palimpsest/scheduler";
import { headService, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { expectOwner } from "../rules/owners.js";
import type { PlacementGroups } from "../rules/placement-groups.js";
import type { Recovery } from "../rules/recovery.js";
import type { ActorSpec } from "../tables/actor.js";
import type { ActorTable } from "../tables/actor-table.js";
import {
  groupSpecFromProto,
  groupStateToProto,
  groupToProto,
  type PlacementGroup,
} from "../tables/placement-group.js";
import type { PlacementGroupTable } from "../tables/placement-group-table.js";
import type { Sessions } from "../tables/sessions.js";
import type { HeadHandlers } from "./head-handlers.js";
import { pageOf } from "./listings.js";
import type { Rpc, RpcContext } from "./rpc.js";

const maxWaitMs = 60_000;
/** The maximum number of groups of a page that are explained, because each explanation examines every node. */
const maxExplained = 20;

export interface GroupRpcDeps {
  readonly rpc: Rpc;
  readonly groups: PlacementGroups;
  readonly groupTable: PlacementGroupTable;
  readonly actors: ActorTable;
  readonly sessions: Sessions;
  readonly recovery: Recovery;
}

export function createGroupRpcs(
  deps: GroupRpcDeps,
): HeadHandlers<
  "createPlacementGroup" | "resolvePlacementGroup" | "removePlacementGroup" | "listPlacementGroups"
> {
  const { rpc, groups, groupTable } = deps;
  const shown = (group: PlacementGroup) => groupToProto(group, groups.reason(group));
  return {
    createPlacementGroup: rpc.unary(headService.createPlacementGroup, async (request, context) => {
      const spec = groupSpecFromProto(request.spec);
      if (groupTable.get(spec.groupId) === undefined) {
        // Only an actor has incarnations, so this owner is an actor that runs, but its node may not be back yet.
        if (spec.ownerIncarnation > 0) await deps.recovery.find({ actorId: spec.ownerId }, context);
        expectOwner(deps, spec);
      }
      return shown(await groups.create(spec));
    }),
    resolvePlacementGroup: rpc.unary(
      headService.resolvePlacementGroup,
      async (request, context) => {
        const { groupId } = find(deps, request);
        const waitMs = Math.min(maxWaitMs, Math.max(0, request.waitMs ?? 0));
        return shown(await settledWithin(groups, groupId, waitMs, context));
      },
      maxWaitMs + 5_000,
    ),
    removePlacementGroup: rpc.unary(headService.removePlacementGroup, async ({ groupId }) =>
      shown(await groups.remove(groupId ?? "", "a client requested it")),
    ),
    listPlacementGroups: rpc.unary(headService.listPlacementGroups, (request) => {
      const states = new Set(request.states ?? []);
      const { rows, nextPageToken } = pageOf(groupTable.all(), {
        request,
        idOf: ({ spec }) => spec.groupId,
        wanted: ({ spec, state }) =>
          (states.size === 0 || states.has(groupStateToProto[state])) &&
          (!request.ownerId || spec.ownerId === request.ownerId) &&
          (!request.jobId || spec.jobId === request.jobId),
        isFull: () => false,
      });
      let explained = 0;
      const info = ({ spec }: PlacementGroup) => {
        const group = groups.known(spec.groupId);
        if (group.state !== "CREATED") explained += 1;
        return explained > maxExplained ? groupToProto(group) : shown(group);
      };
      return { groups: rows.map(info), nextPageToken };
    }),
  };
}

/**
 * Refuses an actor that no bundle of its group could ever hold.
 * @throws {PalimpsestError} NOT_FOUND if there is no such group; INVALID_ARGUMENT naming the field
 */
export function expectGroup(groups: PlacementGroups, { placement, resources }: ActorSpec): void {
  if (placement === undefined) return;
  const { groupId, bundle } = placement;
  const group = groups.known(groupId);
  if (group.state === "REMOVED")
    throw new PalimpsestError(
      "NOT_FOUND",
      `placement group ${groupId} was removed: ${group.removedBecause}; create another one`,
    );
  const { bundles } = group.spec;
  if (bundle !== undefined && bundle >= bundles.length)
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `placement.bundle is ${bundle}, and group ${groupId} has ${bundles.length} bundles: give an index from 0 to ${bundles.length - 1}`,
    );
  const candidates = bundle === undefined ? bundles : bundles.slice(bundle, bundle + 1);
  if (candidates.some((one) => fits(one, resources))) return;
  const asked = textOf(resources);
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    bundle === undefined
      ? `resources are ${asked}, more than any bundle of group ${groupId} has: request less or create a larger group`
      : `resources are ${asked}, and bundle ${bundle} of group ${groupId} has ${textOf(bundles[bundle] ?? {})}: request less`,
  );
}

function textOf(quantities: Quantities): string {
  return Object.entries(quantities)
    .map(([name, amount]) => `${amount} ${name}`)
    .join(", ");
}

function find(
  { groups, groupTable }: GroupRpcDeps,
  { groupId, name }: proto.ResolvePlacementGroupRequest.$Properties,
): { readonly groupId: string } {
  if (groupId) return groups.known(groupId).spec;
  const group = groupTable.byName(name ?? "");
  if (group === undefined)
    throw new PalimpsestError(
      "NOT_FOUND",
      `a placement group named ${JSON.stringify(name ?? "")} is not known`,
    );
  return group.spec;
}

async function settledWithin(
  groups: PlacementGroups,
  groupId: string,
  waitMs: number,
  context: RpcContext,
): Promise<PlacementGroup> {
  const known = groups.known(groupId);
  if (waitMs === 0 || known.state === "CREATED" || known.state === "REMOVED") return known;
  const { signal: caller } = context;
  const wait = new AbortController();
  const end = () => wait.abort();
  // AbortSignal.any over AbortSignal.timeout is not used, because on Node.js 20 that signal can be garbage-collected.
  const timer = setTimeout(end, waitMs);
  caller.addEventListener("abort", end, { once: true });
  if (caller.aborted) end();
  try {
    return await groups.settled(groupId, wait.signal);
  } finally {
    clearTimeout(timer);
    caller.removeEventListener("abort", end);
  }
}

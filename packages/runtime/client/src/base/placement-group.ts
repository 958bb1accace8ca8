/**
 * Resources that are leased together, as bundles on nodes, for the actors that are placed in them, like Ray's
 * placement groups.
 */
import { headService, newId, PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { PlacementGroupOptions } from "./config.js";
import type { HeadCallOptions, HeadClient } from "./head-client.js";
import { loadConfig } from "./load-config.js";
import { labelFields } from "./scheduling.js";

const groupStates = {
  [proto.PlacementGroupState.PLACEMENT_GROUP_STATE_PENDING]: "pending",
  [proto.PlacementGroupState.PLACEMENT_GROUP_STATE_CREATED]: "created",
  [proto.PlacementGroupState.PLACEMENT_GROUP_STATE_RESCHEDULING]: "rescheduling",
  [proto.PlacementGroupState.PLACEMENT_GROUP_STATE_REMOVED]: "removed",
} as const;
/** The states of a placement group. */
export type PlacementGroupStateName = (typeof groupStates)[keyof typeof groupStates];

const groupStrategies = ["PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD"] as const;
/** The strategies of placement groups, as Ray names them. */
export type GroupStrategyName = (typeof groupStrategies)[number];

const strategies: Readonly<Record<GroupStrategyName, proto.GroupStrategy>> = {
  PACK: proto.GroupStrategy.GROUP_STRATEGY_PACK,
  SPREAD: proto.GroupStrategy.GROUP_STRATEGY_SPREAD,
  STRICT_PACK: proto.GroupStrategy.GROUP_STRATEGY_STRICT_PACK,
  STRICT_SPREAD: proto.GroupStrategy.GROUP_STRATEGY_STRICT_SPREAD,
};

/** The milliseconds for which one request waits at the head, and those that the head gets to answer beyond that. */
const resolveWaitMs = 20_000;
const resolveSlackMs = 2_000;
const defaultReadyTimeoutMs = 600_000;

/** One bundle of a placement group: what it leases, and on which node. */
export interface BundleInfo {
  readonly resources: Readonly<Record<string, number>>;
  /** Empty while the bundle has no node. */
  readonly nodeId: string;
  readonly gpuIds: readonly number[];
}

/** What the head knows about a placement group. */
export interface PlacementGroupInfo {
  readonly groupId: string;
  /** Empty if it has none. */
  readonly name: string;
  readonly state: PlacementGroupStateName | "unknown";
  readonly strategy: GroupStrategyName;
  readonly bundles: readonly BundleInfo[];
  readonly detached: boolean;
  readonly ownerId: string;
  readonly jobId: string;
  /** Why bundles wait for nodes, or why the group was removed; else empty. */
  readonly reason: string;
  readonly createdAtMs: number;
}

/** Which placement groups a listing contains; a group has to match every field that is given. */
export interface PlacementGroupFilter {
  readonly states?: readonly PlacementGroupStateName[];
  readonly ownerId?: string;
  readonly jobId?: string;
  /** Maximum number of groups. Default: all. */
  readonly limit?: number;
}

/** A placement group of the cluster. Actors are placed in it by their option `placement`. */
export class PlacementGroup {
  readonly groupId: string;
  readonly #head: HeadClient;
  /** True if all bundles had their nodes when the group was created, so that the first wait is skipped. */
  #createdAtOnce: boolean;

  constructor(head: HeadClient, groupId: string, createdAtOnce = false) {
    this.#head = head;
    this.groupId = groupId;
    this.#createdAtOnce = createdAtOnce;
  }

  /**
   * Resolves when every bundle has its node.
   * @throws {PalimpsestError} UNSCHEDULABLE at the timeout, with the missing resources; NOT_FOUND if it was removed;
   *   CANCELLED
   */
  async ready(
    options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<PlacementGroup> {
    if (this.#createdAtOnce) {
      this.#createdAtOnce = false;
      return this;
    }
    const { timeoutMs = defaultReadyTimeoutMs, signal } = options;
    const deadlineAt = performance.now() + timeoutMs;
    for (;;) {
      const waitMs = Math.max(0, Math.min(resolveWaitMs, deadlineAt - performance.now()));
      const info = await this.#resolve(Math.round(waitMs), signal);
      if (info.state === "created") return this;
      if (info.state === "removed")
        throw new PalimpsestError("NOT_FOUND", `placement group ${this.groupId} was removed: ${info.reason}`);
      if (performance.now() < deadlineAt) continue;
      throw new PalimpsestError(
        "UNSCHEDULABLE",
        `placement group ${this.groupId} does not have all of its nodes after ${timeoutMs} ms: ${info.reason}`,
        { details: { groupId: this.groupId, pendingReason: info.reason } },
      );
    }
  }

  async info(options: HeadCallOptions = {}): Promise<PlacementGroupInfo> {
    const request = { groupId: this.groupId, waitMs: 0 };
    return groupView(await this.#head.call(headService.resolvePlacementGroup, request, options));
  }

  /** Kills the actors in it, including detached ones, and returns its bundles. Removing it again has no effect. */
  async remove(options: HeadCallOptions = {}): Promise<void> {
    await this.#head.call(headService.removePlacementGroup, { groupId: this.groupId }, options);
  }

  async #resolve(waitMs: number, signal: AbortSignal | undefined): Promise<PlacementGroupInfo> {
    const timeoutMs = waitMs + resolveSlackMs;
    const request = { groupId: this.groupId, waitMs };
    const options = signal ? { timeoutMs, signal } : { timeoutMs };
    return groupView(await this.#head.call(headService.resolvePlacementGroup, request, options));
  }
}

export interface GroupOwner {
  readonly ownerId: string;
  /** 0 if the owner is a session. */
  readonly ownerIncarnation: number;
  readonly jobId: string;
  /** The namespace of groups that name none. */
  readonly namespace: string;
}

export async function createPlacementGroup(
  head: HeadClient,
  owner: GroupOwner,
  options: PlacementGroupOptions,
): Promise<PlacementGroup> {
  const { parsePlacementGroupOptions } = await loadConfig();
  const { name, namespace, bundles, strategy, lifetime, labels } = parsePlacementGroupOptions(options);
  const spec: proto.PlacementGroupSpec.$Properties = {
    ...owner,
    groupId: newId("group"),
    name,
    namespace: namespace ?? owner.namespace,
    bundles: bundles.map((quantities) => ({ quantities })),
    strategy: strategies[strategy],
    detached: lifetime === "detached",
    ...labelFields(labels),
  };
  const info = groupView(await head.call(headService.createPlacementGroup, { spec }));
  return new PlacementGroup(head, info.groupId, info.state === "created");
}

export function groupView(message: proto.PlacementGroupInfo.$Properties): PlacementGroupInfo {
  const { spec, places } = message;
  const bundles = (spec?.bundles ?? []).map(({ quantities }, index) => ({
    resources: { ...quantities },
    nodeId: places?.[index]?.nodeId ?? "",
    gpuIds: [...(places?.[index]?.gpuIds ?? [])],
  }));
  return {
    groupId: spec?.groupId ?? "",
    name: spec?.name ?? "",
    state: groupStates[(message.state ?? 0) as keyof typeof groupStates] ?? "unknown",
    strategy: groupStrategies.find((one) => strategies[one] === spec?.strategy) ?? "PACK",
    bundles,
    detached: spec?.detached ?? false,
    ownerId: spec?.ownerId ?? "",
    jobId: spec?.jobId ?? "",
    reason: message.reason ?? "",
    createdAtMs: message.createdAtMs ?? 0,
  };
}

/** @throws {PalimpsestError} INVALID_ARGUMENT for a name that the head does not know */
export function groupStateOf(name: PlacementGroupStateName): proto.PlacementGroupState {
  for (const [state, known] of Object.entries(groupStates)) if (known === name) return Number(state);
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `state is ${name}: it must be one of ${Object.values(groupStates).join(", ")}`,
  );
}

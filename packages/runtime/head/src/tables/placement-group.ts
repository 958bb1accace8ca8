/** Defines a placement group as the head knows it, and as its row in the store. */
import {
  type BundlePlace,
  type GroupRequest,
  type GroupStrategy,
  groupStrategies,
  type LabelCondition,
  normalizeQuantities,
  type Quantities,
  requestProblem,
} from "@palimpsest/scheduler";
import { fieldsOf, PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { isValidId, namespaceOf } from "./actor.js";
import { shownText } from "./bounded-texts.js";
import { checkScheduling, schedulingOf, schedulingToProto } from "./scheduling.js";

const groupStates = ["PENDING", "CREATED", "RESCHEDULING", "REMOVED"] as const;
export type GroupState = (typeof groupStates)[number];

/** The maximum number of bundles per group, because they are all placed in one turn of the event loop. */
const maxBundles = 256;

/** What a client requested. It never changes. */
export interface GroupSpec {
  readonly groupId: string;
  /** The group's name; empty if it has none. */
  readonly name: string;
  readonly bundles: readonly Quantities[];
  readonly strategy: GroupStrategy;
  readonly detached: boolean;
  readonly ownerId: string;
  /** The incarnation of the owner if it is an actor; 0 if it is a session. */
  readonly ownerIncarnation: number;
  readonly jobId: string;
  /** The namespace whose quotas its bundles count against; empty for the default one. */
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly labelConditions: readonly LabelCondition[];
}

/** A group as the head knows it. Only PlacementGroupTable.update changes it. */
export interface PlacementGroup {
  readonly spec: GroupSpec;
  readonly state: GroupState;
  /** The node of each bundle; undefined while it has none. */
  readonly places: readonly (BundlePlace | undefined)[];
  /** Why it was removed, if it is REMOVED. */
  readonly removedBecause: string;
  readonly createdAtMs: number;
}

const strategyToProto: Readonly<Record<GroupStrategy, proto.GroupStrategy>> = {
  PACK: proto.GroupStrategy.GROUP_STRATEGY_PACK,
  SPREAD: proto.GroupStrategy.GROUP_STRATEGY_SPREAD,
  STRICT_PACK: proto.GroupStrategy.GROUP_STRATEGY_STRICT_PACK,
  STRICT_SPREAD: proto.GroupStrategy.GROUP_STRATEGY_STRICT_SPREAD,
};

export const groupStateToProto: Readonly<Record<GroupState, proto.PlacementGroupState>> = {
  PENDING: proto.PlacementGroupState.PLACEMENT_GROUP_STATE_PENDING,
  CREATED: proto.PlacementGroupState.PLACEMENT_GROUP_STATE_CREATED,
  RESCHEDULING: proto.PlacementGroupState.PLACEMENT_GROUP_STATE_RESCHEDULING,
  REMOVED: proto.PlacementGroupState.PLACEMENT_GROUP_STATE_REMOVED,
};

/** Parses and checks the specification in a request. @throws {PalimpsestError} INVALID_ARGUMENT naming the field */
export function groupSpecFromProto(
  message: proto.PlacementGroupSpec.$Properties | null | undefined,
): GroupSpec {
  if (!message) throw invalid("spec is missing");
  const spec = groupSpecOf(message);
  if (!isValidId(spec.groupId))
    throw invalid(`group_id is ${JSON.stringify(spec.groupId)}: use an id such as newId("group") returns`);
  if (spec.name !== "" && !isValidId(spec.name))
    throw invalid(`name is ${shownText(spec.name)}: use up to 128 letters, digits, ".", "_", ":" and "-"`);
  if (spec.namespace !== "" && !isValidId(spec.namespace))
    throw invalid(
      `namespace is ${shownText(spec.namespace)}: use up to 128 letters, digits, ".", "_", ":" and "-"`,
    );
  if (!groupStrategies.some((one) => strategyToProto[one] === message.strategy))
    throw invalid(`strategy is ${message.strategy ?? 0}: use a value of GroupStrategy`);
  const count = spec.bundles.length;
  if (count === 0 || count > maxBundles)
    throw invalid(`bundles has ${count} entries: give from 1 to ${maxBundles}`);
  for (const [index, { quantities }] of (message.bundles ?? []).entries()) {
    const problem = requestProblem(quantities ?? {});
    if (problem !== undefined) throw invalid(`bundles[${index}]: ${problem}`);
    if (Object.keys(spec.bundles[index] ?? {}).length === 0)
      throw invalid(`bundles[${index}] is empty: give at least one quantity above 0`);
  }
  checkScheduling({ ...message, strategy: null });
  return spec;
}

/** Returns the request to the scheduler, with the nodes that bundles have already. */
export function groupRequestOf({ spec, places }: Pick<PlacementGroup, "spec" | "places">): GroupRequest {
  const placed = new Map<number, string>();
  for (const [index, place] of places.entries()) if (place !== undefined) placed.set(index, place.nodeId);
  const { labels, labelConditions } = spec;
  const bundles = spec.bundles.map((resources) => ({ resources, labels, conditions: labelConditions }));
  return { strategy: spec.strategy, bundles, placed };
}

export function groupToProto(group: PlacementGroup, reason = ""): proto.PlacementGroupInfo.$Properties {
  const { spec, state, places, createdAtMs } = group;
  return {
    spec: specToProto(spec),
    state: groupStateToProto[state],
    places: places.map((place) => ({ nodeId: place?.nodeId ?? "", gpuIds: [...(place?.gpuIds ?? [])] })),
    reason,
    createdAtMs,
  };
}

const specMessages = new WeakMap<GroupSpec, proto.PlacementGroupSpec.$Properties>();

/**
 * Returns a specification as a message. It is made once, because a specification never changes and each change of its
 * group is written with it.
 */
function specToProto(spec: GroupSpec): proto.PlacementGroupSpec.$Properties {
  const known = specMessages.get(spec);
  if (known !== undefined) return known;
  const message = {
    ...spec,
    ...labelsToProto(spec),
    bundles: spec.bundles.map((quantities) => ({ quantities: { ...quantities } })),
    strategy: strategyToProto[spec.strategy],
  };
  specMessages.set(spec, message);
  return message;
}

export function encodeGroup(group: PlacementGroup): Uint8Array {
  return proto.PlacementGroupInfo.encode(groupToProto(group)).finish();
}

export function decodeGroup(bytes: Uint8Array): PlacementGroup {
  const info = proto.PlacementGroupInfo.decode(bytes);
  return {
    spec: groupSpecOf(info.spec ?? {}),
    state: groupStates.find((state) => groupStateToProto[state] === info.state) ?? "PENDING",
    places: info.places.map(({ nodeId, gpuIds }) =>
      nodeId ? { nodeId, gpuIds: [...(gpuIds ?? [])] } : undefined,
    ),
    removedBecause: "",
    createdAtMs: info.createdAtMs,
  };
}

/** Returns the name of a bundle's lease on its node. */
export function bundleLease(groupId: string, index: number): string {
  return `bundle/${groupId}#${index}`;
}

function groupSpecOf(message: proto.PlacementGroupSpec.$Properties): GroupSpec {
  const { bundles, strategy, namespace, ...spec } = fieldsOf(proto.PlacementGroupSpec, message);
  const { labels, labelConditions } = schedulingOf(spec);
  return {
    ...spec,
    namespace: namespaceOf(namespace),
    bundles: bundles.map(({ quantities }) => normalizeQuantities(quantities ?? {})),
    strategy: groupStrategies.find((one) => strategyToProto[one] === strategy) ?? "PACK",
    labels,
    labelConditions,
  };
}

function labelsToProto({ labels, labelConditions }: GroupSpec) {
  const fields = schedulingToProto({ labels, labelConditions, strategy: { kind: "pack" } });
  return { labels: fields.labels, labelConditions: fields.labelConditions };
}

function invalid(message: string): PalimpsestError {
  return new PalimpsestError("INVALID_ARGUMENT", message);
}

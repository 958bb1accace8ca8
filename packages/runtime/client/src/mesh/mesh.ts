/**
 * Responsibility: many actors of one class in a grid, and calls to a slice of them.
 * Not responsible for: sending such a call (mesh-calls.ts), or single actors (actor-handle.ts).
 */
import { delay } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import type { ActorHandle, RemoteMethods } from "../actors/actor-handle.js";
import type { ActorType } from "../actors/actor-type.js";
import type { ClusterState } from "../base/cluster-state.js";
import type { ActorOptions } from "../base/config.js";
import type { NodeInfo } from "../base/views.js";
import type { MeshCallSettings, MeshCalls } from "./mesh-calls.js";
import type { MeshOutcome } from "./mesh-member-call.js";
import {
  type Coordinates,
  checkShape,
  coordinatesOf,
  isWithin,
  type MeshShape,
  type Selection,
} from "./mesh-shape.js";

/** The maximum number of members that the head is asked to create at the same time. */
const maxSpawning = 100;
/** The milliseconds that nodes that have just been started may take until they are registered. */
const nodeWaitMs = 5_000;
const nodeLookMs = 100;

/** Options of `cluster.mesh(Class, options)`: those of its members and the shape. */
export interface MeshOptions extends ActorOptions {
  /**
   * The size of each dimension, in the order of the results: { node: 2, lane: 500 } gives 1,000 members. Members with
   * the same index of `node` are on the same node as long as it is alive, those with different indexes on different
   * nodes.
   */
  readonly shape: MeshShape;
}

/** One member of a mesh: its coordinates and its handle. */
export interface MeshMember<Instance> {
  readonly at: Coordinates;
  readonly actor: ActorHandle<Instance>;
}

/** The outcome of the call to one member. */
export type MeshResult<Value> = { readonly at: Coordinates; readonly actorId: string } & (
  | { readonly status: "ok"; readonly value: Value }
  | { readonly status: "failed"; readonly error: PalimpsestError }
);

type Resulting<Methods, Give extends "results" | "values"> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...args: infer Args) => Promise<infer Value>
    ? (...args: Args) => Promise<Give extends "results" ? readonly MeshResult<Value>[] : readonly Value[]>
    : never;
};

/** A class as `cluster.mesh(Class, options)` returns it: it spawns meshes of that class. */
export interface MeshType<Instance extends object, Args extends unknown[]> {
  /** Creates all members with the same arguments; await `mesh.ready()` to know that they run. */
  spawn(...args: Args): Promise<Mesh<Instance>>;
  /** Creates each member with arguments computed from its coordinates. */
  spawnEach(argumentsAt: (at: Coordinates) => Args): Promise<Mesh<Instance>>;
}

export interface MeshTypeDeps {
  readonly calls: MeshCalls;
  /** Returns the ids of alive nodes, those with the most room first. */
  nodeIds(): Promise<readonly string[]>;
}

export function meshType<Instance extends object, Args extends unknown[]>(
  type: ActorType<Instance, Args>,
  options: MeshOptions,
  deps: MeshTypeDeps,
): MeshType<Instance, Args> {
  const { shape, ...given } = options;
  checkShape(shape, given);
  async function spawnEach(argumentsAt: (at: Coordinates) => Args): Promise<Mesh<Instance>> {
    const nodes = shape["node"] ?? 0;
    let nodeIds = nodes === 0 ? [] : await deps.nodeIds();
    const lastLookAt = performance.now() + nodeWaitMs;
    while (nodeIds.length < nodes && performance.now() < lastLookAt) {
      await delay(nodeLookMs);
      nodeIds = await deps.nodeIds();
    }
    if (nodeIds.length < nodes)
      throw new PalimpsestError(
        "UNSCHEDULABLE",
        `shape.node is ${nodes}, and ${nodeIds.length} nodes are alive after ${nodeWaitMs} ms: start more nodes, or request fewer`,
      );
    const places = coordinatesOf(shape);
    const types = nodeIds.slice(0, nodes).map((nodeId) => type.options({ strategy: { nodeId, soft: true } }));
    const spawnAt = async (at: Coordinates): Promise<MeshMember<Instance>> => {
      const one = types[at["node"] ?? -1] ?? type;
      return { at, actor: await one.spawn(...argumentsAt(at)) };
    };
    return new Mesh(shape, await allOrNone(places, spawnAt), deps.calls);
  }
  return { spawnEach, spawn: (...args) => spawnEach(() => args) };
}

/** Returns the ids of alive nodes, those with the most free cpus first. */
export async function roomiestNodes(state: Pick<ClusterState, "nodes">): Promise<readonly string[]> {
  const nodes = await state.nodes({ states: ["alive"] });
  const free = (node: NodeInfo) => node.available["cpu"] ?? 0;
  return nodes.toSorted((a, b) => free(b) - free(a)).map(({ nodeId }) => nodeId);
}

/** Members of a mesh that are called together. */
export class MeshSlice<Instance> {
  readonly members: readonly MeshMember<Instance>[];
  /** Calls a method of all members, and returns the outcome of each as a value, in the order of the members. */
  readonly call: Resulting<RemoteMethods<Instance>, "results">;
  /**
   * Calls a method of all members, and returns only the values.
   * @throws {PalimpsestError} the first failure, after all members have their outcome
   */
  readonly broadcast: Resulting<RemoteMethods<Instance>, "values">;
  readonly #calls: MeshCalls;
  readonly #settings: MeshCallSettings;

  constructor(members: readonly MeshMember<Instance>[], calls: MeshCalls, settings: MeshCallSettings = {}) {
    this.members = members;
    this.#calls = calls;
    this.#settings = settings;
    this.call = methods((name, args) => this.#call(name, args));
    this.broadcast = methods(async (name, args) => valuesOf(await this.#call(name, args)));
  }

  get size(): number {
    return this.members.length;
  }

  /**
   * Selects the members at these coordinates: { node: 0 }, { lane: [0, 1] }.
   * @throws {PalimpsestError} INVALID_ARGUMENT if there are none
   */
  slice(selection: Selection): MeshSlice<Instance> {
    const chosen = this.members.filter(({ at }) => isWithin(at, selection));
    if (chosen.length > 0) return new MeshSlice(chosen, this.#calls, this.#settings);
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `slice is ${JSON.stringify(selection)}, which contains no member: give dimensions of the shape and indexes within it`,
    );
  }

  /** Returns the same members with other call settings. */
  with(settings: MeshCallSettings): MeshSlice<Instance> {
    return new MeshSlice(this.members, this.#calls, { ...this.#settings, ...settings });
  }

  /**
   * Resolves when all members are alive.
   * @throws {PalimpsestError} as `handle.ready()` does for the first that is not
   */
  async ready(options: { readonly timeoutMs?: number } = {}): Promise<void> {
    await Promise.all(this.members.map(({ actor }) => actor.ready(options)));
  }

  /** Kills all members permanently. */
  async kill(): Promise<void> {
    await Promise.all(this.members.map(({ actor }) => actor.kill()));
  }

  async #call(method: string, args: readonly unknown[]): Promise<readonly MeshResult<unknown>[]> {
    const ids = this.members.map(({ actor }) => actor.actorId);
    const outcomes: readonly MeshOutcome[] = await this.#calls.call(ids, method, args, this.#settings);
    return this.members.map(({ at, actor }, index) => ({
      ...{ at, actorId: actor.actorId },
      ...(outcomes[index] ?? missing),
    }));
  }
}

/** All members of the mesh. */
export class Mesh<Instance> extends MeshSlice<Instance> {
  readonly shape: MeshShape;

  constructor(shape: MeshShape, members: readonly MeshMember<Instance>[], calls: MeshCalls) {
    super(members, calls);
    this.shape = shape;
  }
}

const missing: MeshOutcome = {
  status: "failed",
  error: new PalimpsestError("INTERNAL", "a member of the mesh has no outcome"),
};

function valuesOf(results: readonly MeshResult<unknown>[]): readonly unknown[] {
  return results.map((result) => {
    if (result.status === "ok") return result.value;
    throw result.error;
  });
}

function methods<Methods>(call: (name: string, args: readonly unknown[]) => Promise<unknown>): Methods {
  return new Proxy(Object.create(null) as object, {
    get: (_, name) =>
      typeof name === "symbol" || name === "then" ? undefined : (...args: unknown[]) => call(name, args),
  }) as Methods;
}

/** If some members could not be created, the others are removed. */
async function allOrNone<Instance>(
  places: readonly Coordinates[],
  spawnAt: (at: Coordinates) => Promise<MeshMember<Instance>>,
): Promise<readonly MeshMember<Instance>[]> {
  const members: MeshMember<Instance>[] = [];
  for (let first = 0; first < places.length; first += maxSpawning) {
    const made = await Promise.allSettled(places.slice(first, first + maxSpawning).map(spawnAt));
    members.push(...made.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])));
    const failed = made.find((one) => one.status === "rejected");
    if (failed === undefined) continue;
    await Promise.allSettled(members.map(({ actor }) => actor.kill()));
    throw failed.reason;
  }
  return members;
}

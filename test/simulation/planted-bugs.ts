/**
 * Bugs that the simulator must find, which proves that its checks work. Each changes one thing in a test's own wrapper
 * around the code under test; the product has no switch for any of them.
 */
import * as proto from "@palimpsest/wire/protocol";
import type { ActorOptions } from "../../packages/runtime/client/src/base/config.js";
import type { ControlPlane } from "../../packages/runtime/head/src/start/control-plane.js";
import type { SharedStore } from "../../packages/runtime/head/src/store/shared-store.js";
import type { Store, StoreWrite } from "../../packages/runtime/head/src/store/store.js";
import type { ActorProcessOptions } from "../../packages/runtime/node/src/processes/actor-process.js";
import type { ActorHostOptions } from "../../packages/runtime/worker/src/host/actor-host.js";
import type { Arrival } from "./world/connection.js";
import { Plant } from "./world/plant.js";
import type { SimProcess } from "./world/process.js";
import type { WorldSettings } from "./world/settings.js";
import type { World } from "./world/world.js";

export interface PlantedBug {
  readonly name: string;
  /** The invariants that the bug breaks. */
  readonly breaks: string;
  readonly make: () => Plant;
  /** The settings of the cluster in which the bug is searched for. Default: those of the seed. */
  readonly settings?: (seed: number) => WorldSettings;
}

type NodeMessage = proto.NodeMessage.$Properties;
type HeadMessage = proto.HeadMessage.$Properties;
type CallBatch = proto.CallBatch.$Properties;
type ReplyBatch = proto.ReplyBatch.$Properties;

/** A plant that changes messages of one method in one direction. */
export class MessageBug extends Plant {
  readonly #method: string;
  readonly #toServer: boolean;
  readonly #change: (body: never, world: World, message: Arrival) => unknown;
  #world!: World;

  constructor(
    method: string,
    toServer: boolean,
    change: (body: never, world: World, message: Arrival) => unknown,
  ) {
    super();
    this.#method = method;
    this.#toServer = toServer;
    this.#change = change;
  }

  override begin(world: World): void {
    this.#world = world;
  }

  override arrival(message: Arrival): unknown {
    if (message.method !== this.#method || message.toServer !== this.#toServer) return message.body;
    return this.#change(message.body as never, this.#world, message);
  }
}

/** A plant that changes what the store does with writes. */
export class StoreBug extends Plant {
  readonly #write: (store: Store, writes: readonly StoreWrite[], world: World) => Promise<void>;
  #world!: World;

  constructor(write: (store: Store, writes: readonly StoreWrite[], world: World) => Promise<void>) {
    super();
    this.#write = write;
  }

  override begin(world: World): void {
    this.#world = world;
  }

  override store(store: Store): Store {
    return {
      ...store,
      readTable: (table) => store.readTable(table),
      fact: (name, initial) => store.fact(name, initial),
      write: (writes) => this.#write(store, writes, this.#world),
    };
  }
}

export class HeadBug extends Plant {
  readonly #change: (plane: ControlPlane, world: World) => void;
  #world!: World;

  constructor(change: (plane: ControlPlane, world: World) => void) {
    super();
    this.#change = change;
  }

  override begin(world: World): void {
    this.#world = world;
  }

  override plane(plane: ControlPlane): void {
    this.#change(plane, this.#world);
  }
}

class ConfigBug extends Plant {
  readonly #change: Partial<WorldSettings["head"]>;

  constructor(change: Partial<WorldSettings["head"]>) {
    super();
    this.#change = change;
  }

  override headConfig(head: WorldSettings["head"]): WorldSettings["head"] {
    return { ...head, ...this.#change };
  }
}

class HostBug extends Plant {
  readonly #change: (options: ActorHostOptions) => ActorHostOptions;

  constructor(change: (options: ActorHostOptions) => ActorHostOptions) {
    super();
    this.#change = change;
  }

  override hostOptions(options: ActorHostOptions): ActorHostOptions {
    return this.#change(options);
  }
}

class SpecBug extends Plant {
  readonly #change: (options: ActorOptions) => ActorOptions;

  constructor(change: (options: ActorOptions) => ActorOptions) {
    super();
    this.#change = change;
  }

  override actorOptions(options: ActorOptions): ActorOptions {
    return this.#change(options);
  }
}

class SharedBug extends Plant {
  readonly #change: (store: SharedStore, world: World, process: SimProcess) => Partial<SharedStore>;
  #world!: World;

  constructor(change: (store: SharedStore, world: World, process: SimProcess) => Partial<SharedStore>) {
    super();
    this.#change = change;
  }

  override begin(world: World): void {
    this.#world = world;
  }

  override shared(store: SharedStore, process: SimProcess): SharedStore {
    return { ...store, ...this.#change(store, this.#world, process) };
  }
}

/** A head that does not notice that it no longer leads. */
class DeafBug extends Plant {
  override lost(): Promise<string> {
    return new Promise(() => undefined);
  }
}

/** Hosts that accept any stream as theirs, and any call as one for their incarnation. */
class AddresseeBug extends Plant {
  override begin(world: World): void {
    world.network.metadataAt = (metadata, to) => {
      const [actorId = "", incarnation = ""] = to.name.split("#");
      return { ...metadata, "palimpsest-actor-id": actorId, "palimpsest-incarnation": incarnation };
    };
  }

  override arrival(message: Arrival): unknown {
    if (message.method !== "ActorHost.Calls" || !message.toServer) return message.body;
    const incarnation = Number(message.to.name.split("#")[1]);
    const { frames } = message.body as CallBatch;
    return {
      frames: (frames ?? []).map((frame) =>
        frame.call ? { ...frame, call: { ...frame.call, incarnation } } : frame,
      ),
    };
  }
}

/** A head that does not read the stops that it has stored. */
class ForgottenStops extends Plant {
  override store(store: Store): Store {
    return {
      ...store,
      fact: (name, initial) => store.fact(name, initial),
      write: (writes) => store.write(writes),
      readTable: async (table) => {
        const rows = await store.readTable(table);
        if (table !== "jobs") return rows;
        return new Map(
          [...rows].map(([key, bytes]) => {
            const job = { ...proto.JobInfo.decode(bytes), stopRequested: false };
            return [key, proto.JobInfo.encode(job).finish()];
          }),
        );
      },
    };
  }
}

class RetryBug extends Plant {
  override retries(): number {
    return 3;
  }
}

class ProcessBug extends Plant {
  override processOptions(options: ActorProcessOptions): ActorProcessOptions {
    // This is what a supervisor would do that takes a repeated order for a new one.
    const incarnation = Math.max(1, (options.start.incarnation ?? 1) - 1);
    return { ...options, start: { ...options.start, incarnation } };
  }
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: "the store acknowledges before it writes",
    breaks: "ACTOR-1, JOURNAL-2",
    make: () =>
      new StoreBug(async (store, writes) => {
        setTimeout(() => void store.write(writes).catch(() => undefined), 30);
      }),
  },
  {
    name: "the store forgets one write of fifty",
    breaks: "JOURNAL-2, JOURNAL-3",
    make: () =>
      new StoreBug(async (store, writes, world) => {
        if (world.random.chance(0.02)) return;
        await store.write(writes);
      }),
  },
  {
    name: "the store writes an older row after a newer one",
    breaks: "JOURNAL-1",
    make: () => {
      const older: StoreWrite[] = [];
      return new StoreBug(async (store, writes, world) => {
        await store.write(writes);
        if (world.random.chance(0.05)) await store.write(older.splice(0));
        older.push(...writes);
        if (older.length > 8) older.splice(0, older.length - 8);
      });
    },
  },
  {
    name: "deaths are not written",
    breaks: "ACTORTABLE-2, JOURNAL-2, JOURNAL-3",
    make: () =>
      new StoreBug((store, writes) => {
        const { ACTOR_STATE_DEAD } = proto.ActorState;
        const isDeath = ({ table, bytes }: StoreWrite) =>
          table === "actors" &&
          bytes !== undefined &&
          proto.ActorInfo.decode(bytes).state === ACTOR_STATE_DEAD;
        return store.write(writes.filter((write) => !isDeath(write)));
      }),
  },
  {
    name: "two actors may have one name",
    breaks: "ACTORTABLE-1",
    make: () =>
      new HeadBug((plane) => {
        const create = plane.actors.create.bind(plane.actors);
        plane.actors.create = (spec) => {
          const taken = spec.name !== "" && plane.actors.byName(spec.name);
          if (!taken) return create(spec);
          const made = create({ ...spec, name: "" });
          Object.assign(made.actor.spec, { name: spec.name });
          return made;
        };
      }),
  },
  {
    name: "every actor restarts without limit",
    breaks: "ACTOR-4",
    make: () => new SpecBug((options) => ({ ...options, maxRestarts: -1 })),
  },
  {
    name: "detached is not kept",
    breaks: "DETACHED",
    make: () => new SpecBug((options) => ({ ...options, detached: false })),
  },
  {
    name: "a constructor's error is not reported",
    breaks: "ACTOR-5",
    make: () =>
      new MessageBug("NodeLink.Link", true, (body: NodeMessage) =>
        body.actorDied?.constructorError
          ? { actorDied: { ...body.actorDied, constructorError: null } }
          : body,
      ),
  },
  {
    name: "a kill releases the lease before the process is gone",
    breaks: "ACTOR-3",
    make: () =>
      new HeadBug((plane) => {
        const kill = plane.lifecycle.kill.bind(plane.lifecycle);
        plane.lifecycle.kill = (actorId, options) => {
          const actor = plane.actors.get(actorId);
          if (actor) plane.nodes.release(actor.nodeId, `actor/${actorId}#${actor.incarnation}`);
          return kill(actorId, options);
        };
      }),
  },
  {
    name: "a lease is never released",
    breaks: "NODE-2, PLACEMENT-2",
    make: () =>
      new HeadBug((plane) => {
        plane.nodes.release = () => undefined;
      }),
  },
  {
    name: "resources are not leased",
    breaks: "ACTOR-3, NODE-2",
    make: () =>
      new HeadBug((plane) => {
        const reserve = plane.nodes.reserve.bind(plane.nodes);
        plane.nodes.reserve = (nodeId, lease) => reserve(nodeId, lease, {});
      }),
  },
  {
    name: "a node's timeout is a third of what is set",
    breaks: "NODE-3",
    make: () => new ConfigBug({ nodeTimeoutMs: 16_000 }),
  },
  {
    name: "a silent node is never dead",
    breaks: "REST, ACTOR-6",
    make: () =>
      new HeadBug((plane) => {
        plane.nodes.tick = () => undefined;
      }),
  },
  {
    name: "a driver's grace is a tenth of what is set",
    breaks: "OWNER-1",
    make: () => new ConfigBug({ ownerGraceMs: 6_000, recoveryGraceMs: 6_000 }),
  },
  {
    name: "a session's lease never expires",
    breaks: "OWNER-1",
    make: () => new ConfigBug({ ownerGraceMs: 86_000_000, recoveryGraceMs: 60_000 }),
  },
  {
    name: "a node ignores orders to stop",
    breaks: "ACTOR-6",
    make: () =>
      new MessageBug("NodeLink.Link", false, (body: HeadMessage) => (body.stopActor ? undefined : body)),
  },
  {
    name: "a node ignores what it is to stop when it comes back",
    breaks: "ACTOR-6",
    make: () =>
      new MessageBug("NodeLink.Link", false, (body: HeadMessage) =>
        body.registered ? { registered: { ...body.registered, stopActorIds: [] } } : body,
      ),
  },
  {
    name: "a node that comes back lists nothing",
    breaks: "ACTOR-6, SUPERVISOR-1",
    make: () =>
      new MessageBug("NodeLink.Link", true, (body: NodeMessage) =>
        body.register ? { register: { ...body.register, actors: [] } } : body,
      ),
  },
  {
    name: "deaths are reported of the current incarnation, whichever it was",
    breaks: "ACTOR-2, ACTOR-3",
    make: () =>
      new HeadBug((plane) => {
        const died = plane.lifecycle.died.bind(plane.lifecycle);
        plane.lifecycle.died = (nodeId, message) => {
          const incarnation = plane.actors.get(message.actorId ?? "")?.incarnation ?? 0;
          died(nodeId, { ...message, incarnation });
        };
      }),
  },
  {
    name: "deaths of processes are lost on the way",
    breaks: "ACTOR-6",
    make: () =>
      new MessageBug("NodeLink.Link", true, (body: NodeMessage, world) =>
        body.actorDied && world.random.chance(0.2) ? undefined : body,
      ),
  },
  {
    name: "a restart repeats the incarnation before it",
    breaks: "SUPERVISOR-1",
    make: () => new ProcessBug(),
  },
  {
    name: "a host runs two calls at once",
    breaks: "MAILBOX-1",
    make: () => new HostBug((options) => ({ ...options, maxConcurrency: 2 })),
  },
  {
    name: "a mailbox of a batch is last in, first out",
    breaks: "MAILBOX-2",
    make: () =>
      new MessageBug("ActorHost.Calls", true, (body: CallBatch) => ({
        frames: [...(body.frames ?? [])].reverse(),
      })),
  },
  {
    name: "a call is sent twice",
    breaks: "CHANNEL-2",
    make: () =>
      new MessageBug("ActorHost.Calls", true, (body: CallBatch, world) =>
        world.random.chance(0.05) ? { frames: [...(body.frames ?? []), ...(body.frames ?? [])] } : body,
      ),
  },
  {
    name: "calls without retries are retried",
    breaks: "CHANNEL-2",
    make: () => new RetryBug(),
  },
  {
    name: "a reply carries the value of the reply before it",
    breaks: "INVOCATION-1",
    make: () => {
      let before: Uint8Array | undefined;
      return new MessageBug("ActorHost.Calls", false, (body: ReplyBatch, world) => ({
        replies: (body.replies ?? []).map((reply) => {
          const value = before;
          before = reply.value ?? before;
          return reply.value && value && world.random.chance(0.05) ? { ...reply, value } : reply;
        }),
      }));
    },
  },
  {
    name: "a handle reaches whoever has the name now",
    breaks: "ADDRESSEE",
    make: () =>
      new MessageBug("Head.ResolveActor", true, (body: proto.ResolveActorRequest.$Properties, world) => {
        const plane = world.head?.plane;
        const other = [...(plane?.actors.all() ?? [])].find(
          (one) => one.state === "ALIVE" && one.spec.actorId !== body.actorId,
        );
        return body.actorId && other && world.random.chance(0.05)
          ? { ...body, actorId: other.spec.actorId }
          : body;
      }),
  },
  {
    name: "a host does not look at whom a stream is for",
    breaks: "ADDRESSEE",
    make: () => new AddresseeBug(),
  },
  {
    name: "the store takes the writes of any epoch",
    breaks: "LEASE-1",
    make: () =>
      new SharedBug((store, world) => ({
        write: (guard, writes) => {
          const { epoch } = world.redis.contents;
          return store.write({ ...guard, epoch: Math.max(epoch, guard.epoch), unanswered: -1 }, writes);
        },
      })),
  },
  {
    name: "a head believes in its lease for twice as long as the store",
    breaks: "LEASE-3",
    make: () =>
      new SharedBug((store) => ({
        takeLease: (claim, ...given) => store.takeLease({ ...claim, leaseMs: claim.leaseMs / 2 }, ...given),
        renewLease: (claim, ...given) => store.renewLease({ ...claim, leaseMs: claim.leaseMs / 2 }, ...given),
      })),
  },
  {
    name: "a standby takes the lease of a leader that lives",
    breaks: "LEASE-3",
    make: () =>
      new SharedBug((store, world) => ({
        lease: async () => {
          const view = await store.lease();
          return world.random.chance(0.01) ? { ...view, leader: undefined } : view;
        },
        takeLease: async (claim, floor) => {
          const { leader } = await store.lease();
          return store.takeLease(claim, floor, leader?.headId ?? "");
        },
      })),
  },
  {
    name: "a standby waits ten times as long as it has to",
    breaks: "TAKEOVER",
    make: () =>
      new SharedBug((store) => {
        let looks = 0;
        return {
          takeLease: (claim, ...given) =>
            ++looks % 60 === 0
              ? store.takeLease(claim, ...given)
              : Promise.resolve({ kind: "refused", epoch: 0, leader: undefined }),
        };
      }),
  },
  {
    name: "a deposed head goes on",
    breaks: "HEAD-4",
    make: () => new DeafBug(),
  },
  {
    name: "a loss of the store is not found out",
    breaks: "LEASE-4, JOURNAL-3",
    make: () =>
      new SharedBug((store) => ({
        write: (guard, writes) => store.write({ ...guard, unanswered: -1 }, writes),
        renewLease: async (...given) => {
          const answer = await store.renewLease(...given);
          return answer.kind === "held" ? { ...answer, sequence: Number.MAX_SAFE_INTEGER } : answer;
        },
      })),
  },
  {
    name: "rows that were lost are written again, those that were removed stay",
    breaks: "LEASE-4, JOURNAL-3",
    make: () => new SharedBug(() => ({ tableKeys: async () => [] })),
  },
  {
    name: "a stop of a job is not sent to its node",
    breaks: "JOBLIFE-3",
    make: () =>
      new MessageBug("NodeLink.Link", false, (body: HeadMessage) => (body.stopDriver ? undefined : body)),
  },
  {
    name: "the head does not note that a job was asked to stop",
    breaks: "JOBLIFE-3",
    make: () =>
      new HeadBug((plane) => {
        const update = plane.jobs.update.bind(plane.jobs);
        plane.jobs.update = (jobId, patch) => update(jobId, { ...patch, stopRequested: false });
      }),
  },
  {
    name: "a stop of a job is forgotten across a head restart",
    breaks: "JOBLIFE-3",
    make: () => new ForgottenStops(),
  },
  {
    name: "a node is told of a driver before the store is",
    breaks: "JOBLIFE-2",
    make: () =>
      new StoreBug(async (store, writes) => {
        const later = writes.filter(({ table }) => table === "jobs");
        await store.write(writes.filter(({ table }) => table !== "jobs"));
        setTimeout(() => void store.write(later).catch(() => undefined), 1_000);
      }),
  },
  {
    name: "ends of drivers are lost on the way",
    breaks: "JOBREST",
    make: () =>
      new MessageBug("NodeLink.Link", true, (body: NodeMessage, world) =>
        body.driverExited && world.random.chance(0.3) ? undefined : body,
      ),
  },
  {
    name: "a node that comes back names no drivers",
    breaks: "JOBLIFE-1, JOBREST",
    make: () =>
      new MessageBug("NodeLink.Link", true, (body: NodeMessage) =>
        body.register ? { register: { ...body.register, drivers: [] } } : body,
      ),
  },
  {
    name: "who asks for an actor by name gets whatever has the name",
    breaks: "NAMED-2",
    make: () =>
      new HeadBug((plane) => {
        const create = plane.lifecycle.create.bind(plane.lifecycle);
        plane.lifecycle.create = async (spec, getIfExists) =>
          (getIfExists ? plane.actors.byName(spec.name) : undefined) ?? (await create(spec, getIfExists));
      }),
  },
  {
    name: "a head creates an actor for each that asks for the name",
    breaks: "NAMED-1, ACTORTABLE-1",
    make: () =>
      new HeadBug((plane) => {
        const create = plane.lifecycle.create.bind(plane.lifecycle);
        plane.lifecycle.create = (spec, getIfExists) =>
          create(getIfExists ? { ...spec, name: "" } : spec, false);
      }),
  },
];

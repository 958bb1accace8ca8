import * as proto from "@palimpsest/wire/protocol";
import type { Connection } from "./connection.js";
import type { SimProcess } from "./process.js";
import { Random } from "./random.js";
import type { World } from "./world.js";

type Fault = (nemesis: Nemesis) => string | undefined;

/** The faults, and how often each happens relative to the others. */
const faults: readonly (readonly [weight: number, fault: Fault])[] = [
  [4, (nemesis) => nemesis.crashWorker()],
  [1, (nemesis) => nemesis.crashJobDriver()],
  [3, (nemesis) => nemesis.crashNode()],
  [3, (nemesis) => nemesis.crashHead()],
  [2, (nemesis) => nemesis.crashDriver()],
  [4, (nemesis) => nemesis.pause()],
  [5, (nemesis) => nemesis.partition()],
  [5, (nemesis) => nemesis.sever()],
  [2, (nemesis) => nemesis.redisAway()],
  [1, (nemesis) => nemesis.redisLoses()],
  [2, (nemesis) => nemesis.jumpClock()],
  [2, (nemesis) => nemesis.duplicate()],
];

/** The faults of clusters with actors of every kind, durable ones among them. */
const faultsOfKinds: typeof faults = [
  [2, (nemesis) => nemesis.crashEverything()],
  [2, (nemesis) => nemesis.pauseShared()],
];

/** The faults of nodes that spill objects to disk. */
const faultsOfSpilling: typeof faults = [[4, (nemesis) => nemesis.fillDisk()]];

/** After this time a fault that is over has no more effects: heads and nodes have started and reconnected. */
const feltMs = 60_000;

/** Injects faults at times that the seed decides, until the world is calm; then it repairs all of them. */
export class Nemesis {
  readonly #world: World;
  readonly #random: Random;
  readonly #paused = new Set<SimProcess>();

  constructor(world: World) {
    this.#world = world;
    this.#random = new Random(`${world.seed}/faults`);
    if (world.seed % 5 === 0) this.#forgetRemovals();
    if (world.seed % 5 === 1) this.#crashAtStops();
    if (world.settings.objectSpillBytes > 0) this.#meddleWithSpills();
    this.#next();
  }

  /** Repairs everything that is broken. */
  repair(): void {
    const { network, redis } = this.#world;
    network.heal();
    network.settings.duplicateShare = 0;
    redis.comeBack();
    for (const process of this.#paused) process.resume();
    this.#paused.clear();
    for (const { disk } of this.#world.nodes) disk.fullUntilMs = 0;
  }

  crashWorker(): string | undefined {
    const worker = this.#random.pick([...this.#world.workers]);
    worker?.crash(0, "SIGKILL");
    return worker && `kill -9 ${worker.process.name}`;
  }

  /** Kills everything but Redis and drivers with kill -9, so that only durable state survives. */
  crashEverything(): string {
    const { heads, nodes } = this.#world;
    for (const { process } of [...heads, ...nodes]) process.kill();
    return "kill -9 of every head and node";
  }

  crashJobDriver(): string | undefined {
    const driver = this.#random.pick([...this.#world.jobDrivers]);
    driver?.exit(undefined, "SIGKILL");
    return driver && `kill -9 the driver of ${driver.jobId}`;
  }

  crashNode(): string | undefined {
    const node = this.#random.pick(this.#world.nodes.filter((one) => !one.over));
    node?.process.kill();
    return node && `kill -9 ${node.nodeId}`;
  }

  crashHead(): string | undefined {
    const head = this.#random.pick(this.#world.heads.filter((one) => !one.process.ended));
    head?.process.kill();
    return head && `kill -9 ${head.process.name}`;
  }

  crashDriver(): string | undefined {
    const driver = this.#random.pick(this.#world.drivers.filter((one) => !one.over));
    driver?.process.kill();
    return driver && `kill -9 ${driver.name}`;
  }

  /** Pauses a process of light actors. One that is paused for too long is ended by its node. */
  pauseShared(): string | undefined {
    return this.pause([...this.#world.sharedWorkers].map(({ sim }) => sim));
  }

  pause(among = this.#world.processes()): string | undefined {
    const world = this.#world;
    const process = this.#random.pick(among);
    if (process === undefined || process.paused) return undefined;
    const forMs = this.#random.between(1_000, 60_000);
    this.#broken(forMs);
    process.pause();
    this.#paused.add(process);
    world.network.paused(process);
    world.scheduler.after(forMs, undefined, () => {
      this.#paused.delete(process);
      process.resume();
    });
    return `SIGSTOP ${process.name} for ${forMs.toFixed(0)} ms`;
  }

  partition(): string | undefined {
    const { network, scheduler } = this.#world;
    const machines = this.#world.machines();
    const alone = this.#random.pick(machines) ?? "";
    const others = machines.filter((one) => one !== alone);
    // The machine is cut off from all others, or from one of them.
    const from = this.#random.chance(0.5) ? others : [this.#random.pick(others) ?? ""];
    for (const other of from) network.cut(alone, other);
    const forMs = this.#random.between(500, 120_000);
    this.#broken(forMs);
    scheduler.after(forMs, undefined, () => {
      this.#world.story.tell("FAULT", () => "partitions heal");
      network.heal();
    });
    return `partition of ${alone} from ${from.join(", ")} for ${forMs.toFixed(0)} ms`;
  }

  /** Loses messages: the connection that carried them breaks, on both sides or on one. */
  sever(): string | undefined {
    const random = this.#random;
    const connection: Connection | undefined = random.pick(
      this.#world.network.connections.filter((one) => !one.over),
    );
    if (connection === undefined) return undefined;
    const delay = () => random.between(0, 200);
    const side = random.below(4);
    connection.sever(
      "the connection broke",
      side === 1 ? undefined : delay(),
      side === 2 ? undefined : delay(),
    );
    const { client, server } = connection;
    const half =
      side === 1 ? " (its client does not notice)" : side === 2 ? " (its server does not notice)" : "";
    return `connection ${client.process.name} to ${server.process.name} breaks${half}`;
  }

  /** Leaves no space for spilled copies on a node's disk. */
  fillDisk(): string | undefined {
    const node = this.#random.pick(this.#world.nodes.filter((one) => !one.over));
    if (node === undefined) return undefined;
    const forMs = this.#random.between(1_000, 60_000);
    this.#broken(forMs);
    node.disk.fullUntilMs = this.#world.scheduler.nowMs + forMs;
    return `the disk of ${node.nodeId} is full for ${forMs.toFixed(0)} ms`;
  }

  redisAway(): string {
    const { redis, scheduler } = this.#world;
    const forMs = this.#random.between(500, 40_000);
    this.#broken(forMs);
    redis.goAway();
    scheduler.after(forMs, undefined, () => redis.comeBack());
    return `Redis is away for ${forMs.toFixed(0)} ms`;
  }

  redisLoses(): string {
    const { redis } = this.#world;
    const draw = this.#random.float();
    if (draw < 0.2) {
      redis.flushAll();
      return "FLUSHALL";
    }
    const lagMs = draw < 0.7 ? 1_000 : 5_000;
    redis.loseLast(lagMs);
    return `Redis loses its last ${lagMs} ms`;
  }

  jumpClock(): string | undefined {
    const process = this.#random.pick(this.#world.processes());
    if (process === undefined) return undefined;
    const jumpMs = this.#random.between(-1, 1) * (this.#random.chance(0.5) ? 5_000 : 3_600_000);
    process.wallOffsetMs += jumpMs;
    return `the clock of ${process.name} jumps by ${jumpMs.toFixed(0)} ms`;
  }

  duplicate(): string {
    const { network, scheduler } = this.#world;
    this.#broken(60_000);
    network.settings.duplicateShare = 0.3;
    scheduler.after(60_000, undefined, () => {
      network.settings.duplicateShare = 0;
    });
    return "requests arrive twice, three of ten, for a minute";
  }

  /**
   * Kills Redis just after rows were removed, so that they come back: losses at random times hardly ever meet a
   * removal.
   */
  #forgetRemovals(): void {
    const { redis, story, records } = this.#world;
    const random = new Random(`${this.#world.seed}/removals`);
    redis.observers.add({
      writing: (writes) => {
        const removes = writes.some(({ table, key, bytes }) => !bytes && redis.rows(table).has(key));
        if (!removes || this.#world.calm || !random.chance(0.05)) return;
        const forMs = random.between(10, 1_000);
        this.#broken(forMs);
        records.counts.faults++;
        story.tell("FAULT", () => `Redis loses a removal and what comes in the next ${forMs.toFixed(0)} ms`);
        redis.loseWhatFollows(forMs);
      },
    });
  }

  /** Kills the head after it has stored a stop, before the node hears of it. */
  #crashAtStops(): void {
    const { redis, story, records, network, scheduler } = this.#world;
    const random = new Random(`${this.#world.seed}/stops`);
    redis.observers.add({
      row: ({ table, bytes }) => {
        if (table !== "jobs" || !bytes || this.#world.calm) return;
        const { stopRequested, status, nodeId } = proto.JobInfo.decode(bytes);
        const { head } = this.#world;
        const node = this.#world.nodes.find((one) => one.nodeId === nodeId && !one.over);
        if (!stopRequested || status !== proto.JobStatus.JOB_STATUS_RUNNING || !head || !node) return;
        if (!random.chance(0.5)) return;
        this.#broken(60_000);
        records.counts.faults++;
        story.tell("FAULT", () => `${nodeId} hears nothing of a stop, and ${head.process.name} dies`);
        network.cut(head.process.machine, node.machine);
        scheduler.after(random.between(50, 2_000), undefined, () => head.process.kill());
        scheduler.after(random.between(5_000, 60_000), undefined, () => network.heal());
      },
    });
  }

  /** In the middle of a spill, kills the node with kill -9, or has a driver read or free the object. */
  #meddleWithSpills(): void {
    const world = this.#world;
    const random = new Random(`${world.seed}/spills`);
    world.onSpill = (node, objectId) => {
      if (world.calm) return;
      if (random.chance(0.3)) random.pick(world.drivers)?.meddle(objectId);
      if (!random.chance(0.02)) return;
      this.#broken();
      world.records.counts.faults++;
      world.scheduler.after(random.between(0, 100), node.process, () => {
        world.story.tell("FAULT", () => `kill -9 ${node.nodeId}, which spills`);
        node.process.kill();
      });
    };
  }

  #broken(forMs = 0): void {
    const world = this.#world;
    world.brokenUntilMs = Math.max(world.brokenUntilMs, world.scheduler.nowMs + forMs + feltMs);
  }

  #next(): void {
    const { scheduler, settings } = this.#world;
    const waitMs = -Math.log(1 - this.#random.float()) * settings.faultEveryMs * this.#world.quiet;
    scheduler.after(waitMs, undefined, () => {
      if (this.#world.calm) return;
      this.#strike();
      this.#next();
    });
  }

  #strike(): void {
    const { kinds, objectSpillBytes } = this.#world.settings;
    const spilling = objectSpillBytes > 0 ? faultsOfSpilling : [];
    const possible = [...faults, ...(kinds ? faultsOfKinds : []), ...spilling];
    const total = possible.reduce((sum, [weight]) => sum + weight, 0);
    let draw = this.#random.float() * total;
    for (const [weight, fault] of possible) {
      draw -= weight;
      if (draw >= 0) continue;
      const text = fault(this);
      if (text === undefined) return;
      this.#broken();
      this.#world.records.counts.faults++;
      this.#world.story.tell("FAULT", () => text);
      return;
    }
  }
}

/**
 * Responsibility: one simulated cluster for one seed: makes its processes, restarts ended ones as their supervisors
 * would, injects faults, then lets the cluster come to rest and checks its state. Not responsible for: the code under
 * test, which is the product's own.
 */
import { Writable } from "node:stream";
import { createLogger, createMetrics, type Logger, type Metrics } from "@palimpsest/telemetry";
import { checkAtRest } from "../invariants/at-rest.js";
import { LeadershipWatch } from "../invariants/leadership.js";
import { checkObjectsAtRest } from "../invariants/objects.js";
import { checkTables } from "../invariants/tables.js";
import { checkValuesAtRest } from "../invariants/values.js";
import { Builds } from "./builds.js";
import { SimDriver, warmUp } from "./driver.js";
import { DurableRecords } from "./durable-records.js";
import { DurableStore } from "./durable-store.js";
import { Nemesis } from "./faults.js";
import { GroupRecords } from "./group-records.js";
import { type HeadFolder, SimHead } from "./head.js";
import { makeHermetic } from "./hermetic.js";
import type { SimJobDriver } from "./job-driver.js";
import { JobRecords } from "./job-records.js";
import { Losses } from "./losses.js";
import type { MachineFiles } from "./memory-disk.js";
import { MeshRecords } from "./mesh-records.js";
import { SimNetwork } from "./network.js";
import { SimNode } from "./node.js";
import { ObjectRecords } from "./object-records.js";
import { Plant } from "./plant.js";
import { SimProcess } from "./process.js";
import { Random } from "./random.js";
import { Records } from "./records.js";
import { redisMachine } from "./redis-link.js";
import { Scheduler } from "./scheduler.js";
import { settingsOf, type WorldSettings } from "./settings.js";
import type { SimSharedWorker } from "./shared-worker.js";
import type { SimHosted } from "./sim-actor.js";
import { SimRedis } from "./store.js";
import { Story } from "./story.js";
import { TaskRecords } from "./task-records.js";
import { ValueRecords } from "./value-records.js";
import { Violation } from "./violation.js";

export interface RunOptions {
  readonly settings?: WorldSettings;
  readonly plant?: Plant;
  readonly keepStory?: boolean;
  /** Ends the run at this time of the simulation, without the checks of a cluster at rest. Default: its whole life. */
  readonly untilMs?: number;
  /** Ends the run, because nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

export interface RunResult {
  readonly seed: number;
  /** Equal runs have equal hashes. */
  readonly hash: number;
  readonly story: readonly string[];
  readonly violation: Violation | undefined;
  readonly simulatedMs: number;
  readonly events: number;
  readonly counts: Records["counts"];
}

let sharedMetrics: Metrics | undefined;
let silent: Logger | undefined;
let warm: Promise<void> | undefined;

export class World {
  readonly seed: number;
  readonly settings: WorldSettings;
  readonly scheduler = new Scheduler();
  readonly random: Random;
  readonly network: SimNetwork;
  readonly redis: SimRedis;
  readonly story: Story;
  readonly records: Records;
  readonly jobs: JobRecords;
  readonly objects: ObjectRecords;
  readonly groups: GroupRecords;
  readonly tasks: TaskRecords;
  readonly values: ValueRecords;
  readonly durables: DurableRecords;
  readonly durableStore: DurableStore;
  readonly meshes: MeshRecords;
  readonly builds: Builds;
  readonly plant: Plant;
  readonly metrics: Metrics;
  readonly losses: Losses;
  /** The running actors and task workers. */
  readonly workers = new Set<SimHosted>();
  /** Processes of light actors. */
  readonly sharedWorkers = new Set<SimSharedWorker>();
  sharedLives = 0;
  /** Files of object stores by machine. They stay when a node is killed, until the next one empties its folders. */
  readonly files = new Map<string, MachineFiles>();
  /** Called when a node begins to write a spilled copy, probably of this object. */
  onSpill: ((node: SimNode, objectId: string) => void) | undefined;
  /** Marks that ended processes have written to say whose code ran, by path. */
  readonly marks = new Map<string, number>();
  readonly jobDrivers = new Set<SimJobDriver>();
  nodes: SimNode[] = [];
  drivers: SimDriver[] = [];
  heads: SimHead[] = [];
  calm = false;
  /** The time until which faults may have effects. */
  brokenUntilMs = 0;
  #processes = 0;
  #lives = { head: 0, node: 0, driver: 0 };

  constructor(seed: number, options: RunOptions) {
    this.seed = seed;
    this.settings = options.settings ?? settingsOf(seed);
    this.plant = options.plant ?? new Plant();
    this.random = new Random(`${seed}/world`);
    this.network = new SimNetwork(this.scheduler, new Random(`${seed}/network`), {
      latencyMs: [0.2, 5],
      slowShare: 0.01,
      duplicateShare: 0,
    });
    this.redis = new SimRedis(this.scheduler, new Random(`${seed}/redis`), (machine) =>
      this.network.partitioned(machine, redisMachine),
    );
    this.network.onHeal = () => this.redis.healed();
    this.story = new Story(this.scheduler, options.keepStory ?? false);
    sharedMetrics ??= createMetrics({ component: "simulation", processMetrics: false });
    this.metrics = sharedMetrics;
    this.losses = new Losses(this);
    this.records = new Records(this);
    this.jobs = new JobRecords(this);
    this.objects = new ObjectRecords(this);
    this.groups = new GroupRecords(this);
    this.tasks = new TaskRecords(this);
    this.values = new ValueRecords(this);
    this.durables = new DurableRecords(this);
    this.durableStore = new DurableStore(this);
    this.meshes = new MeshRecords(this);
    this.builds = new Builds(this, this.machines());
    this.network.builds = this.builds;
    this.network.meet = (path, header, own) => this.plant.meet(path, header, own);
    new LeadershipWatch(this);
    this.network.arrival = (message) => {
      this.records.arrived(message);
      this.jobs.arrived(message);
      this.objects.arrived(message);
      this.tasks.arrived(message);
      this.values.arrived(message);
      return this.plant.arrival(message);
    };
    this.network.onCall = (method, from, to) => {
      if (method === "ActorHost.Calls" || method === "ActorHost.SharedCalls")
        this.records.streamOpened(to.name, from.name);
    };
    this.plant.begin(this);
  }

  /** @param parent the process that starts it, which has the same version; undefined: one that a supervisor starts */
  process(machine: string, name: string, parent?: SimProcess): SimProcess {
    const process = new SimProcess(this.scheduler, ++this.#processes, machine, name);
    this.builds.started(process, parent);
    return process;
  }

  logger(component: string): Logger {
    if (!this.story.keeps) {
      silent ??= createLogger({ component: "simulation", level: "silent" });
      return silent;
    }
    const destination = new Writable({ write: (_chunk, _encoding, done) => done() });
    destination.write = (chunk: unknown) => {
      const {
        level: _level,
        time: _time,
        pid: _pid,
        component: _component,
        msg,
        err,
        ...rest
      } = JSON.parse(String(chunk));
      // Head and node read folders of the real disk, at a time that is not the simulation's.
      if (String(msg).startsWith("bundles") || String(err?.message).includes("/nowhere")) return true;
      this.story.tell(component, () => `log: ${msg} ${JSON.stringify(rest)}${err ? ` ${err.message}` : ""}`);
      return true;
    };
    return createLogger({ component, level: "info", destination });
  }

  /** The factor by which operations and faults are rarer now than in a busy phase. */
  get quiet(): number {
    return this.scheduler.nowMs < this.settings.busyMs ? 1 : this.settings.idleFactor;
  }

  /** The head that leads, according to its own knowledge. */
  get head(): SimHead | undefined {
    const leading = this.heads.filter((one) => !one.process.ended && one.plane && one.lost === undefined);
    return leading.sort((a, b) => (b.leadership?.epoch ?? 0) - (a.leadership?.epoch ?? 0))[0];
  }

  /** The addresses (host:port) of all heads, as users give them. */
  get headAddresses(): string {
    return this.#headMachines()
      .map((machine) => `${machine}:7001`)
      .join(",");
  }

  /** The processes that run now. */
  processes(): SimProcess[] {
    const all = [
      ...this.heads.map((one) => one.process),
      ...this.nodes.map((node) => node.process),
      ...this.drivers.map((one) => one.process),
    ];
    // Light actors share one process, so each process is listed once.
    for (const process of new Set([...this.workers].map((worker) => worker.process))) all.push(process);
    for (const driver of this.jobDrivers) all.push(driver.process);
    return all.filter((process) => process !== undefined && !process.ended) as SimProcess[];
  }

  machines(): string[] {
    const { nodes, drivers } = this.settings;
    return [
      redisMachine,
      ...this.#headMachines(),
      ...Array.from({ length: nodes }, (_, index) => `m-node-${index}`),
      ...Array.from({ length: drivers }, (_, index) => `m-driver-${index}`),
    ];
  }

  async live(untilMs: number): Promise<void> {
    const { activeMs, calmMs } = this.settings;
    const { scheduler } = this;
    scheduler.after(0, undefined, () => {
      for (const machine of this.#headMachines()) {
        this.#startHead(`${machine}:7001`, { headId: "", epoch: 0, clusterId: "" });
      }
      for (let index = 0; index < this.settings.nodes; index++) this.#startNode(`m-node-${index}`);
      for (let index = 0; index < this.settings.drivers; index++) this.#startDriver(`m-driver-${index}`);
    });
    this.#checkRegularly();
    const nemesis = new Nemesis(this);
    await scheduler.run(Math.min(activeMs, untilMs));
    if (untilMs <= activeMs) return;
    this.calm = true;
    scheduler.after(0, undefined, () => {
      this.story.tell("FAULT", () => "all faults end");
      nemesis.repair();
      this.builds.settle();
    });
    if (this.settings.values)
      scheduler.after(calmMs / 2, undefined, () => {
        for (const worker of this.workers) worker.dropValues();
      });
    await scheduler.run(Math.min(activeMs + calmMs, untilMs));
    if (untilMs < activeMs + calmMs) return;
    checkTables(this);
    checkAtRest(this);
    checkObjectsAtRest(this);
    checkValuesAtRest(this);
    this.tasks.checkAtRest();
    this.durables.checkAtRest();
    this.meshes.checkAtRest();
    await scheduler.run(activeMs + calmMs);
  }

  #headMachines(): string[] {
    return Array.from({ length: this.settings.heads }, (_, index) => `m-head-${index}`);
  }

  #startHead(address: string, folder: HeadFolder): void {
    const head = new SimHead(this, ++this.#lives.head, address, folder);
    this.heads = [...this.heads.filter((one) => !one.process.ended), head];
    head.process.onEnd(() => {
      this.scheduler.after(this.random.between(500, 30_000), undefined, () =>
        this.#startHead(address, folder),
      );
    });
  }

  #startNode(machine: string): void {
    const node = new SimNode(this, `node-${++this.#lives.node}`, machine);
    this.nodes = [...this.nodes.filter((one) => !one.over), node];
    node.process.onEnd(() => {
      this.values.nodeLostMs = this.scheduler.nowMs;
      this.scheduler.after(this.random.between(1_000, 60_000), undefined, () => this.#startNode(machine));
    });
  }

  #startDriver(machine: string): void {
    const driver = new SimDriver(this, `driver-${++this.#lives.driver}`, machine);
    this.drivers = [...this.drivers.filter((one) => !one.over), driver];
    driver.process.onEnd(() => {
      this.scheduler.after(this.random.between(1_000, 30_000), undefined, () => {
        if (!this.calm) this.#startDriver(machine);
      });
    });
  }

  #checkRegularly(): void {
    this.scheduler.after(this.settings.checkEveryMs, undefined, () => {
      checkTables(this);
      this.objects.check();
      this.tasks.check();
      for (const shared of this.sharedWorkers) shared.check();
      this.#checkRegularly();
    });
  }
}

/**
 * Runs one seed from beginning to end. The result is a function of the arguments alone.
 * @throws the signal's reason
 */
export async function simulate(seed: number, options: RunOptions = {}): Promise<RunResult> {
  warm ??= warmUp();
  await warm;
  options.signal?.throwIfAborted();
  const world = new World(seed, options);
  const restore = makeHermetic(world.scheduler, new Random(`${seed}/product`), world.marks);
  const { stackTraceLimit } = Error;
  // Capturing the stacks of the errors that faults cause takes a tenth of a run; only a story shows them.
  if (!options.keepStory || options.settings?.values) Error.stackTraceLimit = 0;
  const unhandled = (reason: unknown) => {
    const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
    world.records.violation("REJECTIONS", `a promise was rejected and nobody looked: ${text}`);
  };
  process.on("unhandledRejection", unhandled);
  let violation: Violation | undefined;
  const stop = () => world.scheduler.fail(options.signal?.reason);
  options.signal?.addEventListener("abort", stop, { once: true });
  try {
    await world.live(options.untilMs ?? Number.POSITIVE_INFINITY);
  } catch (reason) {
    options.signal?.throwIfAborted();
    violation =
      reason instanceof Violation
        ? reason
        : new Violation("CRASH", reason instanceof Error ? (reason.stack ?? "") : String(reason));
  } finally {
    restore();
    world.plant.end();
    Error.stackTraceLimit = stackTraceLimit;
    process.off("unhandledRejection", unhandled);
    options.signal?.removeEventListener("abort", stop);
  }
  const { scheduler, story, records } = world;
  return {
    seed,
    hash: scheduler.hash,
    story: story.lines,
    violation,
    simulatedMs: scheduler.nowMs,
    events: scheduler.events,
    counts: records.counts,
  };
}

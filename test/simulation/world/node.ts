import { pathToFileURL } from "node:url";
import { systemClock } from "@palimpsest/std";
import { parseNodeConfig } from "../../../packages/runtime/node/src/base/config.js";
import { NodeManager } from "../../../packages/runtime/node/src/node/node-manager.js";
import { NodeObjects } from "../../../packages/runtime/node/src/node/node-objects.js";
import type { NodeParts } from "../../../packages/runtime/node/src/node/node-parts.js";
import { ObjectStore } from "../../../packages/runtime/node/src/objects/store/object-store.js";
import { watchObjectQuotas } from "../invariants/object-quotas.js";
import { simulatedDrivers } from "./job-driver.js";
import { MemoryDisk, objectFolder, spillFolder } from "./memory-disk.js";
import type { SimProcess } from "./process.js";
import { objectsPort } from "./settings.js";
import { SimSharedWorker } from "./shared-worker.js";
import type { SimHosted } from "./sim-actor.js";
import { watchSpills } from "./spill-records.js";
import { SimWorker } from "./worker.js";
import type { World } from "./world.js";

/**
 * One node: the product's NodeManager with its link and supervisor, over simulated processes and an object store in
 * memory.
 */
export class SimNode {
  readonly nodeId: string;
  readonly machine: string;
  readonly process: SimProcess;
  readonly workers = new Set<SimHosted>();
  readonly disk: MemoryDisk;
  store: ObjectStore | undefined;
  readonly #world: World;
  over = false;

  constructor(world: World, nodeId: string, machine: string) {
    this.nodeId = nodeId;
    this.machine = machine;
    this.#world = world;
    this.process = world.process(machine, nodeId);
    this.disk = new MemoryDisk(world, this);
    this.process.onEnd(() => {
      this.over = true;
    });
    world.scheduler.after(0, this.process, () => void this.#start());
  }

  async #start(): Promise<void> {
    const world = this.#world;
    const { nodeId, machine } = this;
    const config = parseNodeConfig({
      headAddress: world.headAddresses,
      token: "token-of-the-simulation",
      nodeId,
      listenHost: machine,
      dataDir: "/nowhere",
      modulesFrom: "/nowhere/module.js",
      headAwayLimitMs: world.settings.headAwayLimitMs,
      actorStartTimeoutMs: world.settings.actorStartTimeoutMs,
      stopGraceMs: 2_000,
      sharedProcessBlockMs: world.settings.sharedProcessBlockMs,
      objectsPort,
      objectHolderCheckMs: world.settings.objectHolderCheckMs,
    });
    const deps = {
      logger: world.logger(nodeId),
      environment: {},
      network: world.network.of(this.process),
      use: { read: () => undefined },
      startProcess: (options: ConstructorParameters<typeof SimWorker>[2]) => {
        const worker = new SimWorker(world, this.process, world.plant.processOptions(options));
        this.workers.add(worker);
        worker.process.onEnd(() => this.workers.delete(worker));
        world.records.workerStarted(worker, this);
        return worker;
      },
      spawnShared: () => new SimSharedWorker(world, this),
      prepareDriver: simulatedDrivers(world, this),
    };
    const nothing = async () => undefined;
    const parts = {
      network: deps.network,
      credentials: {
        own: { onChange: () => nothing },
        watch: () => () => undefined,
        forActor: () => ({}),
        driverTokenFile: "",
        driverTls: "",
      },
      installation: {
        urlOf: (name: string) => pathToFileURL(`/nowhere/${name}`).href,
        pathOf: () => "/nowhere",
      },
      resources: { cpu: world.settings.cpusOfNode },
      metricsServer: { address: "", close: nothing },
      objects: await NodeObjects.start({
        config,
        metrics: world.metrics,
        network: deps.network,
        clock: systemClock,
        openStore: () => this.#openStore(),
      }),
    } as unknown as NodeParts;
    const manager = NodeManager.assemble(config, deps, world.metrics, parts);
    void manager.ended.then(({ reason }) => {
      this.over = true;
      world.story.tell(nodeId, () => `node ended: ${reason}`);
      this.process.kill();
    });
  }

  async #openStore() {
    const { plant, settings, records } = this.#world;
    const maxBytes = settings.objectStoreBytes;
    const maxSpillBytes = settings.objectSpillBytes;
    const store = await ObjectStore.open({
      ...{ folder: objectFolder, maxBytes, clock: systemClock, disk: this.disk },
      spill: maxSpillBytes > 0 ? { folder: spillFolder, maxBytes: maxSpillBytes } : undefined,
      onMoved: (direction) => void records.counts[direction]++,
    });
    watchSpills(this.#world, this, store);
    if (settings.shares && settings.values) watchObjectQuotas(this.#world, this, store);
    this.store = plant.objectStore(store, this.process);
    const close = async () => undefined;
    const proof = { path: "/nowhere/proof", text: "nobody reads it" };
    const opened = {
      ...{ folder: objectFolder, maxBytes, place: "memory" as const, onDiskBecause: "", proof, close },
      spill: undefined,
    };
    return { store: this.store, folder: opened };
  }
}

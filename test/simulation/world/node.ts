import { pathToFileURL } from "node:url";
import { parseNodeConfig } from "../../../packages/node/src/config.js";
import { NodeManager } from "../../../packages/node/src/node-manager.js";
import type { NodeParts } from "../../../packages/node/src/node-parts.js";
import { simulatedDrivers } from "./job-driver.js";
import type { SimProcess } from "./process.js";
import { SimWorker } from "./worker.js";
import type { World } from "./world.js";

/** One node: the real NodeManager with its link and supervisor, over simulated processes and no object store. */
export class SimNode {
  readonly nodeId: string;
  readonly machine: string;
  readonly process: SimProcess;
  readonly workers = new Set<SimWorker>();
  readonly manager: NodeManager;
  over = false;

  constructor(world: World, nodeId: string, machine: string) {
    this.nodeId = nodeId;
    this.machine = machine;
    this.process = world.process(machine, nodeId);
    world.scheduler.current = this.process;
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
    });
    const deps = {
      logger: world.logger(nodeId),
      environment: {},
      network: world.network.of(this.process),
      load: { read: () => ({ cpuPercent: 0, memoryUsedBytes: 0 }) },
      startProcess: (options: ConstructorParameters<typeof SimWorker>[2]) => {
        const worker = new SimWorker(world, this.process, world.plant.processOptions(options));
        this.workers.add(worker);
        worker.process.onEnd(() => this.workers.delete(worker));
        world.records.workerStarted(worker, this);
        return worker;
      },
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
      objects: {
        address: `${machine}:1`,
        folder: "",
        storedBytes: 0,
        attach: () => undefined,
        registered: () => undefined,
        receive: () => undefined,
        measure: () => undefined,
        close: nothing,
      },
    } as unknown as NodeParts;
    this.manager = NodeManager.assemble(config, deps, world.metrics, parts);
    this.process.onEnd(() => {
      this.over = true;
    });
    void this.manager.ended.then(({ reason }) => {
      this.over = true;
      world.story.tell(nodeId, () => `node ended: ${reason}`);
      this.process.kill();
    });
  }
}

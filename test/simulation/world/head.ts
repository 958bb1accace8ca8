import { sha256Of, systemClock } from "@palimpsest/std";
import {
  headService,
  jobsService,
  nodeLinkService,
  PalimpsestError,
  type RpcServer,
  servePart,
} from "@palimpsest/wire";
import { type HeadConfig, parseHeadConfig } from "../../../packages/runtime/head/src/rules/config.js";
import { createHeadHandlers } from "../../../packages/runtime/head/src/services/head-service.js";
import { createJobsHandlers } from "../../../packages/runtime/head/src/services/jobs-service.js";
import { createNodeLinkHandlers } from "../../../packages/runtime/head/src/services/node-link-service.js";
import { Rpc } from "../../../packages/runtime/head/src/services/rpc.js";
import { ControlPlane } from "../../../packages/runtime/head/src/start/control-plane.js";
import { addRefusals } from "../../../packages/runtime/head/src/start/standby-server.js";
import { Leadership } from "../../../packages/runtime/head/src/store/leadership.js";
import { prioritize, watchGrants, watchPreemptions } from "../invariants/shares.js";
import { laterService } from "./builds.js";
import type { SimProcess } from "./process.js";
import { simulatedObjectQuotas, simulatedQuotas } from "./settings.js";
import type { World } from "./world.js";

/** The content of a head's folder, which passes from one head to the next. */
export interface HeadFolder {
  headId: string;
  epoch: number;
  clusterId: string;
}

/**
 * One life of a head: the product's leadership, control plane and services over the simulated store and network,
 * started and ended in the order of head-start.ts.
 */
export class SimHead {
  readonly process: SimProcess;
  readonly address: string;
  readonly #world: World;
  readonly #folder: HeadFolder;
  leadership: Leadership | undefined;
  plane: ControlPlane | undefined;
  /** The reason why it no longer leads. */
  lost: string | undefined;

  constructor(world: World, number: number, address: string, folder: HeadFolder) {
    this.#world = world;
    this.#folder = folder;
    this.address = address;
    const [machine = ""] = address.split(":");
    this.process = world.process(machine, `head-${number}`);
    world.scheduler.after(0, this.process, () => {
      // A head that cannot start ends, and its supervisor starts it again.
      void this.#start().catch((reason: unknown) => {
        world.story.tell(this.process.name, () => `does not start: ${PalimpsestError.from(reason).message}`);
        if (PalimpsestError.from(reason).code === "PROTOCOL_MISMATCH") world.records.counts.mismatches++;
        // As in head.ts, what has begun ends: another head need not wait for the lease.
        const released = this.leadership?.release() ?? Promise.resolve();
        void released.catch(() => undefined).finally(() => this.process.kill());
      });
    });
  }

  async #start(): Promise<void> {
    const world = this.#world;
    const { settings, metrics, scheduler } = world;
    const network = world.network.of(this.process);
    const quotas = settings.shares
      ? { quotas: settings.values ? simulatedObjectQuotas : simulatedQuotas }
      : {};
    const config = parseHeadConfig({
      ...{ dataDir: "/nowhere", ...quotas },
      ...world.plant.headConfig(settings.head),
    });
    const logger = world.logger(this.process.name);
    const shared = world.plant.shared(world.redis.connect(this.process), this.process);
    const before = { ...this.#folder };
    const headId = `head-${this.process.number}`;
    const [host = "", port = ""] = this.address.split(":");
    const alone = settings.heads === 1;
    const standby = network.createServer();
    addRefusals(standby);
    await standby.listen(host, Number(port));
    const leadership = await Leadership.take({
      shared,
      clock: systemClock,
      logger,
      headId,
      leaseMs: config.leaseMs,
      address: alone ? "" : this.address,
      epochFloor: before.epoch,
      predecessorId: before.headId,
      exclusive: alone,
      rows: world.plant.rows(world.builds.of(this.process).rows),
      signal: new AbortController().signal,
      onStandby: (leader) => world.story.tell(this.process.name, () => `waits: ${leader.headId} leads`),
    }).finally(() => standby.kill());
    this.leadership = leadership;
    world.story.tell(this.process.name, () => `leads with epoch ${leadership.epoch}`);
    const plane = await ControlPlane.open(config, {
      store: world.plant.store(leadership.store),
      clock: systemClock,
      logger,
      metrics,
      clusterId: leadership.clusterId || before.clusterId,
    });
    leadership.remember({
      rowsOf: (table) => plane.rowsOf(table),
      causeWrite: () => plane.causeWrite(),
    });
    world.redis.onBack(this.process, () => leadership.check());
    if (settings.shares) prioritize(plane);
    world.plant.plane(plane);
    if (settings.shares) {
      watchGrants(world, plane);
      watchPreemptions(world, plane);
    }
    this.plane = plane;
    world.builds.headOpened(plane, this.process);
    world.records.headOpened(plane, this.process);
    world.objects.headOpened(plane, this.process);
    const server = network.createServer();
    this.#serve(server, plane, leadership, config);
    await server.listen(host, Number(port));
    Object.assign(this.#folder, { headId, epoch: leadership.epoch, clusterId: plane.clusterId });
    await leadership.announce(this.address);
    world.story.tell(
      this.process.name,
      () => `serves cluster ${plane.clusterId}, knows ${plane.actors.size} actors`,
    );
    void world.plant.lost(leadership).then(async (reason) => {
      this.lost = reason;
      world.story.tell(this.process.name, () => `leads no more: ${reason}`);
      plane.sessions.close();
      await server.close();
      await plane.close(true);
      this.#folder.epoch = leadership.epoch;
      scheduler.after(0, this.process, () => this.process.kill());
    });
  }

  #serve(server: RpcServer, plane: ControlPlane, leadership: Leadership, config: HeadConfig): void {
    const world = this.#world;
    const logger = world.logger(this.process.name);
    const { clusterId, actors, nodes, sessions, objects, stacks, recoveries, jobs, logs, bundles } = plane;
    const rpc = new Rpc(world.metrics, config.rpcTimeoutMs);
    // Texts of recipes are kept in the head's folder, which is simulated.
    bundles.putText = async (text) => ({ sha256: sha256Of(text), sizeBytes: text.length });
    bundles.remove = async () => undefined;
    server.addService(
      headService,
      createHeadHandlers({
        ...{ groups: plane.groups, groupTable: plane.groupTable, taskWorkers: plane.taskWorkers },
        ...{ history: plane.history, claims: plane.claims },
        drains: plane.drains,
        ...config,
        rpc,
        actors,
        nodes,
        pendingQueue: plane.pendingQueue,
        objectQuotas: plane.objectQuotas,
        clock: systemClock,
        sessions,
        lifecycle: plane.lifecycle,
        bundles: plane.bundles,
        jobs,
        objects,
        stacks,
        recoveries,
        shutdown: () => undefined,
        recovery: plane.recovery,
        clusterInfo: () => ({
          clusterId,
          redisUrl: "redis://simulated",
          pid: this.process.number,
          protocols: world.builds.of(this.process).protocols,
          redisPid: world.settings.heads === 1 ? this.process.number : 0,
          epoch: leadership.epoch,
          headAddresses: [...leadership.addresses],
        }),
        headAddresses: () => leadership.addresses,
        queueDepths: async () => [],
        durableStates: world.durableStore.connect(this.process, () => leadership.epoch),
      }),
    );
    const lifecycle = plane.jobLifecycle;
    const uploadStallMs = config.rpcTimeoutMs;
    const jobDeps = { ...config, rpc, jobs, lifecycle, logs, bundles, clock: systemClock, uploadStallMs };
    server.addService(jobsService, createJobsHandlers(jobDeps));
    const link = createNodeLinkHandlers({
      ...config,
      nodes,
      actors: plane.lifecycle,
      jobs: plane.jobLifecycle,
      objects,
      objectHolders: plane.objectHolders,
      objectQuotas: plane.objectQuotas,
      stacks,
      recoveries,
      history: plane.history,
      logger,
      clusterId,
      version: "",
      protocols: world.builds.of(this.process).protocols,
      redisUrl: () => "redis://simulated",
      leadership,
      adopt: (nodeId, described) => plane.adopt(nodeId, described),
    });
    servePart(server, nodeLinkService, link);
    server.addService(laterService, { later: (_call, callback) => callback(null, {}) });
    if (world.settings.versions && world.builds.of(this.process).name === "next") this.#order(plane);
  }

  /** Sends nodes an order that older ones do not know. */
  #order(plane: ControlPlane): void {
    this.#world.scheduler.after(20_000, this.process, () => {
      for (const { nodeId } of plane.nodes.all()) plane.nodes.send(nodeId, {});
      this.#order(plane);
    });
  }
}

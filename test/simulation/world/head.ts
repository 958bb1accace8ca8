import type { ServiceDefinition } from "@grpc/grpc-js";
import { headService, nodeLinkService, systemClock } from "@palimpsest/wire";
import { parseHeadConfig } from "../../../packages/head/src/config.js";
import { ControlPlane } from "../../../packages/head/src/control-plane.js";
import { createHeadHandlers } from "../../../packages/head/src/head-service.js";
import { createNodeLinkHandlers } from "../../../packages/head/src/node-link-service.js";
import { Rpc } from "../../../packages/head/src/rpc.js";
import type { SimProcess } from "./process.js";
import type { World } from "./world.js";

/** One life of the head: the real control plane and services over the simulated store and network. */
export class SimHead {
  readonly process: SimProcess;
  readonly #world: World;
  readonly #epoch: number;
  plane: ControlPlane | undefined;

  constructor(world: World, number: number) {
    this.#world = world;
    this.#epoch = number;
    this.process = world.process(world.headMachine, `head-${number}`);
    world.scheduler.after(0, this.process, () => void this.#start());
  }

  async #start(): Promise<void> {
    const world = this.#world;
    const { settings } = world;
    const config = parseHeadConfig({ dataDir: "/nowhere", ...world.plant.headConfig(settings.head) });
    const logger = world.logger(this.process.name);
    const { metrics } = world;
    const store = world.plant.store(world.redis.connect(this.process));
    let plane: ControlPlane | undefined;
    while (plane === undefined) {
      plane = await ControlPlane.open(config, { store, clock: systemClock, logger, metrics }).catch(
        () => undefined,
      );
      // As its supervisor would start it again.
      if (plane === undefined) await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    this.plane = plane;
    world.plant.plane(plane);
    world.records.headOpened(plane);
    const { actors, nodes, pendingQueue, sessions, lifecycle, jobLifecycle, bundles, clusterId } = plane;
    const server = world.network.of(this.process).createServer();
    const rpc = new Rpc(metrics, config.rpcTimeoutMs);
    const shared = {
      actors,
      nodes,
      pendingQueue,
      clock: systemClock,
      sessions,
      lifecycle,
      bundles,
      logger,
      clusterId,
    };
    server.addService(
      headService as ServiceDefinition,
      createHeadHandlers({
        ...shared,
        rpc,
        shutdown: () => undefined,
        clusterInfo: () => ({ clusterId, redisUrl: "redis://simulated", pid: this.process.number }),
        recovery: plane.recovery,
        objects: plane.objects,
        stacks: plane.stacks,
        ownerGraceMs: config.ownerGraceMs,
        sessionLeaseMs: config.sessionLeaseMs,
        headAddresses: () => [world.headAddress],
        queueDepths: async () => [],
      }),
    );
    const link = createNodeLinkHandlers({
      nodes,
      actors: lifecycle,
      jobs: jobLifecycle,
      objects: plane.objects,
      objectHolders: plane.objectHolders,
      stacks: plane.stacks,
      logger,
      clusterId,
      redisUrl: () => "redis://simulated",
      heartbeatIntervalMs: config.heartbeatIntervalMs,
      nodeTimeoutMs: config.nodeTimeoutMs,
      fenceAfterMs: config.fenceAfterMs,
      // One head at a time, which a supervisor starts again: its lives are its epochs.
      leadership: {
        epoch: this.#epoch,
        addresses: [world.headAddress],
        isCurrent: () => true,
        rise: async () => undefined,
      },
      adopt: (nodeId, described) => plane.adopt(nodeId, described),
    });
    server.addService(nodeLinkService as ServiceDefinition, { ...link });
    const [host, port] = world.headAddress.split(":");
    await server.listen(host ?? "", Number(port));
    world.story.tell(this.process.name, () => `serves cluster ${clusterId}, knows ${actors.size} actors`);
  }
}

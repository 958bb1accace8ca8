import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "@palimpsest/std";
import { grpcNetwork, objectsService, PalimpsestError, type RpcServer } from "@palimpsest/wire";
import { ValueStore } from "../../packages/runtime/client/src/values/value-store.js";
import { ByteBudget } from "../../packages/runtime/node/src/base/byte-budget.js";
import type { ObjectFetcher } from "../../packages/runtime/node/src/objects/object-fetch.js";
import { ObjectHolds } from "../../packages/runtime/node/src/objects/object-holds.js";
import { ObjectPins } from "../../packages/runtime/node/src/objects/object-pins.js";
import { ObjectRecoveries } from "../../packages/runtime/node/src/objects/object-recoveries.js";
import { createObjectsHandlers } from "../../packages/runtime/node/src/objects/objects-service.js";
import { ObjectStore } from "../../packages/runtime/node/src/objects/store/object-store.js";

/** No program of these tests has a lost result recomputed. */
const noHead = () => {
  throw new PalimpsestError("UNAVAILABLE", "there is no head");
};

const token = "token-of-the-tests";

/** The object service of one node, without a head, and the programs that use it. */
export class ValueNode {
  readonly store: ObjectStore;
  /** The objects and holders that it reported to other nodes. */
  readonly toldElsewhere: { readonly objectIds: readonly string[]; readonly holder: string }[] = [];
  /** Whether other nodes can be reached. */
  reachesOthers = true;
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #programs: ValueStore[] = [];
  #server: RpcServer | undefined;
  #address = "";

  private constructor(folder: string, store: ObjectStore, clock: Clock) {
    this.#folder = folder;
    this.store = store;
    this.#clock = clock;
  }

  /** @param memory a folder in memory, in which programs may map files. Default: a folder in which they may not */
  static async start(clock: Clock = systemClock, memory?: string): Promise<ValueNode> {
    const folder = await mkdtemp(join(memory ?? tmpdir(), "palimpsest-values-"));
    const store = await ObjectStore.open({
      folder: join(folder, "store"),
      maxBytes: 64 * 1024 * 1024,
      inMemory: memory !== undefined,
      clock,
    });
    const node = new ValueNode(folder, store, clock);
    await node.serve();
    return node;
  }

  /** Starts its service, also again after it was cut off. */
  async serve(): Promise<void> {
    const { store } = this;
    const clock = this.#clock;
    const freeElsewhere = async (objectIds: readonly string[], holder: string) => {
      if (!this.reachesOthers) throw new PalimpsestError("UNAVAILABLE", "the head is away");
      this.toldElsewhere.push({ objectIds, holder });
    };
    const asking = {
      locate: async () => ({ addresses: [], complete: true }),
      ownAddress: () => "",
      use: async () => {
        throw new PalimpsestError("UNAVAILABLE", "there is no other node");
      },
    };
    const proof = { path: join(this.#folder, "proof"), text: "proof" };
    await writeFile(proof.path, proof.text);
    const fetcher = {
      fetch: async (objectId: string) => {
        const found = store.find(objectId);
        if (found) return found;
        throw new PalimpsestError("OBJECT_LOST", `object ${objectId} is not available`);
      },
    } as unknown as ObjectFetcher;
    const handlers = createObjectsHandlers({
      ...{ store, fetcher, proof, clock, freeElsewhere, budget: new ByteBudget(64 * 1024 * 1024) },
      holds: new ObjectHolds({ store, clock, freeElsewhere, ...asking }),
      onMoved: () => undefined,
      pins: new ObjectPins(clock),
      recoveries: new ObjectRecoveries({ head: noHead, send: () => undefined }),
      existing: async (objectIds) => objectIds.filter((objectId) => store.find(objectId) !== undefined),
    });
    this.#server = grpcNetwork({ token }).createServer();
    this.#server.addService(objectsService, handlers);
    this.#address = await this.#server.listen("127.0.0.1", 0);
  }

  cutOff(): void {
    this.#server?.kill();
  }

  program(holder: string): ValueStore {
    const network = grpcNetwork({ token });
    const values = new ValueStore({
      address: async () => this.#address,
      network,
      holder,
      handle: (actorId) => actorId,
    });
    this.#programs.push(values);
    return values;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.close()));
    this.cutOff();
    await this.store.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

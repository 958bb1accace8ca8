import { createHash } from "node:crypto";
import { PalimpsestError } from "@palimpsest/wire";
import type { Cluster } from "../../../packages/runtime/client/src/cluster/cluster.js";
import { type ContentRef, Objects } from "../../../packages/runtime/client/src/values/objects.js";
import type { SimNode } from "./node.js";
import { type KnownObject, type ObjectOperation, short } from "./object-records.js";
import type { SimProcess } from "./process.js";
import { hashText, Random } from "./random.js";
import { objectsPort } from "./settings.js";
import type { World } from "./world.js";

/** Errors that faults, a full store and other programs' frees explain. */
const expected = ["OBJECT_LOST", "OBJECT_STORE_FULL", "UNAVAILABLE", "GET_TIMEOUT", "CANCELLED"];

/**
 * Puts, gets, holds and frees objects through the product's client: at a given node, as actors there do, or at any
 * node.
 */
export class ObjectUser {
  readonly #world: World;
  readonly #name: string;
  readonly #process: SimProcess;
  readonly #random: Random;
  readonly #atNode = new Map<string, Objects>();
  #put = 0;

  constructor(world: World, name: string, process: SimProcess) {
    this.#world = world;
    this.#name = name;
    this.#process = process;
    this.#random = new Random(`${world.seed}/${name}/objects`);
  }

  /** Returns whether this operation is one on objects, of which there are more where they are spilled. */
  wants(): boolean {
    return this.#random.chance(this.#spills ? 0.8 : 0.35);
  }

  get #spills(): boolean {
    return this.#world.settings.objectSpillBytes > 0;
  }

  /**
   * Does something with an object, or, where objects are spilled, several things at once, many of them with the same
   * object, so that it is read and freed while it moves.
   * @param actorIds actors of this driver, which may be holders too
   */
  async operate(cluster: Cluster, actorIds: readonly string[]): Promise<void> {
    if (!this.#spills) return await this.#operateOnce(cluster, actorIds);
    const random = this.#random;
    const object = random.pick(this.#world.objects.known);
    const burst = Array.from({ length: 1 + random.below(4) }, () =>
      random.chance(0.5) ? object : undefined,
    );
    await Promise.all(burst.map((same) => this.#operateOnce(cluster, actorIds, same)));
  }

  async #operateOnce(cluster: Cluster, actorIds: readonly string[], same?: KnownObject): Promise<void> {
    const random = this.#random;
    const draw = random.float();
    const object = same ?? random.pick(this.#world.objects.known);
    const actorId = random.pick(actorIds);
    const holder = actorId !== undefined && random.chance(0.4) ? actorId : cluster.sessionId;
    const machine = random.chance(0.1) ? undefined : `m-node-${random.below(this.#world.settings.nodes)}`;
    const objects = machine === undefined ? cluster.objects : this.#objectsAt(machine, cluster.sessionId);
    if (object === undefined || draw < 0.35) await this.#putOne(objects, machine, holder);
    else if (draw < 0.65) await this.#getOne(objects, object);
    else if (draw < 0.8) await this.#holdOne(objects, machine, object, holder);
    else if (draw < 0.9) await this.#end("release", object, () => objects.release(object, { holder }));
    else {
      await this.#end("free", object, () => objects.free(object));
      // Puts the same bytes again on another node, where the order to free them may still be on its way, or be
      // repeated.
      if (machine !== undefined && random.chance(0.5)) await this.#putAgain(object, cluster.sessionId);
    }
  }

  /** Reads or frees the object while a node spills it. */
  async meddle(cluster: Cluster, objectId: string): Promise<void> {
    const object = this.#world.objects.known.find((one) => one.objectId === objectId);
    if (object === undefined) return;
    const machine = `m-node-${this.#random.below(this.#world.settings.nodes)}`;
    const objects = this.#objectsAt(machine, cluster.sessionId);
    if (this.#random.chance(0.5)) await this.#getOne(objects, object);
    else await this.#end("free", object, () => objects.free(object));
  }

  /** Gets every object that is certainly held from every node, when no fault is left. */
  async getAll(cluster: Cluster): Promise<void> {
    const ids = new Set(this.#world.objects.firmHolds().map(({ objectId }) => objectId));
    for (const object of this.#world.objects.known) {
      if (!ids.has(object.objectId)) continue;
      for (let index = 0; index < this.#world.settings.nodes; index++)
        await this.#getOne(this.#objectsAt(`m-node-${index}`, cluster.sessionId), object, true);
    }
  }

  async #putOne(objects: Objects, machine: string | undefined, holder: string): Promise<void> {
    const random = this.#random;
    // Occasionally the object has the bytes that others put, too.
    const key = random.chance(0.25) ? `shared-${random.below(5)}` : `${this.#name}-${++this.#put}`;
    await this.#putBytes(objects, machine, { ...referenceOf(bytesOf(key)), key }, holder);
  }

  async #putBytes(
    objects: Objects,
    machine: string | undefined,
    object: KnownObject,
    holder: string,
  ): Promise<void> {
    await this.#run("put", object, machine, holder, async () => {
      const { objectId } = await objects.put(bytesOf(object.key), { holder });
      if (objectId !== object.objectId) this.#violation("OBJECTS-1", `${object.key} was put as ${objectId}`);
      this.#world.objects.learn(object);
    });
  }

  async #putAgain(object: KnownObject, holder: string): Promise<void> {
    const machine = `m-node-${this.#random.below(this.#world.settings.nodes)}`;
    await this.#putBytes(this.#objectsAt(machine, holder), machine, object, holder);
  }

  async #holdOne(
    objects: Objects,
    machine: string | undefined,
    object: KnownObject,
    holder: string,
  ): Promise<void> {
    await this.#run("hold", object, machine, holder, async () => {
      await objects.hold(object, { holder });
    });
  }

  async #getOne(objects: Objects, object: KnownObject, sure = false): Promise<void> {
    await this.#run(
      "get",
      object,
      undefined,
      "",
      async () => {
        const bytes = await objects.get(object);
        if (Buffer.compare(bytes, bytesOf(object.key)) !== 0)
          this.#violation("OBJECTS-1", `get of ${short(object.objectId)} gave bytes of another object`);
      },
      sure,
    );
  }

  async #end(what: "release" | "free", object: KnownObject, end: () => Promise<void>): Promise<void> {
    await this.#run(what, object, undefined, "", end);
  }

  async #run(
    what: ObjectOperation["what"],
    object: KnownObject,
    machine: string | undefined,
    holder: string,
    act: () => Promise<void>,
    sure = false,
  ): Promise<void> {
    const world = this.#world;
    const node = machine === undefined ? undefined : this.#nodeOf(machine);
    const operation = world.objects.begin(what, object.objectId);
    const tell = (end: string) =>
      world.story.tell(
        this.#name,
        () => `${what} ${object.key} ${short(object.objectId)} ${holder} ${machine ?? ""}: ${end}`,
      );
    try {
      await act();
      world.objects.done(operation);
      if (what === "free") world.objects.forget(object.objectId);
      tell("done");
      // If the node stayed the same during the operation, it is known which process made the promise.
      if (holder !== "" && node !== undefined && machine !== undefined && this.#nodeOf(machine) === node)
        world.objects.held(node, holder, operation);
    } catch (reason) {
      const error = PalimpsestError.from(reason);
      tell(error.message);
      if (error.code === "OBJECT_LOST") world.objects.reportedLost(operation, error.message);
      const full = error.code === "OBJECT_STORE_FULL";
      if (sure && !full) world.objects.unreachable(operation, error.message);
      if (!expected.includes(error.code))
        this.#violation(
          "ERRORS",
          `${what} of ${short(object.objectId)}: ${error.message}, which no fault explains`,
        );
    }
  }

  #violation(invariant: string, text: string): void {
    this.#world.records.violation(invariant, `${this.#name}: ${text}`);
  }

  #nodeOf(machine: string): SimNode | undefined {
    return this.#world.nodes.find((node) => node.machine === machine && !node.over);
  }

  #objectsAt(machine: string, holder: string): Objects {
    const known = this.#atNode.get(machine);
    if (known) return known;
    const objects = new Objects({
      address: async () => `${machine}:${objectsPort}`,
      network: this.#world.network.of(this.#process),
      holder,
      defaultTimeoutMs: 60_000,
    });
    this.#atNode.set(machine, objects);
    return objects;
  }
}

/** Returns the bytes of a key: usually few, occasionally more than one chunk of a transfer. */
function bytesOf(key: string): Uint8Array {
  const draw = hashText(key);
  const share = draw % 100;
  let sizeBytes = 100 + (draw % 2_000);
  if (share >= 97) sizeBytes = 1_100_000 + (draw % 500_000);
  else if (share >= 70) sizeBytes = 20_000 + (draw % 60_000);
  return Buffer.alloc(sizeBytes, key);
}

function referenceOf(bytes: Uint8Array): ContentRef {
  return { objectId: createHash("sha256").update(bytes).digest("hex"), sizeBytes: bytes.byteLength };
}

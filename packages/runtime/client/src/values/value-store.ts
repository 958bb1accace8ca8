/**
 * Responsibility: the values of this program: storing, reading and freeing them.
 * Not responsible for: which of them are leased (value-holds.ts), values that exist only in this program
 * (local-values.ts), the stream to the node (node-connection.ts), or how bytes get there (value-writes.ts).
 *
 * A small value stays in this program until a reference to it leaves the program: until then it costs no message, and
 * it ends with the program, which has all references to it. It is stored on the node before the message with the
 * reference is sent.
 *
 * Invariants:
 * - VALUES-1. A reference that leaves this program names a value that is on a node, with all values that it refers
 *   to.
 * - VALUES-3. A value that was put before the node has confirmed it is kept until then, and stored again if the node does not
 *   confirm it.
 * - VALUES-2. Each read returns a new value, so that no other reader changes it.
 */
import { dirname, join } from "node:path";
import { type Clock, systemClock } from "@palimpsest/std";
import {
  decodeWhole,
  encodeLong,
  fromGrpcError,
  type Network,
  newMemory,
  objectsService,
  PalimpsestError,
  type Reference,
  type StoredValue,
  storedValue,
  transferTimeoutMs,
  wholeOf,
} from "@palimpsest/wire";
import { type GetOptions, ObjectRef, type RefStore, refsOf } from "../base/object-ref.js";
import { TaskLineage } from "../base/task-lineage.js";
import { within } from "../base/within.js";
import { type Contained, type LocalValue, LocalValues } from "./local-values.js";
import { NodeConnection } from "./node-connection.js";
import { idBytes, newValueId } from "./object-link.js";
import { pull } from "./object-transfer.js";
import { OwnerRecoveries } from "./owner-recoveries.js";
import { readFileValue } from "./value-files.js";
import { ValueHolds } from "./value-holds.js";
import { smallValueBytes, storeAt, type UnsealedValue } from "./value-writes.js";

const controlTimeoutMs = 30_000;
/** For how long one request to the owner of a lost result waits for its answer. */
const recoverWaitMs = 10_000;
/** For how long the head or a node may be away before a received value that is not leased counts as lost. */
const holdLimitMs = 120_000;
/** The maximum number of times that an object is looked up for one read. */
const maxReads = 3;
/**
 * The maximum number of values in one order or call, which is within the node's limit. Other clients are served between
 * two of them.
 */
const maxIdsPerCall = 10_000;

/** Deadline and signal of `cluster.put`. */
export interface PutOptions {
  /** Milliseconds. Default: 30 s plus a second for each MiB. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

interface StoreOptions extends PutOptions {
  /** Its name. Default: a new one. */
  readonly objectId?: string;
}

export interface ValueStoreOptions {
  /** host:port of the local node's Objects service. */
  readonly address: () => Promise<string>;
  readonly network: Network;
  /** The session, or actor and incarnation, that owns this program's references. */
  readonly holder: string;
  /**
   * Whether this program runs tasks. A task does not wait for the reconstruction of a lost value that it reads,
   * because it would occupy the resources that the reconstruction needs. It fails instead, and its caller has the
   * value reconstructed before the task runs again. Default false.
   */
  readonly isTaskWorker?: boolean;
  readonly clock?: Clock;
  /** Returns the live handle of an actor that a value refers to. */
  readonly handle: (actorId: string, maxTaskRetries: number) => unknown;
}

/** A program's side of the object store: puts, gets and waits for values, and leases what its references name. */
export class ValueStore implements RefStore {
  readonly holds: ValueHolds;
  readonly lineage: TaskLineage;
  readonly #options: ValueStoreOptions;
  readonly #node: NodeConnection;
  readonly #local: LocalValues;
  readonly #clock: Clock;
  /** Values that were put and that the node has not confirmed, with what has to be waited for (VALUES-3). */
  readonly #unsealed = new Map<string, Promise<void>>();

  constructor(options: ValueStoreOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#node = new NodeConnection({
      ...options,
      heldIds: () => this.holds.heldIds(),
      pinnedIds: () => this.holds.pinnedIds(),
      recover: (objectId) =>
        this.lineage.recoverOwn(
          objectId,
          lost(objectId, "no node has it, and its owner was asked to recompute it"),
        ),
    });
    this.holds = new ValueHolds({
      hold: async (objectIds) => {
        // All parts are leased together, because releases of the same turn must follow them.
        await Promise.all(partsOf(objectIds).map((part) => this.#holdThere(part)));
      },
      letGo: (objectIds) => this.#node.letGo(objectIds),
      ended: (objectId) => this.lineage.ended(objectId),
    });
    this.#local = new LocalValues({
      holds: this.holds,
      store: (objectId, local) => this.#storeLocal(objectId, local),
    });
    this.lineage = new TaskLineage({
      ensure: (refs, recover) =>
        this.#ensure(
          refs.map((ref) => ({ ref, local: this.#local.of(ref) })),
          recover,
        ),
      isThere: async (objectId) => (await this.#there([objectId], controlTimeoutMs)).has(objectId),
      askOwner: (objectId) => {
        const ownerId = this.holds.ownerOf(objectId);
        if (ownerId === "" || ownerId === this.holder) return undefined;
        return (why) => owners.recover(objectId, ownerId, why);
      },
    });
    const owners = new OwnerRecoveries({
      ask: (objectId, ownerId) => this.#askOwner(objectId, ownerId),
      isReferredTo: (objectId) => this.holds.has(objectId),
      holdAgain: (objectId) => this.holds.holdAgain(objectId),
      clock: this.#clock,
    });
  }

  /** The session, or actor and incarnation, that owns this program's references. */
  get holder(): string {
    return this.#options.holder;
  }

  /**
   * Stores a value. Its arrays must not change until the returned promise resolves.
   * @throws {PalimpsestError} INVALID_ARGUMENT for functions and symbols, OBJECT_STORE_FULL
   */
  async put<T>(value: T, options: PutOptions = {}): Promise<ObjectRef<T>> {
    const encoded = encodeLong(value);
    const contained = refsOf(encoded.references);
    if (encoded.sizeBytes <= smallValueBytes) {
      const bytes = wholeOf(storedValue(encoded));
      const ref = new ObjectRef<T>(newValueId(), bytes.byteLength, this);
      this.#local.add(ref, bytes, contained);
      return ref;
    }
    const stored = storedValue(encoded);
    // What a value refers to may be released as soon as it is put.
    if (contained.length > 0) return (await this.store(stored, contained, options)) as ObjectRef<T>;
    const { ref, unsealed } = await this.#write(stored, [], options, true);
    if (unsealed !== undefined) this.#seal(ref, unsealed);
    return ref as ObjectRef<T>;
  }

  /** Stores a value on the node, leased to this program. */
  async store(
    stored: StoredValue,
    contained: readonly ObjectRef[],
    options: StoreOptions = {},
  ): Promise<ObjectRef> {
    return (await this.#write(stored, contained, options, false)).ref;
  }

  /** @param early whether to return before the node has confirmed it, where it can be stored again */
  async #write(
    stored: StoredValue,
    contained: readonly ObjectRef[],
    { timeoutMs = transferTimeoutMs(stored.sizeBytes), signal, objectId: name = "" }: StoreOptions,
    early: boolean,
  ): Promise<{ readonly ref: ObjectRef; readonly unsealed: UnsealedValue | undefined }> {
    await this.promoted(contained);
    let objectId = name || newValueId();
    let unsealed: UnsealedValue | undefined;
    const contains = contained.map((ref) => idBytes(ref.objectId));
    const settings = signal ? { timeoutMs, signal } : { timeoutMs };
    try {
      const onId = (other: string) => {
        objectId = other;
      };
      unsealed = await this.#node.use(settings, (link, leftMs) =>
        storeAt(link, {
          ...{ objectId, stored, contains, signal, early, onId: name === "" ? onId : undefined },
          ...{ holder: this.#options.holder, timeoutMs: leftMs },
        }),
      );
    } catch (reason) {
      // If only the answer was lost, the value may be stored all the same, and no reference to it will exist here. A
      // named result is not withdrawn, because the next attempt stores its result under the same name.
      if (name === "") this.#node.letGo([objectId], "withdraw");
      throw reason;
    }
    const ref = new ObjectRef(objectId, stored.sizeBytes, this);
    this.holds.stored(ref);
    return { ref, unsealed };
  }

  /** VALUES-3 */
  #seal({ objectId, sizeBytes }: ObjectRef, { sealing, memory }: UnsealedValue): void {
    const again = async (): Promise<void> => {
      if (!this.holds.has(objectId)) return;
      const stored = { pieces: [memory.bytes()], sizeBytes };
      const timeoutMs = transferTimeoutMs(sizeBytes);
      const rest = { contains: [], signal: undefined, early: false, holder: this.#options.holder };
      await this.#node.use({ timeoutMs }, (link, leftMs) =>
        storeAt(link, { ...rest, objectId, stored, timeoutMs: leftMs }),
      );
      if (!this.holds.has(objectId)) this.#node.letGo([objectId]);
    };
    const sealed = sealing
      .then(() => undefined, again)
      .finally(() => {
        memory.done();
        this.#unsealed.delete(objectId);
      });
    this.#unsealed.set(objectId, sealed);
    // Whoever needs the value learns of it: a later read finds that it is lost.
    sealed.catch(() => undefined);
  }

  /** Resolves when the node has confirmed them, or the value that it did not confirm is lost. */
  async #settled(objectIds: readonly string[]): Promise<void> {
    if (this.#unsealed.size === 0) return;
    await Promise.allSettled(objectIds.map((objectId) => this.#unsealed.get(objectId)));
  }

  /**
   * Stores values on the node before references to them leave this program (VALUES-1); undefined if they are all
   * stored.
   */
  promoted(refs: readonly ObjectRef[]): Promise<void> | undefined {
    const promoting = this.#local.promoted(refs);
    if (this.#unsealed.size === 0) return promoting;
    const sealing = refs.flatMap(({ objectId }) => this.#unsealed.get(objectId) ?? []);
    return sealing.length === 0 ? promoting : Promise.all([promoting, ...sealing]).then(() => undefined);
  }

  /** @throws {PalimpsestError} OBJECT_LOST, GET_TIMEOUT, CANCELLED */
  async get<T>(ref: ObjectRef<T>, options: GetOptions = {}): Promise<T> {
    const local = this.#local.of(ref);
    if (local) {
      const bind = (reference: Reference) => this.#bindIn(local, reference);
      return decodeWhole(local.bytes, bind, newMemory(options.shared ?? false)) as T;
    }
    if (!this.holds.has(ref.objectId)) throw lost(ref.objectId, "this program has released or freed it");
    const unpin = this.holds.pin(ref);
    try {
      const sealed = this.#unsealed.size === 0 ? undefined : this.#unsealed.get(ref.objectId);
      const { timeoutMs = transferTimeoutMs(ref.sizeBytes), signal } = options;
      if (sealed !== undefined) await within(sealed, timeoutMs, signal, this.#clock);
      return (await this.#readOrRecover(ref, options)) as T;
    } finally {
      unpin();
    }
  }

  /** Reconstructs it if it is lost and can be reconstructed (LINEAGE-2). */
  async #readOrRecover(ref: ObjectRef, options: GetOptions): Promise<unknown> {
    for (let reads = 1; ; reads++) {
      try {
        return await this.read(ref, options);
      } catch (reason) {
        const error = PalimpsestError.from(reason);
        if (error.code !== "OBJECT_LOST" || reads === maxReads) throw error;
        if (this.#options.isTaskWorker && !this.lineage.isOwn(ref.objectId)) throw error;
        const { timeoutMs, signal } = options;
        const again = this.lineage.recover(ref.objectId, error);
        await within(again, timeoutMs ?? Number.POSITIVE_INFINITY, signal, this.#clock);
      }
    }
  }

  /** Reads the value of an object that is leased in the meantime. @throws {PalimpsestError} OBJECT_LOST */
  async read(
    { objectId, sizeBytes }: { readonly objectId: string; readonly sizeBytes: number },
    { timeoutMs = transferTimeoutMs(sizeBytes), signal, into, shared = false }: GetOptions = {},
  ): Promise<unknown> {
    const settings = signal ? { timeoutMs, signal } : { timeoutMs };
    return await this.#node.use(settings, async (link, leftMs) => {
      const { storePath } = link;
      const readFrom = (path: string, bytes: number) => {
        const isMappable = dirname(path) === storePath;
        return readFileValue(path, bytes, { bind: this.bind, into, isShared: shared, isMappable });
      };
      // Where files can be mapped, a value that is on this node is read without asking it.
      if (storePath !== "" && sizeBytes > smallValueBytes && !signal?.aborted) {
        const read = await readFrom(join(storePath, objectId), sizeBytes);
        if (read !== undefined) return read.value;
      }
      for (let attempt = 1; attempt <= maxReads; attempt++) {
        // A file that is repeatedly spilled while memory is short is finally read through the node.
        const remote = !link.shared || attempt === maxReads;
        const find = { objectId: idBytes(objectId), remote };
        const found = link.order({ find }, leftMs);
        const { data, info } = await within(found, Number.POSITIVE_INFINITY, signal, this.#clock);
        if (data?.byteLength) return decodeWhole(data, this.bind, newMemory(shared));
        if (info?.path) {
          const read = await readFrom(info.path, info.sizeBytes ?? 0);
          if (read !== undefined) return read.value;
          continue;
        }
        const pulling = { ...settings, timeoutMs: leftMs };
        const bytes = await unlessGone(pull(link.peer, objectId, info?.sizeBytes ?? 0, pulling));
        if (bytes !== undefined && bytes.byteLength === info?.sizeBytes)
          return decodeWhole(bytes, this.bind, newMemory(shared));
      }
      throw lost(objectId, "it was freed while it was read");
    });
  }

  /** Keeps them until the returned function is called. */
  pinned(refs: readonly ObjectRef[]): { release(): void } {
    const unpins = refs.map((ref) => this.holds.pin(ref));
    return {
      release: () => {
        for (const unpin of unpins.splice(0)) unpin();
      },
    };
  }

  /** Resolves references in values to the objects that represent them here. */
  readonly bind = (reference: Reference): unknown => {
    if (reference.kind === "object")
      return this.holds.received(reference.objectId, reference.sizeBytes, this, reference.ownerId);
    return this.#options.handle(reference.actorId, reference.maxTaskRetries);
  };

  /** Reads a value that exists only in this program, whose references may be local too. */
  #bindIn(local: LocalValue, reference: Reference): unknown {
    const own = reference.kind === "object" && this.#local.referred(local, reference.objectId, this);
    return own || this.bind(reference);
  }

  /** Removes values on all nodes, whichever programs refer to them. Later reads fail with OBJECT_LOST. */
  async free(refs: readonly ObjectRef[], { timeoutMs = controlTimeoutMs }: PutOptions = {}): Promise<void> {
    const stored = refs.filter(({ objectId }) => this.holds.has(objectId)).map(({ objectId }) => objectId);
    for (const ref of refs) this.#local.free(ref);
    for (const objectId of stored) this.holds.forget(objectId);
    await this.#settled(stored);
    for (const part of partsOf(stored)) {
      const objectIds = [...part];
      await this.#node.use({ timeoutMs }, ({ peer }, leftMs) =>
        peer.unary(objectsService.free, { objectIds, holder: "" }, { timeoutMs: leftMs }),
      );
    }
  }

  release(ref: ObjectRef): void {
    this.#local.release(ref);
    this.holds.release(ref);
  }

  /** Returns those whose values are available on some node. */
  async existing(refs: readonly ObjectRef[], timeoutMs: number): Promise<ReadonlySet<ObjectRef>> {
    const found = new Set(refs.filter((ref) => this.#local.of(ref) !== undefined));
    const asked = refs.filter((ref) => !found.has(ref) && this.holds.has(ref.objectId));
    if (asked.length === 0) return found;
    const ids = asked.map(({ objectId }) => objectId);
    const there = await this.#there(ids, timeoutMs);
    for (const ref of asked) if (there.has(ref.objectId)) found.add(ref);
    return found;
  }

  async #there(ids: readonly string[], timeoutMs: number): Promise<ReadonlySet<string>> {
    await this.#settled(ids);
    const answers = await this.#node.use({ timeoutMs }, (link, leftMs) =>
      Promise.all(
        partsOf(ids).map((part) => link.order({ exist: { objectIds: part.map(idBytes) } }, leftMs)),
      ),
    );
    const there = answers.flatMap(({ objectIds }) => objectIds ?? []);
    return new Set(there.map((id) => Buffer.from(id).toString("hex")));
  }

  async #askOwner(objectId: string, ownerId: string) {
    const recover = { objectId: idBytes(objectId), ownerId, waitMs: recoverWaitMs };
    const { recovery } = await this.#node.use({ timeoutMs: controlTimeoutMs }, (link, leftMs) =>
      link.order({ recover }, leftMs),
    );
    return recovery ?? {};
  }

  /**
   * Makes values that tasks need available on a node: this program's own are stored again, and `recover` reconstructs
   * others.
   */
  async #ensure(
    needed: readonly Pick<Contained, "ref" | "local">[],
    recover: (ref: ObjectRef) => Promise<void>,
  ): Promise<void> {
    if (needed.length === 0) return;
    const ids = needed.map(({ ref }) => ref.objectId);
    const there = await this.#there(ids, controlTimeoutMs);
    for (const { ref, local } of needed) {
      if (there.has(ref.objectId)) continue;
      if (local === undefined) await recover(ref);
      else {
        await this.#ensure(local.contained, recover);
        await this.#storeLocal(ref.objectId, local);
      }
    }
  }

  close(): void {
    this.#node.close();
  }

  /**
   * Resolves when it is known of each value whether it can be leased. The sender keeps the values until then
   * (CALLVALUES-1).
   */
  async #holdThere(objectIds: readonly string[]): Promise<void> {
    const endMs = this.#clock.monotonicMs() + holdLimitMs;
    // Values that were released while the node was away are not leased again.
    const ids = () => objectIds.filter((objectId) => this.holds.has(objectId)).map(idBytes);
    do {
      try {
        await this.#node.use({ timeoutMs: controlTimeoutMs }, (link, leftMs) =>
          link.order({ hold: { objectIds: ids() } }, leftMs),
        );
        return;
      } catch (reason) {
        const { code, retryable } = PalimpsestError.from(reason);
        if (!retryable && code !== "GET_TIMEOUT") return;
      }
    } while (ids().length > 0 && this.#clock.monotonicMs() < endMs);
  }

  async #storeLocal(objectId: string, { bytes, contained }: LocalValue): Promise<void> {
    await this.#settled(contained.map(({ ref }) => ref.objectId));
    const contains = contained.map(({ ref }) => idBytes(ref.objectId));
    const store = { objectId: idBytes(objectId), data: bytes, contains };
    await this.#node.use({ timeoutMs: controlTimeoutMs }, (link, leftMs) => link.order({ store }, leftMs));
  }
}

function partsOf(ids: readonly string[]): readonly (readonly string[])[] {
  if (ids.length <= maxIdsPerCall) return [ids];
  const parts: (readonly string[])[] = [];
  for (let at = 0; at < ids.length; at += maxIdsPerCall) parts.push(ids.slice(at, at + maxIdsPerCall));
  return parts;
}

/** Returns undefined if it was there when the node was asked for it, and is gone now. */
async function unlessGone(bytes: Promise<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return await bytes;
  } catch (reason) {
    const error = fromGrpcError(reason);
    if (error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}

function lost(objectId: string, why: string): PalimpsestError {
  return new PalimpsestError("OBJECT_LOST", `object ${objectId} is not available: ${why}`, {
    details: { objectId },
  });
}

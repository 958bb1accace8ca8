/**
 * Responsibility: the values of this program: put, read, freed.
 * Not responsible for: which of them are held (value-holds.ts), values that only this program has (local-values.ts), the
 *   stream to the node (node-connection.ts), how bytes go there (value-writes.ts).
 *
 * A small value stays in this program until a reference to it leaves it: until then it costs no message, and it ends with
 * the program, whose references were the only ones. It is stored on the node before the message with the reference goes.
 *
 * Invariants:
 * - VALUES-1. A reference that leaves this program names a value that lies on a node, with all that the value refers to.
 * - VALUES-2. What a value is read as is a new value: nobody else changes it.
 */
import {
  type Clock,
  decodeWhole,
  encodeLong,
  fromGrpcError,
  type Network,
  objectsService,
  PalimpsestError,
  type Reference,
  type StoredValue,
  storedValue,
  systemClock,
  transferTimeoutMs,
  wholeOf,
} from "@palimpsest/wire";
import { type Contained, type LocalValue, LocalValues } from "./local-values.js";
import { NodeConnection } from "./node-connection.js";
import { idBytes } from "./object-link.js";
import { type GetOptions, ObjectRef, type RefStore, refsOf } from "./object-ref.js";
import { pull } from "./object-transfer.js";
import { OwnerRecoveries } from "./owner-recoveries.js";
import { TaskLineage } from "./task-lineage.js";
import { readFileValue } from "./value-files.js";
import { ValueHolds } from "./value-holds.js";
import { newValueId, smallValueBytes, storeAt } from "./value-writes.js";
import { within } from "./within.js";

const controlTimeoutMs = 30_000;
/** For how long one question to the owner of a lost result waits for its answer. */
const recoverWaitMs = 10_000;
/** For how long the head or a node may be away before a value that was received and is not held counts as lost. */
const holdLimitMs = 120_000;
/** How often an object is looked for in one read. */
const maxReads = 3;
/** Of one order or call: as many as the node takes, and others have their turn between two of them. */
const maxIdsPerCall = 10_000;

export interface PutOptions {
  /** Default: 30 s and a second for each MiB. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

interface StoreOptions extends PutOptions {
  /** Its name; default a new one. */
  readonly objectId?: string;
}

export interface ValueStoreOptions {
  /** host:port of the local node's Objects service. */
  readonly address: () => Promise<string>;
  readonly network: Network;
  /** Session, or actor and incarnation, that holds what this program refers to. */
  readonly holder: string;
  /**
   * Whether this program runs tasks: what they read and is lost they do not wait for, since they would keep the resources
   * that making it needs. They fail, and their caller has it made again before they run again. Default false.
   */
  readonly isTaskWorker?: boolean;
  readonly clock?: Clock;
  /** The live handle of an actor that a value refers to. */
  readonly handle: (actorId: string, maxTaskRetries: number) => unknown;
}

export class ValueStore implements RefStore {
  readonly holds: ValueHolds;
  readonly lineage: TaskLineage;
  readonly #options: ValueStoreOptions;
  readonly #node: NodeConnection;
  readonly #local: LocalValues;
  readonly #clock: Clock;

  constructor(options: ValueStoreOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#node = new NodeConnection({
      ...options,
      heldIds: () => this.holds.heldIds(),
      pinnedIds: () => this.holds.pinnedIds(),
      recover: (objectId) =>
        this.lineage.recoverOwn(objectId, lost(objectId, "no node has it, and it was asked of its owner")),
    });
    this.holds = new ValueHolds({
      hold: async (objectIds) => {
        // All of them at once: what is let go of in the same turn goes after them.
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

  /** Session, or actor and incarnation, that holds what this program refers to. */
  get holder(): string {
    return this.#options.holder;
  }

  /**
   * Puts a value. Its arrays must not change until it is put.
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
    return (await this.store(storedValue(encoded), contained, options)) as ObjectRef<T>;
  }

  /** Stores a value on the node, held for this program. */
  async store(
    stored: StoredValue,
    contained: readonly ObjectRef[],
    { timeoutMs = transferTimeoutMs(stored.sizeBytes), signal, objectId: name = "" }: StoreOptions = {},
  ): Promise<ObjectRef> {
    await this.promoted(contained);
    const objectId = name || newValueId();
    const contains = contained.map((ref) => idBytes(ref.objectId));
    const settings = signal ? { timeoutMs, signal } : { timeoutMs };
    try {
      await this.#node.use(settings, (link, leftMs) =>
        storeAt(link, {
          ...{ objectId, stored, contains, signal },
          ...{ holder: this.#options.holder, timeoutMs: leftMs },
        }),
      );
    } catch (reason) {
      // It may lie there all the same, where only the answer was lost. Nobody here will ever refer to it.
      // A result is stored under a name that the next attempt uses, too.
      if (name === "") this.#node.letGo([objectId], "withdraw");
      throw reason;
    }
    const ref = new ObjectRef(objectId, stored.sizeBytes, this);
    this.holds.stored(ref);
    return ref;
  }

  /** Has values lie on the node before references to them leave this program (VALUES-1); undefined: they do already. */
  promoted(refs: readonly ObjectRef[]): Promise<void> | undefined {
    return this.#local.promoted(refs);
  }

  /** @throws {PalimpsestError} OBJECT_LOST, GET_TIMEOUT, CANCELLED */
  async get<T>(ref: ObjectRef<T>, options: GetOptions = {}): Promise<T> {
    const local = this.#local.of(ref);
    if (local) return decodeWhole(local.bytes, (reference) => this.#bindIn(local, reference)) as T;
    if (!this.holds.has(ref.objectId)) throw lost(ref.objectId, "this program has released or freed it");
    const unpin = this.holds.pin(ref);
    try {
      return (await this.#readOrRecover(ref, options)) as T;
    } finally {
      unpin();
    }
  }

  /** Has it made again when it is lost, where that can be done (LINEAGE-2). */
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

  /** The value of an object that somebody holds meanwhile. @throws {PalimpsestError} OBJECT_LOST */
  async read(
    { objectId, sizeBytes }: { readonly objectId: string; readonly sizeBytes: number },
    { timeoutMs = transferTimeoutMs(sizeBytes), signal, into }: GetOptions = {},
  ): Promise<unknown> {
    const settings = signal ? { timeoutMs, signal } : { timeoutMs };
    return await this.#node.use(settings, async (link, leftMs) => {
      for (let attempt = 1; attempt <= maxReads; attempt++) {
        // A file that goes to disk again and again while memory is short is read through the node at last.
        const remote = !link.shared || attempt === maxReads;
        const find = { objectId: idBytes(objectId), remote };
        const found = link.order({ find }, leftMs);
        const { data, info } = await within(found, Number.POSITIVE_INFINITY, signal, this.#clock);
        if (data?.byteLength) return decodeWhole(data, this.bind);
        if (info?.path) {
          const read = await readFileValue(info.path, info.sizeBytes ?? 0, this.bind, into);
          if (read !== undefined) return read.value;
          continue;
        }
        const pulling = { ...settings, timeoutMs: leftMs };
        const bytes = await unlessGone(pull(link.peer, objectId, info?.sizeBytes ?? 0, pulling));
        if (bytes !== undefined && bytes.byteLength === info?.sizeBytes) return decodeWhole(bytes, this.bind);
      }
      throw lost(objectId, "it was freed while it was read");
    });
  }

  /** Keeps them until released. */
  pinned(refs: readonly ObjectRef[]): { release(): void } {
    const unpins = refs.map((ref) => this.holds.pin(ref));
    return {
      release: () => {
        for (const unpin of unpins.splice(0)) unpin();
      },
    };
  }

  /** Makes of references in values what stands for them here. */
  readonly bind = (reference: Reference): unknown => {
    if (reference.kind === "object")
      return this.holds.received(reference.objectId, reference.sizeBytes, this, reference.ownerId);
    return this.#options.handle(reference.actorId, reference.maxTaskRetries);
  };

  /** Of a value that only this program has, and perhaps what it refers to as well. */
  #bindIn(local: LocalValue, reference: Reference): unknown {
    const own = reference.kind === "object" && this.#local.referred(local, reference.objectId, this);
    return own || this.bind(reference);
  }

  /** Removes values everywhere, whoever refers to them: reads of them fail with OBJECT_LOST from then on. */
  async free(refs: readonly ObjectRef[], { timeoutMs = controlTimeoutMs }: PutOptions = {}): Promise<void> {
    const stored = refs.filter(({ objectId }) => this.holds.has(objectId)).map(({ objectId }) => objectId);
    for (const ref of refs) this.#local.free(ref);
    for (const objectId of stored) this.holds.forget(objectId);
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

  /** Of these, the ones whose value can be had somewhere. */
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

  /** Has values that tasks need lie on a node again: this program's own are stored anew, others `recover` makes. */
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

  /** Until it is known of each whether it can be held: whoever gave them keeps them until then (CALLVALUES-1). */
  async #holdThere(objectIds: readonly string[]): Promise<void> {
    const endMs = this.#clock.monotonicMs() + holdLimitMs;
    // What was let go while the node was away is not held again.
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

/** Undefined: it was there when the node was asked for it, and is not any more. */
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
  return new PalimpsestError("OBJECT_LOST", `object ${objectId} cannot be had: ${why}`, {
    details: { objectId },
  });
}

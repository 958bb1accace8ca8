/** References to values of the cluster. */
import { type EncodedValue, markReference, objectReference } from "@palimpsest/wire";

/** What a reference asks of the connection that it belongs to. */
export interface RefStore {
  get<T>(ref: ObjectRef<T>, options?: GetOptions): Promise<T>;
  release(ref: ObjectRef): void;
}

export interface GetOptions {
  /** Default: 30 s and a second for each MiB. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /**
   * A buffer that is used again: an array of the value that has exactly its length is read into it, five times as fast as
   * into a new one. What was in it before is overwritten.
   */
  readonly into?: ArrayBuffer;
}

/**
 * Names a value that was put. It may stand anywhere in arguments, results and values; who gets it may read the value. The
 * value stays as long as some program refers to it.
 */
export class ObjectRef<T = unknown> {
  readonly objectId: string;
  /** Bytes of the encoded value. */
  readonly sizeBytes: number;
  /** The program that ran the task whose result it is, and can have it made again; empty: nobody can. */
  readonly ownerId: string;
  readonly #store: RefStore;

  /** Made by `put` and by whatever reads a value. */
  constructor(objectId: string, sizeBytes: number, store: RefStore, ownerId = "") {
    this.objectId = objectId;
    this.sizeBytes = sizeBytes;
    this.ownerId = ownerId;
    this.#store = store;
    markReference(this, objectReference(objectId, sizeBytes, ownerId));
  }

  /** The value, a new one each time. @throws {PalimpsestError} OBJECT_LOST, GET_TIMEOUT, CANCELLED */
  get(options: GetOptions = {}): Promise<T> {
    return this.#store.get(this, options);
  }

  /** Says that this program needs it no more. The value goes when no other does; the collector says it too, some time. */
  release(): void {
    this.#store.release(this);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** The references to objects among those of a value. */
export function refsOf(references: EncodedValue["references"]): readonly ObjectRef[] {
  return references.flatMap(([, of]) => (of instanceof ObjectRef ? [of] : []));
}

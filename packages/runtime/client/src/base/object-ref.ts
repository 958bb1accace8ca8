/** References to values of the cluster. */
import { type EncodedValue, markReference, objectReference } from "@palimpsest/wire";

/** The operations that a reference needs from its connection. */
export interface RefStore {
  get<T>(ref: ObjectRef<T>, options?: GetOptions): Promise<T>;
  release(ref: ObjectRef): void;
}

/** How `cluster.get` waits for a value. */
export interface GetOptions {
  /** Milliseconds. Default: 30 s plus a second for each MiB. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /**
   * A buffer for reuse: an array of the value that has exactly its length gets it. Its memory becomes the pages of the
   * value, or is overwritten, and V8 collects no garbage for a new one.
   */
  readonly into?: ArrayBuffer;
  /**
   * Whether arrays of 32 KiB and more are views of a SharedArrayBuffer, which threads of this process can share, and for
   * which V8 collects next to no garbage. Default false.
   */
  readonly shared?: boolean;
}

/**
 * Refers to a value in the object store. It may occur anywhere in arguments, results and values, and every program
 * that receives it may read the value. The value is kept as long as any program refers to it.
 */
export class ObjectRef<T = unknown> {
  readonly objectId: string;
  /** Bytes of the encoded value. */
  readonly sizeBytes: number;
  /** The program that ran the task whose result it is, and can reconstruct it; empty if none can. */
  readonly ownerId: string;
  readonly #store: RefStore;

  /** Created by `put` and by decoding a value. */
  constructor(objectId: string, sizeBytes: number, store: RefStore, ownerId = "") {
    this.objectId = objectId;
    this.sizeBytes = sizeBytes;
    this.ownerId = ownerId;
    this.#store = store;
    markReference(this, objectReference(objectId, sizeBytes, ownerId));
  }

  /**
   * Reads the value, a new one each time. On its machine its large arrays are pages of shared memory, of which a copy is
   * made as they are written. @throws {PalimpsestError} OBJECT_LOST, GET_TIMEOUT, CANCELLED
   */
  get(options: GetOptions = {}): Promise<T> {
    return this.#store.get(this, options);
  }

  /**
   * Gives up this program's reference. The value is removed when no program refers to it. Garbage collection releases
   * unreachable references too, at some later time.
   */
  release(): void {
    this.#store.release(this);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** Returns the references to objects among the references of a value. */
export function refsOf(references: EncodedValue["references"]): readonly ObjectRef[] {
  return references.flatMap(([, of]) => (of instanceof ObjectRef ? [of] : []));
}

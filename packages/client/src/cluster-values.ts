import { PalimpsestError } from "@palimpsest/wire";
import { ClusterAdministration } from "./cluster-administration.js";
import type { GetOptions, ObjectRef } from "./object-ref.js";
import type { PutOptions, ValueStore } from "./value-store.js";
import { type Waitable, type Waited, type WaitOptions, waitFor } from "./value-wait.js";

/** Values that programs share by reference. */
export abstract class ClusterValues extends ClusterAdministration {
  protected abstract readonly values: ValueStore;

  /**
   * Stores a value: structured data, typed arrays, references and handles. Its arrays must not change until the
   * returned promise resolves.
   * @throws {PalimpsestError} INVALID_ARGUMENT for functions and symbols, OBJECT_STORE_FULL
   */
  put<T>(value: T, options: PutOptions = {}): Promise<ObjectRef<T>> {
    return this.values.put(value, options);
  }

  /**
   * Returns the value, a new copy each time; for several references, their values in order.
   * @throws {PalimpsestError} OBJECT_LOST; INVALID_ARGUMENT for anything else, such as the promise of a call
   */
  get<T>(ref: ObjectRef<T>, options?: GetOptions): Promise<T>;
  get<T>(refs: readonly ObjectRef<T>[], options?: Omit<GetOptions, "into">): Promise<T[]>;
  get<T>(refs: ObjectRef<T> | readonly ObjectRef<T>[], options: GetOptions = {}): Promise<T | T[]> {
    if ("objectId" in refs) return this.values.get(refs, options);
    const isList: boolean = Array.isArray(refs);
    if (!isList) return Promise.reject(notReferences(refs));
    return Promise.all(refs.map((ref) => this.values.get(ref, options)));
  }

  /**
   * Waits until `count` of the references (their values are available) and promises (they are settled) are ready.
   * @throws {PalimpsestError} INVALID_ARGUMENT, CANCELLED
   */
  wait<Item extends Waitable>(items: readonly Item[], options: WaitOptions = {}): Promise<Waited<Item>> {
    return waitFor(items, options, this.values);
  }

  /**
   * Removes values from all nodes, whichever programs refer to them. To give up only this program's reference, call
   * `ref.release()`.
   */
  free(refs: ObjectRef | readonly ObjectRef[], options: PutOptions = {}): Promise<void> {
    return this.values.free("objectId" in refs ? [refs] : refs, options);
  }
}

function notReferences(value: unknown): PalimpsestError {
  const what =
    value instanceof Promise ? "a promise: await it" : "neither a reference nor a list of references";
  return new PalimpsestError("INVALID_ARGUMENT", `the argument of get() is ${what}`);
}

import { shownValue } from "@palimpsest/std/input";
import { PalimpsestError, withCaller } from "@palimpsest/wire";
import { checkFields, refused, waitRules } from "../base/fields.js";
import type { GetOptions, ObjectRef } from "../base/object-ref.js";
import type { PutOptions, ValueStore } from "../values/value-store.js";
import { type Waitable, type Waited, type WaitOptions, waitFor } from "../values/value-wait.js";
import { ClusterAdministration } from "./cluster-administration.js";

/** Values that programs share by reference. */
export abstract class ClusterValues extends ClusterAdministration {
  protected abstract readonly values: ValueStore;

  /**
   * Stores a value: structured data, typed arrays, references and handles. Its arrays must not change until the
   * returned promise resolves.
   * @throws {PalimpsestError} INVALID_ARGUMENT for functions and symbols, OBJECT_STORE_FULL
   */
  put<T>(value: T, options: PutOptions = {}): Promise<ObjectRef<T>> {
    return withCallers(() => this.values.put(value, options));
  }

  /**
   * Returns the value, a new copy each time; for several references, their values in order.
   * @throws {PalimpsestError} OBJECT_LOST; INVALID_ARGUMENT for anything else, such as the promise of a call
   */
  get<T>(ref: ObjectRef<T>, options?: GetOptions): Promise<T>;
  get<T>(refs: readonly ObjectRef<T>[], options?: Omit<GetOptions, "into">): Promise<T[]>;
  get<T>(refs: ObjectRef<T> | readonly ObjectRef<T>[], options: GetOptions = {}): Promise<T | T[]> {
    return withCallers<T | T[]>(() => {
      if (isReference(refs)) return this.values.get(refs, options);
      const areReferences: boolean = Array.isArray(refs) && refs.every((ref) => isReference(ref));
      if (!areReferences) throw notReferences(refs, "get()");
      return Promise.all(refs.map((ref) => this.values.get(ref, options)));
    });
  }

  /**
   * Waits until `count` of the references (their values are available) and promises (they are settled) are ready.
   * @throws {PalimpsestError} INVALID_ARGUMENT, CANCELLED
   */
  wait<Item extends Waitable>(items: readonly Item[], options: WaitOptions = {}): Promise<Waited<Item>> {
    return withCallers(async () => {
      if (!Array.isArray(items) || !items.every(isWaitable))
        throw refused(
          "the argument of wait()",
          `is ${shownValue(items)}: give a list of references and promises`,
        );
      return await waitFor(items, options, this.values);
    });
  }

  /**
   * Removes values from all nodes, whichever programs refer to them. To give up only this program's reference, call
   * `ref.release()`.
   */
  free(refs: ObjectRef | readonly ObjectRef[], options: PutOptions = {}): Promise<void> {
    return withCallers(async () => {
      const list = isReference(refs) ? [refs] : refs;
      if (!Array.isArray(list) || !list.every(isReference)) throw notReferences(refs, "free()");
      checkFields(options, waitRules, "options of free()");
      await this.values.free(list, options);
    });
  }
}

/** An error names the line of the program that asked, and not those of the runtime that found it. */
async function withCallers<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (reason) {
    throw reason instanceof PalimpsestError ? withCaller(reason) : reason;
  }
}

function isReference(value: unknown): value is ObjectRef {
  return typeof value === "object" && value !== null && "objectId" in value;
}

function isWaitable(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("objectId" in value || "then" in value);
}

function notReferences(value: unknown, what: string): PalimpsestError {
  const problem =
    value instanceof Promise
      ? "a promise: await it"
      : "neither a reference nor a list of references: give what put() or ref() returned";
  return new PalimpsestError("INVALID_ARGUMENT", `the argument of ${what} is ${problem}`);
}

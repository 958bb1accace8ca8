/** Turns results of tasks into references. */
import { PalimpsestError } from "@palimpsest/wire";
import type { ObjectRef } from "../base/object-ref.js";
import type { ResultReader } from "../calls/pending-call.js";
import type { OutgoingValue, ReadyValue } from "../values/outgoing-value.js";
import type { ValueStore } from "../values/value-store.js";
import type { TaskCall } from "./task-call.js";

/** Runs the task with prepared arguments, with its retries. Its result gets the name `resultId`. */
export type RunAgain = (args: OutgoingValue, retries: number, reader: ResultReader) => TaskCall;

/**
 * Runs a task that returns a reference to its result. A small result is a value of this program; a large one stays
 * where it was created, and is reconstructed if it is lost (task-lineage.ts).
 */
export function referenceReader(values: ValueStore, name: string, runAgain: RunAgain): ResultReader {
  return {
    inline: (value) => values.put(value),
    async object(reference, call) {
      const ref = values.bind({ kind: "object", ...reference, ownerId: values.holder }) as ObjectRef;
      const { args, retriesLeft } = call;
      if (args === undefined || retriesLeft <= 0) return ref;
      const { refs, sizeBytes, release } = call.keepArguments();
      values.lineage.record(ref.objectId, {
        name,
        retriesLeft,
        argumentRefs: refs,
        sizeBytes: refs.reduce((sum, one) => sum + one.sizeBytes, sizeBytes),
        run: async (resultId, retries) => {
          const again = runAgain(readyValue(args, sizeBytes, refs), retries, madeAgain(values, resultId));
          await again.promise;
          return again.retriesLeft;
        },
        release,
      });
      return ref;
    },
    end: () => noReference(name),
  };
}

/** Returns the reader of a task that runs again to reconstruct its result. */
function madeAgain(values: ValueStore, resultId: string): ResultReader {
  return {
    resultId,
    inline: () => undefined,
    object: async () => {
      // This program's lease ended with the node that is gone.
      await values.holds.holdAgain(resultId);
    },
    end: () => noReference(resultId),
  };
}

function noReference(name: string): PalimpsestError {
  return new PalimpsestError(
    "INVALID_ARGUMENT",
    `${name} is a generator, which yields items and returns no reference: call it without .ref`,
  );
}

/** Returns arguments that were encoded before and are kept by their owner. */
function readyValue(args: ReadyValue, sizeBytes: number, refs: readonly ObjectRef[]): OutgoingValue {
  const preparing = args.object === undefined ? undefined : Promise.resolve(args);
  return { preparing, bytes: args.bytes, sizeBytes, keeps: false, refs, release: () => undefined };
}

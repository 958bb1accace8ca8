import { sha256Of } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import type { ObjectAccess } from "./weights.js";

/** Creates an object store in memory that verifies the hash of what it returns, as a cluster's store does. */
export function memoryObjects(): ObjectAccess & { readonly held: Map<string, Uint8Array> } {
  const held = new Map<string, Uint8Array>();
  return {
    held,
    put: async (pieces) => {
      const bytes = Buffer.concat(pieces);
      const objectId = hashOf(bytes);
      held.set(objectId, bytes);
      return { objectId, sizeBytes: bytes.byteLength };
    },
    getInto: async ({ objectId }, targets) => {
      const bytes = held.get(objectId);
      if (bytes === undefined || hashOf(bytes) !== objectId)
        throw new PalimpsestError("OBJECT_LOST", `object ${objectId} is damaged or gone`);
      let at = 0;
      for (const target of targets) {
        target.set(bytes.subarray(at, at + target.byteLength));
        at += target.byteLength;
      }
      if (at !== bytes.byteLength)
        throw new PalimpsestError("INVALID_ARGUMENT", `targets have ${at} bytes of ${bytes.byteLength}`);
    },
  };
}

function hashOf(bytes: Uint8Array): string {
  return sha256Of(bytes);
}

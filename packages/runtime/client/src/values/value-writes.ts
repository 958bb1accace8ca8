/** Writes a value to the node: in an order, by a file that both see, or over the network. */
import { PalimpsestError, type StoredValue, wholeOf } from "@palimpsest/wire";
import { idBytes, type ObjectLink } from "./object-link.js";
import { upload } from "./object-transfer.js";
import { writeFileValue } from "./value-files.js";
import type { WrittenMemory } from "./written-files.js";

/** Larger values are stored on the node at once, and larger arguments and results are sent by reference. */
export const smallValueBytes = 100 * 1024;
const abandonTimeoutMs = 30_000;

export interface StoringValue {
  readonly objectId: string;
  /** Called if it gets another id. Undefined: it keeps its own. */
  readonly onId?: ((objectId: string) => void) | undefined;
  readonly stored: StoredValue;
  /** Ids of the objects that it refers to. */
  readonly contains: readonly Uint8Array[];
  readonly holder: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Whether to return before the node has confirmed a value that was written as memory. */
  readonly early: boolean;
}

/** A value that was written as memory, and that the node has not confirmed. */
export interface UnsealedValue {
  readonly sealing: Promise<unknown>;
  readonly memory: WrittenMemory;
}

/** @returns what is to be waited for before anybody else learns of the value; undefined if it is on the node */
export async function storeAt(link: ObjectLink, value: StoringValue): Promise<UnsealedValue | undefined> {
  const { objectId, stored, contains, timeoutMs, signal } = value;
  const { sizeBytes, pieces } = stored;
  if (sizeBytes > smallValueBytes && link.shared) return await storeInFile(link, value);
  const id = idBytes(objectId);
  if (sizeBytes <= smallValueBytes) {
    await link.order({ store: { objectId: id, data: wholeOf(stored), contains: [...contains] } }, timeoutMs);
  } else {
    // The program and the node are on different machines.
    const first = { sizeBytes, holder: value.holder, valueId: id, contains: [...contains] };
    await upload(link.peer, first, pieces, signal ? { timeoutMs, signal } : { timeoutMs });
  }
  return undefined;
}

async function storeInFile(link: ObjectLink, value: StoringValue): Promise<UnsealedValue | undefined> {
  const { stored, contains, timeoutMs, signal, onId, early } = value;
  const { sizeBytes, pieces } = stored;
  const ahead = onId && (await link.ahead?.take(sizeBytes));
  const id = idBytes(ahead?.objectId ?? value.objectId);
  if (ahead !== undefined) onId?.(ahead.objectId);
  const reserve = async () =>
    (await link.order({ reserve: { objectId: id, sizeBytes } }, timeoutMs)).info?.path;
  const abandon = () => link.order({ abandon: id }, abandonTimeoutMs).catch(() => undefined);
  try {
    let memory: WrittenMemory | undefined;
    try {
      memory = await writeFileValue(ahead?.path ?? (await reserve()) ?? "", pieces, signal);
    } catch (reason) {
      if (ahead === undefined) throw reason;
      // The node may have given the room for the file to others.
      void abandon();
      memory = await writeFileValue((await reserve()) ?? "", pieces, signal);
    }
    const seal = () => link.order({ seal: { objectId: id, contains: [...contains] } }, timeoutMs);
    const sealing = seal();
    if (onId !== undefined) link.ahead?.stored(sizeBytes);
    if (early && memory !== undefined) return { sealing, memory };
    memory?.done();
    try {
      await sealing;
    } catch (reason) {
      // The same, after the file was written.
      if (ahead === undefined || PalimpsestError.from(reason).code !== "OBJECT_LOST") throw reason;
      (await writeFileValue((await reserve()) ?? "", pieces, signal))?.done();
      await seal();
    }
    return undefined;
  } catch (reason) {
    void abandon();
    throw reason;
  }
}

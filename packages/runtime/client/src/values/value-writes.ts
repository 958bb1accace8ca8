/** Writes a value to the node: in an order, by a file that both see, or over the network. */
import { randomBytes } from "node:crypto";
import { type StoredValue, wholeOf } from "@palimpsest/wire";
import { idBytes, type ObjectLink } from "./object-link.js";
import { upload } from "./object-transfer.js";
import { writeFileValue } from "./value-files.js";

/** Larger values are stored on the node at once, and larger arguments and results are sent by reference. */
export const smallValueBytes = 100 * 1024;
const abandonTimeoutMs = 30_000;

export interface StoringValue {
  readonly objectId: string;
  readonly stored: StoredValue;
  /** Ids of the objects that it refers to. */
  readonly contains: readonly Uint8Array[];
  readonly holder: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export function newValueId(): string {
  return randomBytes(20).toString("hex");
}

export async function storeAt(link: ObjectLink, value: StoringValue): Promise<void> {
  const { objectId, stored, contains, timeoutMs, signal } = value;
  const id = idBytes(objectId);
  if (stored.sizeBytes <= smallValueBytes) {
    await link.order({ store: { objectId: id, data: wholeOf(stored), contains: [...contains] } }, timeoutMs);
    return;
  }
  if (!link.shared) {
    // The program and the node are on different machines.
    const first = { sizeBytes: stored.sizeBytes, holder: value.holder, valueId: id, contains: [...contains] };
    await upload(link.peer, first, stored.pieces, signal ? { timeoutMs, signal } : { timeoutMs });
    return;
  }
  try {
    const reserve = { objectId: id, sizeBytes: stored.sizeBytes };
    const { info } = await link.order({ reserve }, timeoutMs);
    await writeFileValue(info?.path ?? "", stored.pieces, signal);
    await link.order({ seal: { objectId: id, contains: [...contains] } }, timeoutMs);
  } catch (reason) {
    link.order({ abandon: id }, abandonTimeoutMs).catch(() => undefined);
    throw reason;
  }
}

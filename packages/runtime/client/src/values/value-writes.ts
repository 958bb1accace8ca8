/** Writes a value to the node: in an order, by a file that both see, or over the network. */
import { randomBytes } from "node:crypto";
import { objectsService, type StoredValue, wholeOf } from "@palimpsest/wire";
import { idBytes, type ObjectLink } from "./object-link.js";
import { chunksOf } from "./object-transfer.js";
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
    await upload(link, value);
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

/** Sends the bytes over the network, because the program and the node are on different machines. */
async function upload(link: ObjectLink, value: StoringValue): Promise<void> {
  const { objectId, stored, contains, holder, timeoutMs, signal } = value;
  const settings = signal ? { timeoutMs, signal } : { timeoutMs };
  const { stream, response } = link.peer.clientStream(objectsService.put, settings);
  let answered = false;
  let wake: () => void = () => undefined;
  const onAnswer = () => {
    answered = true;
    wake();
  };
  response.then(onAnswer, onAnswer);
  stream.on("drain", () => wake());
  const first = { sizeBytes: stored.sizeBytes, holder, valueId: idBytes(objectId) };
  let begin: object = { ...first, contains: [...contains] };
  for (const data of chunksOf(stored.pieces)) {
    if (answered) break;
    const isTaken = stream.write({ ...begin, data });
    begin = {};
    if (isTaken || answered) continue;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  stream.end();
  await response;
}

/**
 * Responsibility: brings the pieces of one object over several bulk connections at once.
 * Not responsible for: which nodes have it (object-fetch.ts), the pieces (object-assembly.ts).
 *
 * Invariants:
 * - BULKTRANSFER-1. A piece that did not come from one node is asked of the next that is named; what has come is kept.
 * - BULKTRANSFER-2. Of one transfer at most `maxStreams` times `piecesAhead` pieces are under way.
 * - BULKTRANSFER-3. The first that fetch an object take it from those who have it whole, one from each; the others from one
 *   that began before, each from another. So no node sends it more often than once while all goes well, and nobody waits for
 *   one who waits for him.
 */
import { type BulkConnection, PalimpsestError } from "@palimpsest/wire";
import { type ObjectAssembly, pieceBytes } from "./object-assembly.js";

/** Below this a call is as quick as a new connection. */
export const leastBulkBytes = 4 * pieceBytes;
/** Together with piecesAhead as much as the receive window of a channel of calls. */
const maxStreams = 4;
const piecesAhead = 4;
/** Another stream is worth its connection when it carries so many pieces. */
const piecesPerStream = 32;
/** Longest silence of a node. */
const stallMs = 15_000;
/** How long a node that fetches the object itself may be behind. */
const waitMs = 5_000;

/** Nodes that the head named. */
export interface BulkSources {
  /** They have all of it. */
  readonly whole: readonly string[];
  /** They began to fetch it before this node did, in that order. */
  readonly fetching: readonly string[];
}

export interface BulkTransferDeps {
  readonly objectId: string;
  readonly connect: (address: string, stallMs: number) => BulkConnection;
  /** Told of each byte's node. */
  readonly onPiece: (address: string) => void;
  readonly onFailed: (address: string, error: PalimpsestError) => void;
}

/** BULKTRANSFER-3. @returns whom to ask, the best first; the first `best` of them are equally good */
export function ranked({ whole, fetching }: BulkSources): {
  readonly addresses: readonly string[];
  readonly best: number;
} {
  const turn = fetching.length;
  const rotated = [...whole.slice(turn), ...whole.slice(0, turn)];
  const chained = fetching[turn - whole.length];
  if (chained === undefined) return { addresses: [...rotated, ...fetching], best: whole.length };
  const others = fetching.filter((address) => address !== chained);
  return { addresses: [chained, ...whole, ...others], best: 1 };
}

/** Settles when all pieces have come. @throws {PalimpsestError} what the last node failed with */
export async function transferPieces(
  assembly: ObjectAssembly,
  sources: BulkSources,
  deps: BulkTransferDeps,
): Promise<void> {
  const { addresses, best } = ranked(sources);
  const failed = new Set<string>();
  let failure: PalimpsestError | undefined;
  const sourceOf = (stream: number) => {
    const wanted = addresses[stream % Math.max(1, best)] ?? "";
    return wanted !== "" && !failed.has(wanted) ? wanted : addresses.find((address) => !failed.has(address));
  };
  const stream = async (index: number) => {
    while (assembly.missingPieces > 0) {
      const address = sourceOf(index);
      if (address === undefined) return;
      try {
        await pull(assembly, address, deps);
        return;
      } catch (reason) {
        const error = PalimpsestError.from(reason);
        if (error.code === "OBJECT_STORE_FULL") throw error;
        failed.add(address);
        failure = error;
        deps.onFailed(address, error);
      }
    }
  };
  const streams = Math.max(1, Math.min(maxStreams, Math.ceil(assembly.missingPieces / piecesPerStream)));
  const ends = await Promise.allSettled(Array.from({ length: streams }, (_, index) => stream(index)));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  if (assembly.missingPieces > 0)
    throw failure ?? new PalimpsestError("UNAVAILABLE", "no node sends the object");
}

/** Over one connection, until no piece is left that nobody fetches. */
async function pull(assembly: ObjectAssembly, address: string, deps: BulkTransferDeps): Promise<void> {
  const { objectId, connect, onPiece } = deps;
  const connection = connect(address, stallMs);
  const lane = async () => {
    const buffer = Buffer.allocUnsafeSlow(pieceBytes);
    for (let piece = assembly.claim(); piece !== undefined; piece = assembly.claim()) {
      const { offsetBytes, lengthBytes } = piece;
      const target = buffer.subarray(0, lengthBytes);
      try {
        await connection.read({ objectId, offsetBytes, waitMs }, target);
        await assembly.write(piece, target);
      } catch (reason) {
        assembly.unclaim(piece);
        // The other lanes end too.
        connection.close();
        throw reason;
      }
      onPiece(address);
    }
  };
  try {
    const ends = await Promise.allSettled(Array.from({ length: piecesAhead }, lane));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  } finally {
    connection.close();
  }
}

/**
 * Responsibility: fetching the pieces of one object over several bulk connections at once.
 * Not responsible for: which nodes have it (object-fetch.ts), or the pieces (object-assembly.ts).
 *
 * Invariants:
 * - BULKTRANSFER-1. A piece that could not be fetched from one node is requested from the next named node; the pieces
 *   that have arrived are kept.
 * - BULKTRANSFER-2. At most `maxStreams` × `piecesAhead` pieces of one transfer are in flight.
 * - BULKTRANSFER-3. The first fetchers of an object each fetch it from a different node that has all of it. Each of
 *   the others fetches it from a different node that began earlier. Without failures no node sends the object more
 *   than once, and no two nodes wait for each other.
 */
import { type BulkConnection, PalimpsestError } from "@palimpsest/wire";
import { type ObjectAssembly, pieceBytes } from "./object-assembly.js";

/** Objects below this size are fetched with a call, which is as fast as a new connection. */
export const leastBulkBytes = 4 * pieceBytes;
/**
 * The maximum number of connections of one transfer. With `piecesAhead` their bytes in flight equal the receive window
 * of a call channel.
 */
const maxStreams = 4;
const piecesAhead = 4;
/** The number of pieces that an additional stream has to carry to be worth its connection. */
const piecesPerStream = 32;
/** The longest time in milliseconds that a node may be silent. */
const stallMs = 15_000;
/** The milliseconds that a node that is still fetching the object may take until it has a requested piece. */
const waitMs = 5_000;

/** The nodes that the head named as sources of an object. */
export interface BulkSources {
  /** Nodes that have all of it. */
  readonly whole: readonly string[];
  /** Nodes that began to fetch it before this node did, in that order. */
  readonly fetching: readonly string[];
}

export interface BulkTransferDeps {
  readonly objectId: string;
  readonly connect: (address: string, stallMs: number) => BulkConnection;
  /** Called with the address that each piece came from. */
  readonly onPiece: (address: string) => void;
  readonly onFailed: (address: string, error: PalimpsestError) => void;
}

/**
 * Orders the sources of an object (BULKTRANSFER-3).
 * @returns the nodes to request it from, best first; the first `best` of them are equally good
 */
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

/** Resolves when all pieces have arrived. @throws {PalimpsestError} the last node's error */
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

/** Fetches over one connection until every piece has been taken by some connection. */
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
        // Closing the connection ends its other lanes, too.
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

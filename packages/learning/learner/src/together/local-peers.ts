import { PairExchange, type Swap } from "./pair-exchange.js";
import { PairSums } from "./pair-sums.js";
import type { RankLinks } from "./peers.js";
import { SwapBox } from "./swap-box.js";

export interface LocalPeer {
  readonly peers: PairExchange;
  /** Ends all waiting and later calls, on every rank, as if this one's process had ended. */
  fail(reason: unknown): void;
}

export interface LocalPeersOptions {
  readonly sliceBytes?: number;
  /** Lanes of each rank. Default 1. */
  readonly lanes?: number;
  /** How long a rank waits for another. Default 10 minutes. */
  readonly timeoutMs?: number;
  /** Called for each message before it is sent. */
  readonly onSend?: (name: string, rank: number) => void;
}

/**
 * Creates the peers of learners that train together in one process, with the same sums as in several processes, to the
 * bit.
 */
export function localPeers(size: number, options: LocalPeersOptions = {}): LocalPeer[] {
  const boxes = Array.from({ length: size }, () => new SwapBox(options.timeoutMs ?? 600_000));
  const fail = (reason: unknown) => {
    for (const box of boxes) box.fail(reason);
  };
  return boxes.map((box, rank) => {
    const swap: Swap = async <Value>(other: number, tag: string, value: Value) => {
      options.onSend?.(tag, rank);
      // The value is cloned like a message, so that the other rank cannot change this one's value.
      const sent = structuredClone(value);
      const met = other > rank ? boxes[other]?.bring(rank, tag, sent) : box.give(other, tag, sent);
      return (await met) as Value;
    };
    const lanes = Array.from({ length: options.lanes ?? 1 }, (_, lane) => {
      const links: RankLinks = {
        give: async (other, name, bytes) => {
          options.onSend?.(name, rank);
          await box.give(other, `lane ${lane} ${name}`, bytes);
        },
        take: async (other, name, into) => {
          const bytes = (await boxes[other]?.bring(rank, `lane ${lane} ${name}`, undefined)) as Uint8Array;
          checkOffer(other, bytes.byteLength, into.byteLength);
          into.set(bytes);
        },
      };
      return new PairSums(rank, size, links, options);
    });
    return { peers: new PairExchange(rank, size, { swap, lanes }, options), fail };
  });
}

/** @throws if a rank offers other values than this one expects */
export function checkOffer(rank: number, offeredBytes: number, wantedBytes: number): void {
  if (offeredBytes === wantedBytes) return;
  throw new Error(`rank ${rank} has ${offeredBytes} bytes where ${wantedBytes} were expected`);
}

import { PairExchange, type Swap } from "./pair-exchange.js";
import { SwapBox } from "./swap-box.js";

export interface LocalPeer {
  readonly peers: PairExchange;
  /** Ends all waiting and later calls, on every rank, as if this one's process had ended. */
  fail(reason: unknown): void;
}

export interface LocalPeersOptions {
  readonly chunkValues?: number;
  /** How long a rank waits for another. Default 10 minutes. */
  readonly timeoutMs?: number;
  /** Called for each message before it is sent. */
  readonly onSwap?: (tag: string, rank: number) => void;
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
      options.onSwap?.(tag, rank);
      // The value is cloned like a message, so that the other rank cannot change this one's value.
      const sent = structuredClone(value);
      const met = other > rank ? boxes[other]?.bring(rank, tag, sent) : box.give(other, tag, sent);
      return (await met) as Value;
    };
    return { peers: new PairExchange(rank, size, swap, options), fail };
  });
}

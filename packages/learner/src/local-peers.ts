import { PairExchange, type Swap } from "./pair-exchange.js";
import { SwapBox } from "./swap-box.js";

export interface LocalPeer {
  readonly peers: PairExchange;
  /** Ends what waits and all that follows, on every rank, as when this one's process has ended. */
  fail(reason: unknown): void;
}

export interface LocalPeersOptions {
  readonly chunkValues?: number;
  /** What a rank may wait for another. Default 10 minutes. */
  readonly timeoutMs?: number;
  /** Told of each message before it is sent. */
  readonly onSwap?: (tag: string, rank: number) => void;
}

/** The ranks of learners that train together in one process: with the same sums as in several, to the bit. */
export function localPeers(size: number, options: LocalPeersOptions = {}): LocalPeer[] {
  const boxes = Array.from({ length: size }, () => new SwapBox(options.timeoutMs ?? 600_000));
  const fail = (reason: unknown) => {
    for (const box of boxes) box.fail(reason);
  };
  return boxes.map((box, rank) => {
    const swap: Swap = async <Value>(other: number, tag: string, value: Value) => {
      options.onSwap?.(tag, rank);
      // As in a message, what the other does with its value is nothing to this one.
      const sent = structuredClone(value);
      const met = other > rank ? boxes[other]?.bring(rank, tag, sent) : box.give(other, tag, sent);
      return (await met) as Value;
    };
    return { peers: new PairExchange(rank, size, swap, options), fail };
  });
}

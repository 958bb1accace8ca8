/**
 * Responsibility: whose turn it is among the requests for one shape.
 * Not responsible for: rooms and limits (placement-index.ts).
 *
 * Invariants:
 * - TURNS-1. The line on top has the highest priority; among these the key with the smallest score; among these the
 *   oldest request.
 */
import type { Claim } from "./claim.js";
import { IndexedHeap } from "./indexed-heap.js";

export interface Waiter {
  readonly order: number;
  readonly sinceMs: number;
}

/** The requests for one shape with one claim, the oldest first. */
export interface Line {
  readonly key: string;
  readonly claim: Claim;
  readonly waiting: Map<string, Waiter>;
  /** The limit that the line waits for, and how it stops doing so; undefined when it waits for a node. */
  parked: { readonly limit: string; readonly wake: () => void } | undefined;
}

/** What decides between the lines of several shapes. */
export interface Turn {
  readonly priority: number;
  readonly score: number;
  readonly order: number;
}

/** Negative when a comes before b. */
export function compareTurns(a: Turn, b: Turn): number {
  return b.priority - a.priority || a.score - b.score || a.order - b.order;
}

interface Entry {
  readonly line: Line;
  readonly order: number;
}

interface Share {
  readonly fairnessKey: string;
  readonly score: number;
  /** The order of the first of its lines. */
  readonly order: number;
  readonly lines: IndexedHeap<Entry>;
}

interface Level {
  readonly priority: number;
  readonly shares: IndexedHeap<Share>;
}

export class Turns {
  readonly #levels = new IndexedHeap<Level>(
    ({ priority }) => String(priority),
    (a, b) => b.priority - a.priority,
  );
  readonly #levelOf = new Map<number, Level>();
  readonly #shareOf = new Map<string, Share>();

  /** Returns the line whose turn it is, with what decided it. */
  top(): ({ readonly line: Line } & Turn) | undefined {
    const level = this.#levels.top();
    const share = level?.shares.top();
    const entry = share?.lines.top();
    if (level === undefined || share === undefined || entry === undefined) return undefined;
    return { line: entry.line, priority: level.priority, score: share.score, order: entry.order };
  }

  /** Adds the line, or puts it where its oldest request belongs. It must not be empty. */
  set(line: Line, score: number): void {
    const { priority, fairnessKey } = line.claim;
    const [oldest] = line.waiting.values();
    const order = oldest?.order ?? 0;
    const level = this.#levelOf.get(priority) ?? {
      priority,
      shares: new IndexedHeap<Share>(
        (share) => share.fairnessKey,
        (a, b) => a.score - b.score || a.order - b.order,
      ),
    };
    this.#levelOf.set(priority, level);
    const known = this.#shareOf.get(shareName(priority, fairnessKey));
    const lines =
      known?.lines ??
      new IndexedHeap<Entry>(
        (entry) => entry.line.key,
        (a, b) => a.order - b.order,
      );
    lines.set({ line, order });
    this.#setShare(level, fairnessKey, score, lines);
  }

  delete(line: Line): void {
    const { priority, fairnessKey } = line.claim;
    const level = this.#levelOf.get(priority);
    const share = this.#shareOf.get(shareName(priority, fairnessKey));
    if (level === undefined || share === undefined) return;
    share.lines.delete(line.key);
    this.#setShare(level, fairnessKey, share.score, share.lines);
  }

  /** Takes the key's new score over. */
  rescore(fairnessKey: string, score: number): void {
    for (const level of this.#levelOf.values()) {
      const share = this.#shareOf.get(shareName(level.priority, fairnessKey));
      if (share !== undefined && share.score !== score)
        this.#setShare(level, fairnessKey, score, share.lines);
    }
  }

  #setShare(level: Level, fairnessKey: string, score: number, lines: IndexedHeap<Entry>): void {
    const name = shareName(level.priority, fairnessKey);
    const first = lines.top();
    if (first !== undefined) {
      const share: Share = { fairnessKey, score, order: first.order, lines };
      this.#shareOf.set(name, share);
      level.shares.set(share);
      this.#levels.set(level);
      return;
    }
    this.#shareOf.delete(name);
    level.shares.delete(fairnessKey);
    if (level.shares.size > 0) return;
    this.#levels.delete(String(level.priority));
    this.#levelOf.delete(level.priority);
  }
}

function shareName(priority: number, fairnessKey: string): string {
  return `${priority} ${fairnessKey}`;
}

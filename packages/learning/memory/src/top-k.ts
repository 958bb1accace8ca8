export interface Hit {
  /** Index of the text among those that were indexed, from 0. */
  readonly index: number;
  readonly score: number;
}

/**
 * Keeps the best of many offers in a heap of at most `limit` entries. Of equal scores the smaller index is better, so
 * that results do not depend on the order of offers.
 */
export class TopK {
  readonly #limit: number;
  /** The worst of the kept entries is at index 0. */
  readonly #heap: Hit[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns whether such an offer would be kept. */
  admits(score: number, index: number): boolean {
    const worst = this.#heap[0];
    if (worst === undefined) return this.#limit > 0;
    return this.#heap.length < this.#limit || worse(worst, { score, index });
  }

  offer(score: number, index: number): void {
    if (!this.admits(score, index)) return;
    if (this.#heap.length === this.#limit) this.#heap[0] = { score, index };
    else {
      this.#heap.push({ score, index });
      this.#up(this.#heap.length - 1);
      return;
    }
    this.#down();
  }

  /** Returns the hits, the best first. */
  hits(): Hit[] {
    return [...this.#heap].sort((a, b) => b.score - a.score || a.index - b.index);
  }

  #up(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfWorse(at, parent)) return;
      at = parent;
    }
  }

  #down(): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const heap = this.#heap;
      const a = heap[left];
      if (a === undefined) return;
      const b = heap[right];
      const child = b !== undefined && worse(b, a) ? right : left;
      if (!this.#swapIfWorse(child, at)) return;
      at = child;
    }
  }

  /** Swaps the two entries when the lower one is worse than the upper one. */
  #swapIfWorse(below: number, above: number): boolean {
    const heap = this.#heap;
    const a = heap[below];
    const b = heap[above];
    if (a === undefined || b === undefined || !worse(a, b)) return false;
    heap[above] = a;
    heap[below] = b;
    return true;
  }
}

const worse = (a: Hit, b: Hit) => a.score < b.score || (a.score === b.score && a.index > b.index);

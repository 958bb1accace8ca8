import { actorModule } from "@palimpsest/client";

/** An actor is a plain class. Its fields live in a process of the cluster, and its methods are called from elsewhere. */
export class WordCounter {
  #counts = new Map<string, number>();

  add(text: string): number {
    const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
    for (const word of words) this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
    return words.length;
  }

  top(count: number): [string, number][] {
    return [...this.#counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, count);
  }
}

export const wordCounters = actorModule(WordCounter, import.meta.url);

import { setTimeout as delay } from "node:timers/promises";
import { actorModule, taskModule } from "@palimpsest/client";

/** Lets callers in one after the other, at most one per `everyMs`, whatever process they are in. */
export class Limiter {
  readonly #everyMs: number;
  #nextAtMs = 0;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  async enter(): Promise<number> {
    const atMs = Math.max(performance.now(), this.#nextAtMs);
    this.#nextAtMs = atMs + this.#everyMs;
    await delay(atMs - performance.now());
    return atMs;
  }
}

/** Stands for a request to a server that limits its callers. */
export async function fetchPage(page: number): Promise<string> {
  await delay(20);
  return "word ".repeat((page * 7) % 20);
}

export function countWords(text: string): number {
  return text.split(" ").length - 1;
}

export const limiters = actorModule(Limiter, import.meta.url);
export const pages = taskModule(fetchPage, import.meta.url);
export const counts = taskModule(countWords, import.meta.url);

import { existsSync } from "node:fs";
import type { ActorContext } from "@palimpsest/client";

/** An actor whose methods block the process's only thread. */
export class BusyActor {
  #actorId = "";
  #runs = 0;

  start(context: ActorContext): void {
    this.#actorId = context.actorId;
  }

  id(): string {
    return this.#actorId;
  }

  /** Computes until the file exists, without returning to the event loop; returns how often it was run. */
  spinUntil(path: string): number {
    this.#runs++;
    while (!existsSync(path));
    return this.#runs;
  }

  spinFor(durationMs: number): number {
    this.#runs++;
    const endAt = performance.now() + durationMs;
    while (performance.now() < endAt);
    return this.#runs;
  }
}

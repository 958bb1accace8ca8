/** Responsibility: takes episodes from the run's queue while an engine answers.
 *  Not responsible for: running them, and loading weights.
 *
 *  Invariants:
 *  ENGINE-3 (T1). When an engine becomes unreachable, its episodes return to the queue, where the actors of other
 *    engines take them, and no attempt is used up; the actor takes episodes again once the engine answers with the
 *    right weights. When an engine fails a request or exceeds its deadline, that one attempt is used up, and the
 *    engine is checked before it gets more.
 */

import { once } from "node:events";
import { delay } from "@palimpsest/std";
import type { Logger } from "@palimpsest/telemetry";
import { isAiling, isAway } from "./engine-sampler.js";

const againMs = 1_000;
/** How long an engine that a run cannot do without may take to come up. */
const firstTimeoutMs = 60_000;

export interface EngineIntakeOptions {
  /** Takes episodes until it is closed; closing returns those in progress. */
  readonly open: () => Promise<{ close(): Promise<void> }>;
  /** Resolves when the engine samples with the right weights. */
  readonly back: (signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
  /** Ends the waiting for an engine. */
  readonly signal: AbortSignal;
}

export class EngineIntake {
  readonly #options: EngineIntakeOptions;
  #consumer: { close(): Promise<void> } | undefined;
  #waiting: Promise<void> | undefined;

  constructor(options: EngineIntakeOptions) {
    this.#options = options;
  }

  /**
   * @param first gives the engine its first weights; retried for a while if the engine is not up
   * @param needed whether the run fails without it
   * @throws {EngineError} if a needed engine is not up
   */
  async start(first: () => Promise<void>, needed: boolean): Promise<void> {
    const deadlineAt = performance.now() + (needed ? firstTimeoutMs : 0);
    for (;;) {
      try {
        await first();
        return await this.#open();
      } catch (reason) {
        if (!isAway(reason)) throw reason;
        if (performance.now() > deadlineAt) {
          if (needed) throw reason;
          this.leave(reason);
          return;
        }
      }
      await delay(againMs, this.#options.signal);
      this.#options.signal.throwIfAborted();
    }
  }

  async #open(): Promise<void> {
    this.#consumer = await this.#options.open();
  }

  /** Runs one episode. @param signal aborts when the queue wants it back */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await work();
    } catch (reason) {
      if (signal.aborted) throw reason;
      if (isAway(reason) || isAiling(reason)) this.leave(reason);
      if (!isAway(reason)) throw reason;
      // Waits until the queue takes the episode back: rejecting before would count as an attempt.
      if (!signal.aborted) await once(signal, "abort");
      throw reason;
    }
  }

  /** Takes no more until the engine is back. */
  leave(reason: unknown): void {
    this.#waiting ??= this.#waitAway(reason).finally(() => {
      this.#waiting = undefined;
    });
  }

  async #waitAway(reason: unknown): Promise<void> {
    const { back, logger, signal } = this.#options;
    logger.warn({ err: reason }, "the engine is unreachable: its episodes return to the queue");
    await this.#consumer?.close();
    for (;;) {
      try {
        await back(signal);
        await this.#open();
        logger.info({}, "the engine answers again");
        return;
      } catch (again) {
        if (signal.aborted) return;
        logger.warn({ err: again }, "the engine is still unreachable");
      }
      await delay(againMs, signal);
      if (signal.aborted) return;
    }
  }
}

/**
 * Responsibility: sends a run's settings, numbers and status to MLflow, from a queue of bounded size, beside the training.
 * Not responsible for: what the numbers are called (tracked-numbers.ts), REST (mlflow-client.ts), the run's own metrics.jsonl.
 *
 * Invariants:
 * - TRACKER-1. No call waits for the server but `close`, which waits `closeTimeoutMs` at most; nothing here throws.
 * - TRACKER-2. At most `queueBytes` wait; a step beyond is left out, counted and told once.
 * - TRACKER-3. A run that is resumed goes on in the same run of MLflow, which is found by its tag.
 * - TRACKER-4. What is sent again is the same, with the same time: MLflow keeps it once.
 */
import { setTimeout as delay } from "node:timers/promises";
import {
  batchLimits,
  MlflowClient,
  MlflowFailure,
  type MlflowMetric,
  type MlflowStatus,
  type MlflowText,
} from "./mlflow-client.js";
import type { MlflowSettings } from "./tracker-settings.js";

export interface MlflowTrackerOptions {
  readonly settings: MlflowSettings;
  readonly run: {
    readonly runId: string;
    readonly name: string;
    readonly startedAtMs: number;
    readonly params: readonly MlflowText[];
  };
  /** Value of the authorization header; never logged. */
  readonly authorization?: string | undefined;
  /** Told when the server fails, when it is back and when something was left out: once each time. */
  readonly onWarning: (text: string) => void;
  /** Default 10 s. */
  readonly closeTimeoutMs?: number;
  /** Waits between attempts; for tests. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const firstRetryMs = 1_000;
const longestRetryMs = 60_000;
const defaultCloseTimeoutMs = 10_000;
/** About what one metric takes in memory and on the wire. */
const metricBytes = 160;

export class MlflowTracker {
  readonly #options: MlflowTrackerOptions;
  readonly #client: MlflowClient;
  readonly #stop = new AbortController();
  readonly #sending: Promise<void>;
  #queue: MlflowMetric[] = [];
  #leftOut = 0;
  #wake: () => void = () => undefined;
  #end: { readonly status: MlflowStatus; readonly atMs: number } | undefined;
  #gaveUp = false;

  constructor(options: MlflowTrackerOptions) {
    this.#options = options;
    this.#client = new MlflowClient(options.settings.address, options.authorization);
    this.#sending = this.#send().catch((reason: unknown) => this.#fail(reason));
  }

  /** Takes the numbers of one step; those that are not finite are left out. */
  log(step: number, values: Readonly<Record<string, number>>): void {
    if (this.#gaveUp || this.#end !== undefined) return;
    const timestamp = Date.now();
    const metrics = Object.entries(values)
      .filter(([, value]) => Number.isFinite(value))
      .map(([key, value]) => ({ key: metricKey(key), value, timestamp, step }));
    const { queueBytes } = this.#options.settings;
    if ((this.#queue.length + metrics.length) * metricBytes > queueBytes) {
      this.#leftOut += 1;
      if (this.#leftOut === 1)
        this.#warn(`its queue of ${queueBytes} bytes is full: steps are left out from step ${step} on`);
      return;
    }
    this.#queue.push(...metrics);
    this.#wake();
  }

  /** Sends what waits and the run's status, as long as its time goes. A second close waits for the first. */
  async close(status: MlflowStatus): Promise<void> {
    this.#end ??= { status, atMs: Date.now() };
    this.#wake();
    const { closeTimeoutMs = defaultCloseTimeoutMs } = this.#options;
    const late = setTimeout(() => {
      this.#stop.abort(new Error(`the run was over, and ${closeTimeoutMs} ms were not enough`));
    }, closeTimeoutMs);
    await this.#sending;
    clearTimeout(late);
    const { settings } = this.#options;
    if (this.#leftOut > 0)
      this.#warn(
        `${this.#leftOut} steps are not in experiment "${settings.experiment}"; metrics.jsonl has all`,
      );
  }

  async #send(): Promise<void> {
    const { settings, run } = this.#options;
    const experiment = await this.#try((signal) => this.#client.experiment(settings.experiment, signal));
    const id = await this.#try((signal) => this.#client.run(experiment, run, signal));
    for (let at = 0; at < run.params.length; at += batchLimits.params) {
      const params = run.params.slice(at, at + batchLimits.params);
      await this.#try((signal) => this.#client.logBatch(id, { params }, signal)).catch(this.#passOver);
    }
    for (;;) {
      const metrics = this.#queue.slice(0, batchLimits.metrics);
      if (metrics.length > 0) {
        await this.#try((signal) => this.#client.logBatch(id, { metrics }, signal)).catch(this.#passOver);
        this.#queue = this.#queue.slice(metrics.length);
      } else if (this.#end !== undefined) break;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
    const { status, atMs } = this.#end;
    await this.#try((signal) => this.#client.setStatus(id, status, atMs, signal));
  }

  /** Calls until the server takes it, or says that it never will. */
  async #try<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.#stop;
    const wait = this.#options.wait ?? ((ms, until) => delay(ms, undefined, { signal: until, ref: false }));
    for (let retryMs = firstRetryMs, failures = 0; ; failures++) {
      try {
        const answer = await call(signal);
        if (failures > 0) this.#warn("it takes numbers again");
        return answer;
      } catch (reason) {
        if (!(reason instanceof MlflowFailure) || !reason.retryable) throw reason;
        if (failures === 0) this.#warn(`${reason.message}; the run goes on, and its numbers wait`);
        // Half of it at random, so that runs which wait for one server do not all come back at once.
        await wait(retryMs * (0.5 + Math.random() / 2), signal);
        retryMs = Math.min(longestRetryMs, 2 * retryMs);
      }
    }
  }

  /** One batch that the server refuses does not end the others. */
  readonly #passOver = (reason: unknown): void => {
    if (this.#stop.signal.aborted) throw reason;
    this.#warn(`${messageOf(reason)}; this batch is left out`);
  };

  #fail(reason: unknown): void {
    this.#gaveUp = true;
    const why = this.#stop.signal.aborted ? messageOf(this.#stop.signal.reason) : messageOf(reason);
    const waiting = this.#queue.length;
    this.#queue = [];
    this.#warn(`${why}; ${waiting} numbers are not there, metrics.jsonl has all`);
  }

  #warn(text: string): void {
    this.#options.onWarning(`mlflow: ${text}`);
  }
}

const messageOf = (reason: unknown) => (reason instanceof Error ? reason.message : String(reason));

/** MLflow takes letters, digits and `_-./ ` in a name. */
function metricKey(name: string): string {
  return name.replace(/[^\w\-./ ]/g, "_").slice(0, batchLimits.keyCharacters);
}

/**
 * Responsibility: sends a run's settings, numbers and status to MLflow, from a bounded queue, concurrently with the training.
 * Not responsible for: the names of the metrics (tracked-numbers.ts), REST (mlflow-client.ts), the run's own metrics.jsonl.
 *
 * Invariants:
 * - TRACKER-1. Only `close` waits for the server, for at most `closeTimeoutMs`; no call throws.
 * - TRACKER-2. At most `queueBytes` are queued; a step beyond that is dropped and counted, with one warning.
 * - TRACKER-3. A resumed run continues the same MLflow run, which is found by its tag.
 * - TRACKER-4. A retry sends the same values with the same timestamps, so that MLflow stores them once.
 */
import { EngineError } from "@palimpsest/engines";
import { backoffMs, delay, jittered } from "@palimpsest/std";
import type { MlflowSettings } from "../recipe/tracker-settings.js";
import {
  batchLimits,
  MlflowClient,
  type MlflowMetric,
  type MlflowStatus,
  type MlflowText,
} from "./mlflow-client.js";

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
  /** Called once each time that the server fails, recovers, or misses metrics. */
  readonly onWarning: (text: string) => void;
  /** Default 10 s. */
  readonly closeTimeoutMs?: number;
  /** Waits between attempts; for tests. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const retry = { firstMs: 1_000, longestMs: 60_000 };
const defaultCloseTimeoutMs = 10_000;
/** Approximate size of one metric in memory and on the wire, bytes. */
const metricBytes = 160;

export class MlflowTracker {
  readonly #options: MlflowTrackerOptions;
  readonly #stop = new AbortController();
  readonly #sending: Promise<void>;
  #queue: MlflowMetric[] = [];
  #leftOut = 0;
  #wake: () => void = () => undefined;
  #end: { readonly status: MlflowStatus; readonly atMs: number } | undefined;
  #gaveUp = false;

  constructor(options: MlflowTrackerOptions) {
    this.#options = options;
    this.#sending = this.#send().catch((reason: unknown) => this.#fail(reason));
  }

  /** Queues the metrics of one step, without those that are not finite. */
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
        this.#warn(`the queue of ${queueBytes} bytes is full, so metrics are dropped from step ${step} on`);
      return;
    }
    this.#queue.push(...metrics);
    this.#wake();
  }

  /** Sends the queued metrics and the run's status until the timeout. A second close waits for the first. */
  async close(status: MlflowStatus): Promise<void> {
    this.#end ??= { status, atMs: Date.now() };
    this.#wake();
    const { closeTimeoutMs = defaultCloseTimeoutMs } = this.#options;
    const late = setTimeout(() => {
      this.#stop.abort(
        new Error(`the remaining metrics could not be sent within ${closeTimeoutMs} ms after the run's end`),
      );
    }, closeTimeoutMs);
    await this.#sending;
    clearTimeout(late);
    const { settings } = this.#options;
    if (this.#leftOut > 0)
      this.#warn(
        `${this.#leftOut} steps are missing in experiment "${settings.experiment}"; metrics.jsonl has all of them`,
      );
  }

  async #send(): Promise<void> {
    const { settings, authorization } = this.#options;
    const client = new MlflowClient(settings.address, authorization);
    await this.#sendBy(client).finally(() => client.close());
  }

  async #sendBy(client: MlflowClient): Promise<void> {
    const { settings, run } = this.#options;
    const experiment = await this.#try((signal) => client.experiment(settings.experiment, signal));
    const id = await this.#try((signal) => client.run(experiment, run, signal));
    for (let at = 0; at < run.params.length; at += batchLimits.params) {
      const params = run.params.slice(at, at + batchLimits.params);
      await this.#try((signal) => client.logBatch(id, { params }, signal)).catch(this.#passOver);
    }
    for (;;) {
      const metrics = this.#queue.slice(0, batchLimits.metrics);
      if (metrics.length > 0) {
        await this.#try((signal) => client.logBatch(id, { metrics }, signal)).catch(this.#passOver);
        this.#queue = this.#queue.slice(metrics.length);
      } else if (this.#end !== undefined) break;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
    const { status, atMs } = this.#end;
    await this.#try((signal) => client.setStatus(id, status, atMs, signal));
  }

  /** Retries until the server accepts the call or rejects it for good. */
  async #try<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.#stop;
    const wait = this.#options.wait ?? waitUnlessAborted;
    for (let failures = 0; ; failures++) {
      try {
        const answer = await call(signal);
        if (failures > 0) this.#warn("the server accepts metrics again");
        return answer;
      } catch (reason) {
        if (!(reason instanceof EngineError) || !reason.retryable) throw reason;
        if (failures === 0) this.#warn(`${reason.rawMessage}; the run continues, and its metrics are queued`);
        // Jittered, so that runs that wait for the same server do not all retry at the same moment.
        await wait(jittered(backoffMs(retry, failures + 1)), signal);
      }
    }
  }

  /** A batch that the server refuses does not stop the others. */
  readonly #passOver = (reason: unknown): void => {
    if (this.#stop.signal.aborted) throw reason;
    this.#warn(`${messageOf(reason)}; this batch of metrics is dropped`);
  };

  #fail(reason: unknown): void {
    this.#gaveUp = true;
    const why = this.#stop.signal.aborted ? messageOf(this.#stop.signal.reason) : messageOf(reason);
    const waiting = this.#queue.length;
    this.#queue = [];
    this.#warn(`${why}; ${waiting} metrics were not sent, but metrics.jsonl has all of them`);
  }

  #warn(text: string): void {
    this.#options.onWarning(`mlflow: ${text}`);
  }
}

const messageOf = (reason: unknown) => {
  if (reason instanceof EngineError) return reason.rawMessage;
  return reason instanceof Error ? reason.message : String(reason);
};

/** MLflow allows letters, digits and `_-./ ` in a name. */
function metricKey(name: string): string {
  return name.replace(/[^\w\-./ ]/g, "_").slice(0, batchLimits.keyCharacters);
}

async function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, signal);
  signal.throwIfAborted();
}

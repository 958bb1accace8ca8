/** Job: puts groups on the queues, as BullMQ flows: one `groups` job over G `rewards` jobs, each over one `rollouts` job.
 *  Not its job: anything that happens to them afterwards.
 *
 *  D1 (T1). A group id is put on the queues once, however often and by whomever it is dispatched.
 *  D2 (T1). A producer that dies at any instruction leaves a group that a second dispatch completes.
 *  D3.      Dispatch waits while `maxOutstandingGroups` groups are outstanding. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Metrics } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import { type FlowJobNode, FlowProducer, type FlowRootParentJob, type JobsOptions } from "bullmq";
import type { Redis } from "ioredis";
import { type GroupRequest, type GroupSpec, specOf, trajectoryIdOf } from "./group-spec.js";
import type { PayloadStore } from "./payload-store.js";
import type { QueueSettings } from "./queue-settings.js";
import { type RunKeys, runsKey } from "./run-keys.js";
import type { GroupState, RunLedger } from "./run-ledger.js";

/** `added` now, or the state in which an earlier dispatch left the group. */
export type DispatchOutcome = "added" | GroupState;

export interface DispatchOptions {
  readonly signal?: AbortSignal;
  /** When too many groups are outstanding: wait for room, or throw LIMIT_EXCEEDED. Default "wait". */
  readonly whenFull?: "wait" | "refuse";
}

export interface GroupProducerDeps {
  readonly redis: Redis;
  readonly runId: string;
  readonly keys: RunKeys;
  readonly ledger: RunLedger;
  readonly payloads: PayloadStore;
  readonly settings: QueueSettings;
  readonly metrics: Metrics | undefined;
}

// Redis runs one transaction in one piece; this many groups keep it under some tens of milliseconds.
const groupsPerTransaction = 32;
const shortestPollMs = 10;
const longestPollMs = 200;

export class GroupProducer {
  readonly #deps: GroupProducerDeps;
  readonly #flows: FlowProducer;

  constructor(deps: GroupProducerDeps) {
    this.#deps = deps;
    this.#flows = new FlowProducer({ connection: deps.redis, prefix: deps.keys.prefix });
    this.#flows.on("error", () => {}); // The shared connection reports its own errors.
  }

  /** Dispatches groups in order.
   *  @returns one outcome a request
   *  @throws {PalimpsestError} INVALID_ARGUMENT, CANCELLED (signal), LIMIT_EXCEEDED (whenFull "refuse"; earlier ones stay) */
  async dispatch(
    requests: readonly GroupRequest[],
    options: DispatchOptions = {},
  ): Promise<DispatchOutcome[]> {
    const specs = requests.map(specOf);
    const outcomes = new Map<string, DispatchOutcome>();
    let start = 0;
    let pollMs = shortestPollMs;
    while (start < requests.length) {
      throwIfCancelled(options.signal);
      const batch = specs.slice(start, start + groupsPerTransaction);
      const states = await this.#deps.ledger.claim(batch, this.#deps.settings.maxOutstandingGroups);
      const firstFull = states.indexOf("full");
      const taken = firstFull === -1 ? batch.length : firstFull;
      const claimed = requests.slice(start, start + taken).filter((_, index) => states[index] === "claimed");
      await this.#add(claimed);
      for (const [index, spec] of batch.slice(0, taken).entries()) {
        const state = states[index];
        if (state !== undefined && state !== "full" && !outcomes.has(spec.groupId)) {
          outcomes.set(spec.groupId, state === "claimed" ? "added" : state);
        }
      }
      start += taken;
      if (firstFull === -1) {
        pollMs = shortestPollMs;
      } else if (options.whenFull === "refuse") {
        throw this.#fullError();
      } else {
        await waitFor(pollMs, options.signal);
        pollMs = Math.min(pollMs * 2, longestPollMs);
      }
    }
    return specs.map(({ groupId }) => outcomes.get(groupId) ?? "outstanding");
  }

  async #add(requests: readonly GroupRequest[]): Promise<void> {
    const unique = [...new Map(requests.map((request) => [request.groupId, request])).values()];
    if (unique.length === 0) {
      return;
    }
    const { redis, keys, ledger, payloads, metrics, runId } = this.#deps;
    const [bytes] = await Promise.all([
      Promise.all(unique.map(({ groupId, task }) => payloads.putTask(groupId, task))),
      redis.sadd(runsKey, runId),
    ]);
    // A producer that died between adding and confirming has already added some of these (D2).
    const existing = await Promise.all(
      unique.map(({ groupId }) => redis.exists(keys.queue("groups", groupId))),
    );
    const missing = unique.filter((_, index) => existing[index] === 0);
    if (missing.length > 0) {
      await this.#flows.addBulk(missing.map((request) => this.#flow(specOf(request))));
    }
    await ledger.confirm(unique.map(({ groupId }) => groupId));
    metrics?.counter("palimpsest_queue_groups_dispatched_total").inc(missing.length);
    metrics?.counter("palimpsest_queue_payload_bytes_total").inc(
      { kind: "task" },
      bytes.reduce((sum, size) => sum + size, 0),
    );
  }

  #flow(spec: GroupSpec): FlowRootParentJob {
    const { settings } = this.#deps;
    const options = {
      attempts: settings.attempts,
      backoff: { type: "exponential", delay: settings.backoffMs, jitter: 0.25 },
      removeOnComplete: true,
      removeOnFail: { count: settings.keepFailedJobs },
      stackTraceLimit: 20,
    } satisfies JobsOptions;
    const children = Array.from({ length: spec.groupSize }, (_, episodeIndex): FlowJobNode => {
      // A failed child lets its parent go on and is listed there with its error (T4).
      const childOptions = {
        ...options,
        jobId: trajectoryIdOf(spec.groupId, episodeIndex),
        ignoreDependencyOnFailure: true,
      };
      const data = { ...spec, episodeIndex };
      return {
        name: "reward",
        queueName: "rewards",
        data,
        opts: childOptions,
        children: [{ name: "rollout", queueName: "rollouts", data, opts: childOptions }],
      };
    });
    return {
      name: "group",
      queueName: "groups",
      data: spec,
      opts: { ...options, jobId: spec.groupId },
      children,
    };
  }

  #fullError(): PalimpsestError {
    const limit = this.#deps.settings.maxOutstandingGroups;
    return new PalimpsestError(
      "LIMIT_EXCEEDED",
      `${limit} groups are outstanding, as many as maxOutstandingGroups allows; train or raise it`,
    );
  }

  async close(): Promise<void> {
    await this.#flows.close();
  }
}

function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new PalimpsestError("CANCELLED", "dispatch was cancelled", { cause: signal.reason });
  }
}

async function waitFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => throwIfCancelled(signal));
}

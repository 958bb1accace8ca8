/**
 * Responsibility: the actors of this node: one process each, started and stopped on the head's orders.
 * Not responsible for: deciding what runs or is restarted (the head does).
 *
 * Invariants:
 * - SUPERVISOR-1. An (actor, incarnation) is started at most once; a repeated order changes nothing. If that
 *   incarnation has ended already, its death is reported again, because the head that gave the order does not know of
 *   it.
 * - SUPERVISOR-2. Every accepted start ends in exactly one onDied, after at most one onStarted.
 * - SUPERVISOR-3. A stop that overtakes its start still stops it.
 * - SUPERVISOR-4. After close() no process runs, and none is started any more.
 */
import { join } from "node:path";
import type { Logger } from "@palimpsest/telemetry";
import { type ErrorCode, errorToProto, freeText, needsFence, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { pruneLogs } from "../base/log-folder.js";
import type { EnvironmentRequest, PreparedEnvironment } from "../environments/runtime-environments.js";
import type { ActorEnd } from "./actor-process.js";
import type { StackReader } from "./process-stack.js";
import { ProcessStarts, type ProcessStartsDeps } from "./process-starts.js";
import type { SupervisedActor } from "./supervised-actor.js";

export interface ProcessSupervisorDeps extends ProcessStartsDeps {
  readonly logDir: string;
  /** The size limit of all actors' logs together. */
  readonly logsBytes: number;
  /** Fetches the module that exports the class, and builds the environment of its process. */
  readonly prepare: (request: EnvironmentRequest, signal: AbortSignal) => Promise<PreparedEnvironment>;
  readonly onStarted: (message: proto.ActorStarted.$Properties) => void;
  readonly onDied: (message: proto.ActorDied.$Properties) => void;
  /** Returns the report of that incarnation's recent death, if there is one. */
  readonly deathOf: (actorId: string, incarnation: number) => proto.ActorDied.$Properties | undefined;
  readonly logger: Logger;
}

/**
 * The logs of actors that end within this time are pruned together, because pruning reads the sizes of all of them. They
 * may be thousands.
 */
const pruneAfterMs = 5_000;
/** The most text of a death's reason and of the error behind it, in bytes: the head remembers a thousand deaths. */
const maxReasonBytes = 8 * 1024;
const maxErrorBytes = 64 * 1024;

interface Entry {
  readonly actorId: string;
  readonly incarnation: number;
  readonly spec: proto.ActorSpec.$Properties;
  readonly restarts: number;
  /** The GPUs of its lease, as indices in the node's list. */
  readonly gpuIds: readonly number[];
  process: SupervisedActor | undefined;
  ready: proto.ActorProcessReady.$Properties | undefined;
  /** The reason of a stop that came before the process existed; undefined if there was none. */
  cancelled: string | undefined;
  /** Aborted by that stop, so that it does not wait for a download. */
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

export class ProcessSupervisor {
  readonly #deps: ProcessSupervisorDeps;
  readonly #starts: ProcessStarts;
  readonly #entries = new Map<string, Entry>();
  #closed = false;
  #pruning: NodeJS.Timeout | undefined;

  constructor(deps: ProcessSupervisorDeps) {
    this.#deps = deps;
    this.#starts = new ProcessStarts(deps);
  }

  /** Lists running and starting actors, for the head. */
  running(): proto.RunningActor.$Properties[] {
    return [...this.#entries.values()].map(reportOf);
  }

  /** Returns everything that a head needs that has lost the actor; undefined if the actor is not here. */
  describe(actorId: string): proto.ActorDescribed.$Properties | undefined {
    const entry = this.#entries.get(actorId);
    return entry && { actor: reportOf(entry), spec: entry.spec, restarts: entry.restarts };
  }

  /** Returns what reads the stack of the actor's process, and profiles it. @throws {PalimpsestError} UNAVAILABLE */
  stack(actorId: string): StackReader {
    const stack = this.#entries.get(actorId)?.process?.stack;
    if (stack) return stack;
    throw new PalimpsestError("UNAVAILABLE", `no process of ${actorId} runs on this node (yet)`);
  }

  /** Kills the actors of which no second process may run anywhere. @returns how many */
  fence(reason: string): number {
    const fenced = [...this.#entries.values()].filter(({ spec }) => needsFence(spec));
    for (const { actorId, process } of fenced) {
      if (process?.fence) process.fence(reason);
      else this.stop(actorId, 0, reason);
    }
    return fenced.length;
  }

  /** Returns whether the process of that incarnation runs or is being started. */
  runs(actorId: string, incarnation: number): boolean {
    return this.#entries.get(actorId)?.incarnation === incarnation;
  }

  start(order: proto.StartActor.$Properties): void {
    const spec = order.spec ?? {};
    const incarnation = order.incarnation ?? 0;
    const actorId = spec.actorId ?? "";
    const known = this.#entries.get(actorId);
    if (this.#closed || (known && known.incarnation >= incarnation)) return;
    const death = this.#deps.deathOf(actorId, incarnation);
    if (death !== undefined) {
      this.#deps.onDied(death);
      return;
    }
    const previous = known?.done;
    if (known) this.stop(actorId, 0, `incarnation ${incarnation} replaces it`);
    const entry: Entry = {
      actorId,
      incarnation,
      spec,
      restarts: order.restarts ?? 0,
      gpuIds: order.gpuIds ?? [],
      process: undefined,
      ready: undefined,
      cancelled: undefined,
      abort: new AbortController(),
      // The actor is started in the next turn, when `entry` exists.
      done: Promise.resolve(previous).then(() => this.#run(entry, spec)),
    };
    this.#entries.set(actorId, entry);
  }

  stop(actorId: string, graceMs: number, reason: string): void {
    const entry = this.#entries.get(actorId);
    if (!entry) return;
    if (entry.process) void entry.process.stop(graceMs, reason);
    else {
      entry.cancelled ??= reason;
      entry.abort.abort(new PalimpsestError("CANCELLED", `${reason}, before its process existed`));
    }
  }

  /** Passes new credentials to all processes after a rotation of the token. */
  adopt(credentials: proto.ProcessCredentials.$Properties): void {
    for (const { process } of this.#entries.values()) process?.adopt(credentials);
  }

  async close(graceMs: number, reason: string): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#pruning);
    const entries = [...this.#entries.values()];
    for (const { actorId } of entries) this.stop(actorId, graceMs, reason);
    await Promise.all(entries.map((entry) => entry.done));
  }

  async #run(entry: Entry, spec: proto.ActorSpec.$Properties): Promise<void> {
    let end: ActorEnd;
    try {
      end = await this.#live(entry, spec);
    } catch (reason) {
      end = this.#neverRan(spec, PalimpsestError.from(reason));
    }
    if (this.#entries.get(entry.actorId) === entry) this.#entries.delete(entry.actorId);
    this.#report(entry, end);
    this.#pruneLogsSoon();
  }

  #pruneLogsSoon(): void {
    this.#pruning ??= setTimeout(() => {
      this.#pruning = undefined;
      void this.#pruneLogs();
    }, pruneAfterMs).unref();
  }

  #logPath({ actorId, incarnation }: Entry, ending = "log"): string {
    return join(this.#deps.logDir, `${actorId}-${incarnation}.${ending}`);
  }

  async #pruneLogs(): Promise<void> {
    const { logDir, logsBytes, logger } = this.#deps;
    const open = new Set([...this.#entries.values()].map((entry) => this.#logPath(entry)));
    try {
      await pruneLogs(logDir, logsBytes, (path) => open.has(path));
    } catch (reason) {
      // The next end of an actor retries.
      if (!this.#closed) logger.warn({ err: reason }, "old logs of actors not removed");
    }
  }

  async #live(entry: Entry, spec: proto.ActorSpec.$Properties): Promise<ActorEnd> {
    const prepared = await this.#deps.prepare(spec, entry.abort.signal);
    try {
      return await this.#liveIn(entry, spec, prepared);
    } finally {
      prepared.release();
    }
  }

  async #liveIn(
    entry: Entry,
    spec: proto.ActorSpec.$Properties,
    prepared: PreparedEnvironment,
  ): Promise<ActorEnd> {
    if (entry.cancelled !== undefined) {
      throw new PalimpsestError("CANCELLED", `${entry.cancelled}, before its process existed`);
    }
    const request = {
      spec,
      incarnation: entry.incarnation,
      gpuIds: entry.gpuIds,
      prepared,
      logPath: this.#logPath(entry),
      refusalsPath: this.#logPath(entry, "refused.log"),
      startedPath: spec.taskWorker ? this.#logPath(entry, "started") : "",
    };
    const startedAt = performance.now();
    const { process, wasWarm } = this.#starts.start(request);
    const end = await this.#watch(entry, process, startedAt);
    // The process died before it read its start message, so nothing of the actor has run yet. A new one that could not
    // start from its snapshot is replaced by one without.
    const mayRepeat = wasWarm || process.snapshotFailed;
    const unheard = mayRepeat && !process.received && !process.stopping && !this.#closed;
    return unheard ? await this.#watch(entry, this.#starts.start(request, true).process, startedAt) : end;
  }

  async #watch(entry: Entry, process: SupervisedActor, startedAt: number): Promise<ActorEnd> {
    entry.process = process;
    const { metrics } = this.#deps;
    const ready = await process.ready;
    if (ready && !process.stopping) {
      metrics
        .histogram("palimpsest_node_process_start_seconds")
        .observe((performance.now() - startedAt) / 1000);
      entry.ready = ready;
      const { actorId, incarnation, spec } = entry;
      this.#deps.logger.info({ actorId, incarnation, pid: process.pid, role: spec.role }, "actor started");
      this.#deps.onStarted({
        actorId,
        incarnation,
        pid: process.pid,
        address: ready.address ?? "",
        metricsAddress: ready.metricsAddress ?? "",
      });
    }
    const end = await process.ended;
    const cause = process.stopping ? "stopped" : end.certificate.signal ? "signal" : "exit";
    metrics.counter("palimpsest_node_process_exits_total").inc({ reason: cause });
    return end;
  }

  /** Returns the certificate of an actor whose process was never started. */
  #neverRan(spec: proto.ActorSpec.$Properties, error: PalimpsestError): ActorEnd {
    const now = Date.now();
    const certificate = {
      reason: error.rawMessage,
      diedAtMs: now,
      lastHeartbeatMs: now,
      nodeId: this.#deps.nodeId,
      ownerId: spec.ownerId ?? "",
    };
    if (error.code === "CANCELLED") return { certificate, constructorError: undefined };
    return { certificate, constructorError: hopeless.has(error.code) ? error : passing(error) };
  }

  #report({ actorId, incarnation }: Entry, { certificate, constructorError }: ActorEnd): void {
    const { exitCode, signal } = certificate;
    const reason = freeText(certificate.reason ?? "", maxReasonBytes);
    this.#deps.logger.info({ actorId, incarnation, reason, exitCode, signal }, "actor ended");
    this.#deps.onDied({
      actorId,
      incarnation,
      certificate: { ...certificate, reason },
      ...(constructorError ? { constructorError: errorToProto(constructorError, maxErrorBytes) } : {}),
    });
  }
}

/** Errors that would occur on every node and at any time. */
const hopeless: ReadonlySet<ErrorCode> = new Set([
  "NOT_FOUND",
  "INVALID_ARGUMENT",
  "LIMIT_EXCEEDED",
  "ENVIRONMENT_FAILED",
]);

/** Returns the error in a retryable form, because another node or a later attempt may succeed. */
function passing(error: PalimpsestError): PalimpsestError {
  const { code, rawMessage, details } = error;
  return error.retryable
    ? error
    : new PalimpsestError(code, rawMessage, { details, cause: error, retryable: true });
}

function reportOf(entry: Entry): proto.RunningActor.$Properties {
  const { actorId, incarnation, spec, gpuIds, process, ready } = entry;
  return {
    actorId,
    incarnation,
    resources: spec.resources ?? {},
    gpuIds: [...gpuIds],
    pid: process?.pid ?? 0,
    address: ready?.address ?? "",
    metricsAddress: ready?.metricsAddress ?? "",
  };
}

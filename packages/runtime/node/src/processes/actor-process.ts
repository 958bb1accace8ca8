/**
 * Responsibility: one process of one actor: sends it its start message, and reports when it is ready and how it
 * ended.
 * Not responsible for: which actors run (process-supervisor.ts), where the process comes from (process-starts.ts), or
 * the head.
 *
 * Invariants:
 * - NODEPROCESS-1. The process has a channel to this node and ends when the channel closes, so that it never
 *   outlives the node.
 * - NODEPROCESS-2. `ended` resolves exactly once, after `ready` has resolved.
 */
import { readFileSync, rmSync } from "node:fs";
import { systemClock } from "@palimpsest/std";
import { errorFromProto, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { StackReader } from "./process-stack.js";
import { certificateOf, endSentence, type ProcessEnd } from "./supervised-process.js";
import { WorkerProcess, type WorkerProgram } from "./worker-process.js";

export interface ActorProcessOptions {
  readonly program: WorkerProgram;
  readonly start: proto.ActorProcessStart.$Properties;
  readonly environment: Readonly<Record<string, string>>;
  /** The working directory. Default: that of the node. */
  readonly cwd?: string | undefined;
  readonly logPath: string;
  readonly startTimeoutMs: number;
  /** Called with reports about its calls. If it is absent, they are dropped. */
  readonly onTaskReport?: ((report: proto.TaskReport.$Properties) => void) | undefined;
}

/** The milliseconds between SIGTERM and SIGKILL of an actor that ends itself, for its stop(). */
const exitGraceMs = 5_000;

/** Returns the number of the last call that began, which the process of a task worker has written to a file. */
function startedCalls(path: string): { readonly startedCalls?: number } {
  if (path === "") return {};
  try {
    const bytes = readFileSync(path);
    return bytes.byteLength === 8 ? { startedCalls: Number(bytes.readBigUInt64LE()) } : {};
  } catch {
    // The process ended before it had created the file.
    return { startedCalls: 0 };
  } finally {
    rmSync(path, { force: true });
  }
}

export interface ActorEnd {
  readonly certificate: proto.DeathCertificate.$Properties;
  /** The error that its module, constructor or start() threw. */
  readonly constructorError: PalimpsestError | undefined;
}

export class ActorProcess {
  readonly actorId: string;
  readonly incarnation: number;
  readonly pid: number;
  /** Resolves with undefined if it ended before it was ready. */
  readonly ready: Promise<proto.ActorProcessReady.$Properties | undefined>;
  readonly ended: Promise<ActorEnd>;
  readonly #worker: WorkerProcess;
  #received = false;

  private constructor(options: ActorProcessOptions, worker: WorkerProcess) {
    const spec = options.start.spec ?? {};
    this.actorId = spec.actorId ?? "";
    this.incarnation = options.start.incarnation ?? 0;
    this.#worker = worker;
    const { process } = worker;
    this.pid = process.pid;
    let failure: PalimpsestError | undefined;
    let exited = false;
    this.ready = new Promise((resolve) => {
      const cancelTimer = systemClock.after(options.startTimeoutMs, () => {
        void process.stop(0, `it was not ready within ${options.startTimeoutMs} ms`);
      });
      const settle = (ready?: proto.ActorProcessReady.$Properties) => {
        cancelTimer();
        resolve(ready);
      };
      worker.assign(options.logPath, (event) => {
        if (event.received) this.#received = true;
        else if (event.ready) settle(event.ready);
        else if (event.failed) failure = errorFromProto(event.failed);
        else if (event.taskReport) options.onTaskReport?.(event.taskReport);
        else if (event.exiting) {
          exited = true;
          const { reason } = event.exiting;
          void process.stop(exitGraceMs, `it exited by itself${reason ? `: ${reason}` : ""}`);
        }
      });
      void process.ended.then(() => settle());
    });
    this.ended = this.#end(options.start, () => ({ failure, exited }));
    worker.order({ start: options.start });
  }

  /** @param worker a process that waits for an actor; by default a new one */
  static start(options: ActorProcessOptions, worker = WorkerProcess.spawn(options)): ActorProcess {
    return new ActorProcess(options, worker);
  }

  /** Sends SIGTERM, and SIGKILL after the grace period. With a grace period of 0 it kills at once. */
  async stop(graceMs: number, reason: string): Promise<void> {
    await this.#worker.process.stop(graceMs, reason);
  }

  /** Sends it the credentials after a rotation of the token. */
  adopt(credentials: proto.ProcessCredentials.$Properties): void {
    this.#worker.order({ credentials });
  }

  /** The stack and profiles of its main thread. */
  get stack(): StackReader {
    return this.#worker.stack;
  }

  get stopping(): boolean {
    return this.#worker.process.stopReason !== undefined;
  }

  /** Whether it ended because it could not start from its snapshot. */
  get snapshotFailed(): boolean {
    return this.#worker.snapshotFailed;
  }

  /** Whether the process has read its start message. One that ended before has run none of the actor's code. */
  get received(): boolean {
    return this.#received;
  }

  async #end(
    { spec, nodeId, startedPath }: proto.ActorProcessStart.$Properties,
    told: () => { readonly failure: PalimpsestError | undefined; readonly exited: boolean },
  ): Promise<ActorEnd> {
    const end = await this.#worker.process.ended;
    await this.ready;
    this.#worker.closeOutput();
    const { exited, failure = spawnFailure(end) } = told();
    const reason = this.#reason(end, failure);
    const facts = { reason, nodeId: nodeId ?? "", ownerId: spec?.ownerId ?? "", pid: this.pid };
    const certificate = { ...certificateOf(end, facts), ...startedCalls(startedPath ?? ""), exited };
    return { certificate, constructorError: failure };
  }

  #reason(end: ProcessEnd, failure: PalimpsestError | undefined): string {
    if (failure) return failure.rawMessage;
    return this.#worker.process.stopReason ?? endSentence(end);
  }
}

/**
 * Returns the error of a process that could not be spawned, which is a transient problem of the machine and not of the
 * actor.
 */
function spawnFailure(end: ProcessEnd): PalimpsestError | undefined {
  return end.spawnError
    ? new PalimpsestError("UNAVAILABLE", endSentence(end), { cause: end.spawnError })
    : undefined;
}

/**
 * Responsibility: which light actors share a process: those of one owner, or one job, with one module and one
 * environment.
 * Not responsible for: what happens inside (shared-process.ts).
 *
 * Invariants:
 * - SHAREDPROCESSES-1. No process has actors of two owners, unless they are of one job, nor of two modules or two
 *   environments.
 * - SHAREDPROCESSES-2. After close() no shared process runs.
 */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "@palimpsest/std";
import type * as proto from "@palimpsest/wire/protocol";
import type { PreparedEnvironment } from "../environments/runtime-environments.js";
import type { SharedActorRequest } from "./shared-actor-request.js";
import { SharedProcess, type SharedWorker } from "./shared-process.js";
import type { SharedSlot } from "./shared-slot.js";

/** The maximum number of actors in one process, which are lost with it. */
const maxActors = 5_000;
/** The milliseconds for which a process without actors waits for new ones before it ends. */
const idleMs = 10_000;

/** The working directory of its process, and the module that it imports. */
export type SharedEnvironment = Pick<PreparedEnvironment, "moduleUrl" | "cwd" | "retain">;

export interface SharedProcessesDeps {
  readonly logDir: string;
  readonly startTimeoutMs: number;
  readonly blockLimitMs: number;
  readonly clock: Clock;
  readonly onTaskReport?: ((report: proto.TaskReport.$Properties) => void) | undefined;
  /** Returns a warm process, or a new one with these variables in this folder. */
  readonly spawn: (environment: Readonly<Record<string, string>>, cwd: string | undefined) => SharedWorker;
  /** Returns the fields of every start message. */
  readonly session: () => proto.ActorProcessStart.$Properties;
}

interface Idle {
  readonly process: SharedProcess;
  cancelEnd: () => void;
}

export class SharedProcesses {
  readonly #deps: SharedProcessesDeps;
  readonly #ofKey = new Map<string, Set<Idle>>();
  readonly #ending = new Set<Promise<void>>();

  constructor(deps: SharedProcessesDeps) {
    this.#deps = deps;
  }

  start(request: SharedActorRequest, prepared: SharedEnvironment): SharedSlot {
    const { spec } = request;
    const variables = Object.entries(spec.environment ?? {}).sort();
    const owner = spec.jobId ? [spec.jobId, "job"] : [spec.ownerId, "owner"];
    const key = JSON.stringify([...owner, prepared.moduleUrl, prepared.cwd ?? "", variables]);
    const processes = this.#ofKey.get(key) ?? new Set();
    this.#ofKey.set(key, processes);
    const roomy = [...processes].find(({ process }) => process.size < maxActors);
    const found = roomy ?? this.#open(key, processes, spec, prepared);
    found.cancelEnd();
    return found.process.host(request);
  }

  adopt(credentials: proto.ProcessCredentials.$Properties): void {
    for (const { process } of this.#all()) process.adopt(credentials);
  }

  async close(reason: string): Promise<void> {
    for (const { process, cancelEnd } of this.#all()) {
      cancelEnd();
      this.#end(process, reason);
    }
    await Promise.all(this.#ending);
  }

  *#all(): Generator<Idle> {
    for (const processes of this.#ofKey.values()) yield* [...processes];
  }

  #open(
    key: string,
    processes: Set<Idle>,
    { role, jobId, code, environment }: proto.ActorSpec.$Properties,
    { moduleUrl, cwd, retain }: SharedEnvironment,
  ): Idle {
    const { logDir, startTimeoutMs, blockLimitMs, clock, spawn, session, onTaskReport } = this.#deps;
    const path = join(logDir, `shared-${randomBytes(6).toString("hex")}`);
    const forget = () => {
      processes.delete(entry);
      if (processes.size === 0) this.#ofKey.delete(key);
    };
    const worker = spawn(environment ?? {}, cwd);
    // The environment is retained, because the process may wait for new actors after its former actors and their uses
    // of the environment have ended.
    void worker.process.ended.then(retain());
    const entry: Idle = {
      cancelEnd: () => undefined,
      process: new SharedProcess({
        ...{ startTimeoutMs, blockLimitMs, onTaskReport, worker, logPath: `${path}.log` },
        start: {
          ...session(),
          ...{
            moduleUrl,
            incarnation: 1,
            refusalsPath: `${path}.refused.log`,
            startedPath: `${path}.started`,
            logsPath: logDir,
          },
          spec: { role: role ?? "", jobId: jobId ?? "", code: code ?? {} },
        },
        onEnded: forget,
        onEmpty: () => {
          entry.cancelEnd = clock.after(idleMs, () => {
            // The process is forgotten before it is ended, so that no actor is placed in a process that is ending.
            forget();
            this.#end(entry.process, "it has no actors left");
          });
        },
      }),
    };
    processes.add(entry);
    return entry;
  }

  #end(process: SharedProcess, reason: string): void {
    const ended = process.stop(0, reason).finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}

/**
 * Responsibility: the process that an actor gets: one that is warm where it fits, else a new one.
 * Not responsible for: what becomes of it (process-supervisor.ts).
 *
 * A warm process has the environment that all actors have, the node's folder, and sees no GPU. An actor with variables of its own, which
 * Node.js or a library may read only when a process begins, or with a folder of its own, or that leases GPUs, gets a process that began with them.
 */

import type { Metrics } from "@palimpsest/telemetry";
import type * as proto from "@palimpsest/wire/protocol";
import { ActorProcess, type ActorProcessOptions } from "./actor-process.js";
import { visibleDevicesName, visibleTo } from "./gpu-devices.js";
import type { PreparedEnvironment } from "./runtime-environments.js";
import type { SharedProcesses } from "./shared-processes.js";
import type { SupervisedActor } from "./supervised-actor.js";
import type { WarmProcesses } from "./warm-processes.js";
import type { WorkerProgram } from "./worker-process.js";

/** Makes the process of an actor; a simulation has its own. */
export type StartActorProcess = (options: ActorProcessOptions) => SupervisedActor;

export interface ProcessStartsDeps {
  readonly nodeId: string;
  readonly program: WorkerProgram;
  readonly startTimeoutMs: number;
  /** Environment of every actor; the spec's own is added. */
  readonly environment: Readonly<Record<string, string>>;
  /** The GPUs of this node, as CUDA names them. */
  readonly gpus: readonly string[];
  /** The part of the start message that is the same for all. */
  readonly session: () => Pick<
    proto.ActorProcessStart.$Properties,
    | "clusterId"
    | "headAddress"
    | "credentials"
    | "objectsAddress"
    | "listenHost"
    | "objectsPath"
    | "logLevel"
    | "taskEvents"
  >;
  /** Absent: every actor gets a new process. */
  readonly warm?: Pick<WarmProcesses, "take" | "busy"> | undefined;
  /** Light actors. Absent: each gets a process of its own. */
  readonly shared?: Pick<SharedProcesses, "start"> | undefined;
  /** Default: a Node.js process. */
  readonly startProcess?: StartActorProcess;
  /** Told what became of the calls of a process. Default: nobody is. */
  readonly onTaskReport?: ActorProcessOptions["onTaskReport"];
  readonly metrics: Metrics;
}

/** What is to run, and where its output goes. */
export interface StartRequest {
  readonly spec: proto.ActorSpec.$Properties;
  readonly incarnation: number;
  readonly gpuIds: readonly number[];
  readonly prepared: Pick<PreparedEnvironment, "moduleUrl" | "cwd" | "retain">;
  readonly logPath: string;
  readonly refusalsPath: string;
  /** Of a worker for tasks; else empty. */
  readonly startedPath: string;
}

export interface StartedProcess {
  readonly process: SupervisedActor;
  /** Whether it had waited for an actor: it may have ended before it knew of this one. */
  readonly wasWarm: boolean;
}

export class ProcessStarts {
  readonly #deps: ProcessStartsDeps;

  constructor(deps: ProcessStartsDeps) {
    this.#deps = deps;
  }

  /** @param fresh whether the process must be a new one */
  start(request: StartRequest, fresh = false): StartedProcess {
    const { nodeId, program, startTimeoutMs, session, startProcess, warm, metrics, onTaskReport } =
      this.#deps;
    const { spec, incarnation, prepared, refusalsPath, startedPath, logPath } = request;
    if (spec.sharedProcess && this.#deps.shared)
      return { process: this.#deps.shared.start({ spec, incarnation }, prepared), wasWarm: false };
    const { moduleUrl, cwd } = prepared;
    const options: ActorProcessOptions = {
      program,
      start: {
        ...session(),
        spec,
        incarnation,
        nodeId,
        moduleUrl,
        refusalsPath,
        startedPath,
      },
      environment: this.environment(spec.environment ?? {}, request.gpuIds),
      cwd,
      logPath,
      startTimeoutMs,
      onTaskReport,
    };
    const plain = Object.keys(spec.environment ?? {}).length === 0 && cwd === undefined;
    const fits = !fresh && plain && request.gpuIds.length === 0;
    const taken = fits ? warm?.take() : undefined;
    metrics.counter("palimpsest_node_process_starts_total").inc({ process: taken ? "warm" : "new" });
    if (taken) return { process: ActorProcess.start(options, taken), wasWarm: true };
    warm?.busy();
    return { process: (startProcess ?? ActorProcess.start)(options), wasWarm: false };
  }

  /** Of a process with these variables of its own and these GPUs. */
  environment(
    own: Readonly<Record<string, string>>,
    gpuIds: readonly number[],
  ): Readonly<Record<string, string>> {
    const { environment, gpus } = this.#deps;
    // Last: neither the node's own nor the actor's environment shows it devices that it does not lease.
    return { ...environment, ...own, [visibleDevicesName]: visibleTo(gpus, gpuIds) };
  }
}

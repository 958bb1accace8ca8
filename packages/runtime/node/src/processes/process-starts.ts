/**
 * Responsibility: the process for an actor: a warm one if it fits, else a new one.
 * Not responsible for: its life afterwards (process-supervisor.ts).
 *
 * A warm process has the environment that all actors share, the node's folder, and no visible GPU. An actor with its
 * own variables, which Node.js or a library may read only at startup, with its own folder, or with GPUs, gets a
 * process that was started with them.
 */

import type { Metrics } from "@palimpsest/telemetry";
import type * as proto from "@palimpsest/wire/protocol";
import { visibleDevicesName, visibleTo } from "../base/gpu-devices.js";
import type { PreparedEnvironment } from "../environments/runtime-environments.js";
import { ActorProcess, type ActorProcessOptions } from "./actor-process.js";
import type { SharedProcesses } from "./shared-processes.js";
import type { SupervisedActor } from "./supervised-actor.js";
import type { WarmProcesses } from "./warm/warm-processes.js";
import type { WorkerProgram } from "./worker-process.js";

/** Creates the process of an actor; replaced in simulations. */
export type StartActorProcess = (options: ActorProcessOptions) => SupervisedActor;

export interface ProcessStartsDeps {
  readonly nodeId: string;
  readonly program: WorkerProgram;
  readonly startTimeoutMs: number;
  /** The environment of every actor, to which the specification's own is added. */
  readonly environment: Readonly<Record<string, string>>;
  /** The GPUs of this node, as CUDA names them. */
  readonly gpus: readonly string[];
  /** Returns the part of the start message that all processes share. */
  readonly session: () => Pick<
    proto.ActorProcessStart.$Properties,
    | "clusterId"
    | "headAddress"
    | "credentials"
    | "objectsAddress"
    | "listenHost"
    | "firstPort"
    | "lastPort"
    | "objectsPath"
    | "logLevel"
    | "taskEvents"
  >;
  /** The warm processes. If it is absent, every actor gets a new process. */
  readonly warm?: Pick<WarmProcesses, "take" | "busy"> | undefined;
  /** The processes of light actors. If it is absent, each gets a process of its own. */
  readonly shared?: Pick<SharedProcesses, "start"> | undefined;
  /** Default: a Node.js process. */
  readonly startProcess?: StartActorProcess;
  /** Called with reports about the calls of a process. If it is absent, they are dropped. */
  readonly onTaskReport?: ActorProcessOptions["onTaskReport"];
  readonly metrics: Metrics;
}

/** The actor to start, and where its output goes. */
export interface StartRequest {
  readonly spec: proto.ActorSpec.$Properties;
  readonly incarnation: number;
  readonly gpuIds: readonly number[];
  readonly prepared: Pick<PreparedEnvironment, "moduleUrl" | "cwd" | "retain">;
  readonly logPath: string;
  readonly refusalsPath: string;
  /** The file in which a task worker records the call that began last; empty for other actors. */
  readonly startedPath: string;
}

export interface StartedProcess {
  readonly process: SupervisedActor;
  /** Whether the process was warm, and may have ended before it learned of this actor. */
  readonly wasWarm: boolean;
}

export class ProcessStarts {
  readonly #deps: ProcessStartsDeps;

  constructor(deps: ProcessStartsDeps) {
    this.#deps = deps;
  }

  /** @param fresh whether the process must be new */
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

  /** Returns the environment of a process with these variables and GPUs. */
  environment(
    own: Readonly<Record<string, string>>,
    gpuIds: readonly number[],
  ): Readonly<Record<string, string>> {
    const { environment, gpus } = this.#deps;
    // The variable is set last, so that neither the node's own environment nor the actor's shows it devices that it
    // does not lease.
    return { ...environment, ...own, [visibleDevicesName]: visibleTo(gpus, gpuIds) };
  }
}

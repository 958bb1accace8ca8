/**
 * Responsibility: one process of one actor: forks it, hands it its start message, tells when it is ready and how it ended.
 * Not responsible for: which actors run (process-supervisor.ts), the head.
 *
 * Invariants:
 * - NODEPROCESS-1. The process has an IPC channel to this node and ends when the channel closes: it never outlives the node.
 * - NODEPROCESS-2. `ended` settles exactly once, after `ready` has settled.
 */
import { fork } from "node:child_process";
import { errorFromProto, PalimpsestError, type StackReading } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { OutputFile } from "./output-file.js";
import { inspectorFlags, ProcessStack } from "./process-stack.js";
import { certificateOf, endSentence, type ProcessEnd, SupervisedProcess } from "./supervised-process.js";

export interface ActorProcessOptions {
  /** Path of the worker's program. */
  readonly program: string;
  readonly start: proto.ActorProcessStart.$Properties;
  readonly environment: Readonly<Record<string, string>>;
  readonly logPath: string;
  readonly startTimeoutMs: number;
}

export interface ActorEnd {
  readonly certificate: proto.DeathCertificate.$Properties;
  /** What its module, constructor or start() threw. */
  readonly constructorError: PalimpsestError | undefined;
}

export class ActorProcess {
  readonly actorId: string;
  readonly incarnation: number;
  readonly pid: number;
  /** Undefined when it ended before it was ready. */
  readonly ready: Promise<proto.ActorProcessReady.$Properties | undefined>;
  readonly ended: Promise<ActorEnd>;
  readonly #process: SupervisedProcess;
  readonly #order: (order: proto.ActorProcessOrder.$Properties) => void;
  readonly #stack: ProcessStack;

  private constructor(options: ActorProcessOptions) {
    const spec = options.start.spec ?? {};
    this.actorId = spec.actorId ?? "";
    this.incarnation = options.start.incarnation ?? 0;
    const child = fork(options.program, [], {
      // Nothing of the node's own flags. Bundles carry source maps: their stacks name the user's files.
      execArgv: [...inspectorFlags, ...(spec.code?.bundle ? ["--enable-source-maps"] : [])],
      serialization: "advanced",
      env: { ...options.environment },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // A process group of its own, so that what it starts ends with it.
      detached: true,
    });
    this.#process = new SupervisedProcess(child);
    this.#stack = new ProcessStack(child);
    this.pid = this.#process.pid;
    const output = new OutputFile(options.logPath);
    output.record(child.stdout);
    output.record(child.stderr);

    let failure: PalimpsestError | undefined;
    this.ready = new Promise((resolve) => {
      const timer = setTimeout(() => {
        void this.#process.stop(0, `it was not ready within ${options.startTimeoutMs} ms`);
      }, options.startTimeoutMs);
      const settle = (ready?: proto.ActorProcessReady.$Properties) => {
        clearTimeout(timer);
        resolve(ready);
      };
      child.on("message", (bytes: Uint8Array) => {
        this.#process.alive();
        const event = proto.ActorProcessEvent.decode(bytes);
        if (event.ready) settle(event.ready);
        else if (event.failed) failure = errorFromProto(event.failed);
      });
      void this.#process.ended.then(() => settle());
    });
    this.ended = this.#end(spec, options.start.nodeId ?? "", () => failure, output);
    // A process that died at once cannot take its message; its end tells why.
    this.#order = (order) => {
      if (child.connected)
        child.send(Buffer.from(proto.ActorProcessOrder.encode(order).finish()), () => undefined);
    };
    this.#order({ start: options.start });
  }

  static start(options: ActorProcessOptions): ActorProcess {
    return new ActorProcess(options);
  }

  /** SIGTERM, then SIGKILL after the grace; 0 kills at once. */
  async stop(graceMs: number, reason: string): Promise<void> {
    await this.#process.stop(graceMs, reason);
  }

  /** Hands it the credentials that follow a rotation of the token. */
  adopt(credentials: proto.ProcessCredentials.$Properties): void {
    this.#order({ credentials });
  }

  /** The stack of its main thread. @throws {PalimpsestError} UNAVAILABLE */
  stack(): Promise<StackReading> {
    return this.#stack.read();
  }

  get stopping(): boolean {
    return this.#process.stopReason !== undefined;
  }

  async #end(
    spec: proto.ActorSpec.$Properties,
    nodeId: string,
    failureOf: () => PalimpsestError | undefined,
    output: OutputFile,
  ): Promise<ActorEnd> {
    const end = await this.#process.ended;
    await this.ready;
    output.close();
    const failure = failureOf() ?? spawnFailure(end);
    const reason = this.#reason(end, failure);
    const certificate = certificateOf(end, { reason, nodeId, ownerId: spec.ownerId ?? "", pid: this.pid });
    return { certificate, constructorError: failure };
  }

  #reason(end: ProcessEnd, failure: PalimpsestError | undefined): string {
    if (failure) return failure.rawMessage;
    return this.#process.stopReason ?? endSentence(end);
  }
}

/** A process that could not be started is the machine's trouble of the moment, not the actor's. */
function spawnFailure(end: ProcessEnd): PalimpsestError | undefined {
  return end.spawnError
    ? new PalimpsestError("UNAVAILABLE", endSentence(end), { cause: end.spawnError })
    : undefined;
}

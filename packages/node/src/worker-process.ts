/**
 * Responsibility: one process of the worker's program, before and after it is assigned an actor: its output, its
 * channel, its stack.
 * Not responsible for: the messages to it (actor-process.ts), or how many are kept warm (warm-processes.ts).
 *
 * Invariants:
 * - WORKERPROCESS-1. Output from before it has a file of its own is kept, up to `maxEarlyBytes`, and ends up in that
 *   file.
 */
import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import type { StackReading } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { lateCertificates } from "./late-certificates.js";
import { OutputFile } from "./output-file.js";
import { inspectorFlags, ProcessStack } from "./process-stack.js";
import { SupervisedProcess } from "./supervised-process.js";

const maxEarlyBytes = 64 * 1024;

/** The worker's program. */
export interface WorkerProgram {
  readonly path: string;
  /** The flags of Node.js for it. */
  readonly flags: readonly string[];
  /**
   * The script that trusts the certificates of NODE_EXTRA_CA_CERTS later. If it is absent, Node.js reads them as it
   * starts.
   */
  readonly lateCertificates?: string;
  /** A snapshot of V8's heap with the program in it. If it is absent, the program is loaded. */
  readonly snapshot?: string | undefined;
}

export interface WorkerProcessOptions {
  readonly program: WorkerProgram;
  readonly environment: Readonly<Record<string, string>>;
  /** The working directory. Default: that of the node. */
  readonly cwd?: string | undefined;
}

export class WorkerProcess {
  readonly process: SupervisedProcess;
  /** Resolves when its runtime is loaded; never if it ends before. */
  readonly loaded: Promise<void>;
  readonly #child: ChildProcess;
  readonly #stack: ProcessStack;
  #output: OutputFile | undefined;
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #isLoaded = false;
  #snapshotFailed = false;
  #onEvent: (event: proto.ActorProcessEvent) => void = () => undefined;

  private constructor({ program, environment, cwd }: WorkerProcessOptions) {
    const late = lateCertificates(environment, program.lateCertificates);
    const fromSnapshot = snapshotFlags(program, environment);
    const child = fork(program.path, [], {
      // The process does not get the node's own flags.
      execArgv: [...inspectorFlags, ...program.flags, ...fromSnapshot, ...late.flags],
      serialization: "advanced",
      env: { ...late.environment },
      ...(cwd === undefined ? {} : { cwd }),
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // The process gets its own process group, so that everything it starts ends with it.
      detached: true,
    });
    this.#child = child;
    this.process = new SupervisedProcess(child);
    this.#stack = new ProcessStack(child);
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => this.#write(chunk));
    if (fromSnapshot.length > 0)
      void this.process.ended.then(({ signal }) => {
        if (this.#isLoaded || this.process.stopReason !== undefined || signal === "SIGKILL") return;
        // Node.js was replaced since the snapshot was made, or the snapshot itself.
        this.#snapshotFailed = true;
        unusable.add(program.snapshot ?? "");
      });
    this.loaded = new Promise((resolve) => {
      child.on("message", (bytes: Uint8Array) => {
        this.process.alive();
        const event = proto.ActorProcessEvent.decode(bytes);
        if (event.loaded) {
          this.#isLoaded = true;
          resolve();
        } else this.#onEvent(event);
      });
    });
  }

  static spawn(options: WorkerProcessOptions): WorkerProcess {
    return new WorkerProcess(options);
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Whether it ended because it could not start from its snapshot, from which no process is started any more. */
  get snapshotFailed(): boolean {
    return this.#snapshotFailed;
  }

  /** Assigns it to an actor: from now on its output goes to the actor's file, and its events to the listener. */
  assign(logPath: string, onEvent: (event: proto.ActorProcessEvent) => void): void {
    this.#onEvent = onEvent;
    const output = new OutputFile(logPath);
    this.#output = output;
    for (const chunk of this.#early.splice(0)) output.write(chunk);
    this.process.begin();
  }

  /** Sends an order. A process that has died cannot take it; its end says why. */
  order(order: proto.ActorProcessOrder.$Properties): void {
    if (!this.#child.connected) return;
    this.#child.send(Buffer.from(proto.ActorProcessOrder.encode(order).finish()), () => undefined);
  }

  /** Returns the stack of its main thread. @throws {PalimpsestError} UNAVAILABLE */
  stack(): Promise<StackReading> {
    return this.#stack.read();
  }

  closeOutput(): void {
    this.#output?.close();
  }

  #write(chunk: Buffer): void {
    if (this.#output) {
      this.#output.write(chunk);
      return;
    }
    if (this.#earlyBytes >= maxEarlyBytes) return;
    this.#early.push(chunk.subarray(0, maxEarlyBytes - this.#earlyBytes));
    this.#earlyBytes += chunk.byteLength;
  }
}

/** Snapshots from which a process did not start. */
const unusable = new Set<string>();
/**
 * Matches variables of Node.js that may set flags of V8, with which it takes no snapshot, and variables that the
 * program reads as it is loaded.
 */
const readByLoading = /^(NODE_OPTIONS|NODE_V8_COVERAGE|GRPC_(?!DEFAULT_SSL_ROOTS).*|MSGPACKR_.*)$/;

function snapshotFlags(
  { snapshot }: WorkerProgram,
  environment: Readonly<Record<string, string>>,
): readonly string[] {
  if (snapshot === undefined || unusable.has(snapshot) || !existsSync(snapshot)) return [];
  return Object.keys(environment).some((name) => readByLoading.test(name))
    ? []
    : ["--snapshot-blob", snapshot];
}

/**
 * Responsibility: one process of the worker's program, before and after it is assigned an actor: its output, its
 * channel, its stack.
 * Not responsible for: the messages to it (actor-process.ts), or how many are kept warm (warm-processes.ts).
 *
 * The process runs user code, which may write to any of its file descriptors. So nothing that arrives from it is
 * trusted.
 *
 * Invariants:
 * - WORKERPROCESS-2. What arrives on its channel and is no message of the runtime ends that process alone, and so does
 *   closing the channel. Its certificate says so.
 * - WORKERPROCESS-1. Output from before it has a file of its own is kept, up to `maxEarlyBytes`, and ends up in that
 *   file.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { Duplex } from "node:stream";
import { FramePipe, thrownMessage } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { OutputFile } from "../base/output-file.js";
import { lateCertificates } from "./late-certificates.js";
import { inspectorFlags, ProcessStack, type StackReader } from "./process-stack.js";
import { SupervisedProcess } from "./supervised-process.js";

const maxEarlyBytes = 64 * 1024;
/** The milliseconds for which a process that has closed its channel may live. One that ends closes it, too. */
const unheardMs = 1_000;

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
  readonly #channel: FramePipe;
  /** The stack and profiles of its main thread. */
  readonly stack: StackReader;
  #output: OutputFile | undefined;
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #isLoaded = false;
  #snapshotFailed = false;
  /** Whether its channel is no longer read. */
  #isUnheard = false;
  #onEvent: (event: proto.ActorProcessEvent) => void = () => undefined;

  private constructor({ program, environment, cwd }: WorkerProcessOptions) {
    const late = lateCertificates(environment, program.lateCertificates);
    const fromSnapshot = snapshotFlags(program, environment);
    // The process does not get the node's own flags.
    const flags = [...inspectorFlags, ...program.flags, ...fromSnapshot, ...late.flags];
    const child = spawn(process.execPath, [...flags, program.path], {
      env: { ...late.environment },
      ...(cwd === undefined ? {} : { cwd }),
      // The last one is the channel.
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      // The process gets its own process group, so that everything it starts ends with it.
      detached: true,
    });
    this.process = new SupervisedProcess(child);
    this.stack = new ProcessStack(child);
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => this.#write(chunk));
    if (fromSnapshot.length > 0)
      void this.process.ended.then(({ signal }) => {
        if (this.#isLoaded || this.process.stopReason !== undefined || signal === "SIGKILL") return;
        // Node.js was replaced since the snapshot was made, or the snapshot itself.
        this.#snapshotFailed = true;
        unusable.add(program.snapshot ?? "");
      });
    let loaded!: () => void;
    this.loaded = new Promise((resolve) => {
      loaded = resolve;
    });
    this.#channel = new FramePipe(channelOf(child), {
      onFrame: (bytes) => this.#hear(bytes, loaded),
      onGarbage: (why) => this.#misbehaved(why),
      onClosed: () => {
        const timer = setTimeout(() => {
          void this.process.stop(0, "it closed its channel to its node, which is file descriptor 3");
        }, unheardMs);
        void this.process.ended.then(() => clearTimeout(timer));
      },
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
    this.#channel.send(proto.ActorProcessOrder.encode(order).finish());
  }

  closeOutput(): void {
    this.#output?.close();
  }

  #hear(bytes: Uint8Array, loaded: () => void): void {
    if (this.#isUnheard) return;
    this.process.alive();
    let event: proto.ActorProcessEvent;
    try {
      event = proto.ActorProcessEvent.decode(bytes);
    } catch (reason) {
      this.#misbehaved(thrownMessage(reason));
      return;
    }
    if (event.loaded) {
      this.#isLoaded = true;
      loaded();
    } else this.#onEvent(event);
  }

  /** WORKERPROCESS-2 */
  #misbehaved(why: string): void {
    this.#isUnheard = true;
    const reason =
      "it wrote to its channel to its node, which is file descriptor 3 and belongs to the runtime";
    void this.process.stop(0, `${reason}: ${why}`);
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

/** Returns the channel of a process, also of one that could not be spawned. */
function channelOf(child: ChildProcess): Duplex {
  const channel = child.stdio[3];
  if (channel instanceof Duplex) return channel;
  return new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
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

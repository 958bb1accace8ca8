import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Worker, WorkerOptions } from "node:worker_threads";
import { tf } from "../base/tf.js";

/*
 * tfjs turns wasm threads off in Node, because its workers are blob: URLs, which Node's Worker does not accept. While
 * the backend starts, Worker is replaced by one that loads the same program from a file, and the number of processors
 * is doubled, because the backend uses half of it. Both are restored afterwards.
 */

const FOLDER = "@tensorflow/tfjs-backend-wasm/wasm-out";
const PROGRAM = "tfjs-backend-wasm-threaded-simd";

type WorkerConstructor = new (file: string | URL, options?: WorkerOptions) => Worker;

interface Modules {
  readonly threads: { Worker: WorkerConstructor };
  readonly os: { cpus: () => unknown[] };
  /** The worker's program with its line ends escaped, as the backend passes it to a blob. */
  readonly workerProgram: string;
  readonly mainProgram: string;
}

function modules(): Modules {
  const require = createRequire(import.meta.url);
  const worker: { wasmWorkerContents: string } = require(`${FOLDER}/${PROGRAM}.worker.js`);
  return {
    threads: require("node:worker_threads"),
    os: require("node:os"),
    workerProgram: worker.wasmWorkerContents.replaceAll("\n", "\\n"),
    mainProgram: require.resolve(`${FOLDER}/${PROGRAM}.js`),
  };
}

/** Runs `start`, which starts the wasm backend, in such a way that its threads work. They do not keep the process alive. */
export async function startWithThreads(start: () => Promise<void>): Promise<void> {
  const { threads, os, workerProgram, mainProgram } = modules();
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-wasm-"));
  const file = join(folder, "worker.cjs");
  writeFileSync(file, workerProgram);
  const { Worker: NodeWorker } = threads;
  const { cpus } = os;
  threads.Worker = class extends NodeWorker {
    readonly #ours: boolean;

    constructor(address: string | URL, options?: WorkerOptions) {
      const ours = String(address).startsWith("blob:");
      super(ours ? file : address, options);
      this.#ours = ours;
      if (ours) this.unref();
    }

    /** The program wants its running threads to keep the process alive, but they only wait for work. */
    override ref(): void {
      if (this.#ours) this.unref();
      else super.ref();
    }

    override postMessage(message: unknown, transfer?: Parameters<Worker["postMessage"]>[1]): void {
      const load = this.#ours && isLoad(message);
      super.postMessage(load ? { ...message, urlOrBlob: mainProgram } : message, transfer);
    }
  } as WorkerConstructor;
  os.cpus = () => [...cpus(), ...cpus()];
  tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", true);
  try {
    await start();
  } finally {
    threads.Worker = NodeWorker;
    os.cpus = cpus;
    rmSync(dirname(file), { recursive: true, force: true });
  }
}

function isLoad(message: unknown): message is { cmd: "load" } {
  return typeof message === "object" && message !== null && "cmd" in message && message.cmd === "load";
}

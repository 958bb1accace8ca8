import { createRequire } from "node:module";
import { tf } from "../base/tf.js";
import { registerWasmKernels } from "./wasm-kernels.js";
import { startWithThreads } from "./wasm-threads.js";

let started = false;

/** Starts the wasm backend with this package's kernels, with one thread unless the first start requests more. */
export async function loadWasm(threads = 1): Promise<void> {
  if (started) return activate();
  const wasm: typeof import("@tensorflow/tfjs-backend-wasm") = createRequire(import.meta.url)(
    "@tensorflow/tfjs-backend-wasm",
  );
  registerWasmKernels();
  wasm.setThreadsCount(threads);
  if (threads > 1) await startWithThreads(activate);
  else await activate();
  started = true;
}

async function activate(): Promise<void> {
  if (!(await tf.setBackend("wasm"))) throw new Error("tfjs could not start its wasm backend");
  await tf.ready();
}

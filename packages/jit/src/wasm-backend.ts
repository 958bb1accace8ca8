import * as tf from "@tensorflow/tfjs";
import { registerWasmKernels } from "./wasm-kernels.js";

/** Starts the wasm backend with this package's kernels. */
export async function loadWasm(threads: number | undefined): Promise<void> {
  const wasm = await import("@tensorflow/tfjs-backend-wasm");
  if (tf.findBackend("wasm") === null) {
    registerWasmKernels();
    if (threads !== undefined) wasm.setThreadsCount(threads);
  }
  if (!(await tf.setBackend("wasm"))) throw new Error("tfjs could not start its backend wasm");
  await tf.ready();
}

import * as tf from "@tensorflow/tfjs";

/** Starts the wasm backend. */
export async function loadWasm(threads: number | undefined): Promise<void> {
  const wasm = await import("@tensorflow/tfjs-backend-wasm");
  if (threads !== undefined) wasm.setThreadsCount(threads);
  if (!(await tf.setBackend("wasm"))) throw new Error("tfjs could not start its backend wasm");
  await tf.ready();
}

import * as wasm from "@tensorflow/tfjs-backend-wasm";
import { JitError } from "../base/error.js";
import { tf } from "../base/tf.js";
import type { Backend } from "./backend.js";
import { registerWasmKernels } from "./wasm-kernels.js";

/*
 * In a browser there is one backend: wasm with SIMD on one thread, since threads need a page that is isolated from others, which
 * a file is not. package.json puts this module in the place of backend.ts. The bundle says with the backend's own
 * `setWasmPaths` where its program is.
 */

/** Makes the wasm backend active. @throws {JitError} BACKEND_UNAVAILABLE */
export async function loadBackend(): Promise<Backend> {
  registerWasmKernels();
  tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
  wasm.setThreadsCount(1);
  if (!(await tf.setBackend("wasm")))
    throw new JitError("BACKEND_UNAVAILABLE", "wasm: this browser cannot start WebAssembly; use a newer one");
  await tf.ready();
  return { name: "wasm", tf, gpu: false, tensorFloat32: false, deterministic: true, passedOver: [] };
}

import os from "node:os";
import { Worker } from "node:worker_threads";
import * as wasm from "@tensorflow/tfjs-backend-wasm";
import { expect, test } from "vitest";
import { loadBackend } from "./backend.js";

test("the wasm backend runs on as many threads as asked for, and Node is as it was before", async () => {
  const processors = os.cpus().length;
  const { tf } = await loadBackend({ prefer: "wasm", threads: 2 });
  expect(wasm.getThreadsCount()).toBe(2);
  const product = tf.tidy(() => {
    const x = tf
      .range(0, 64 * 64)
      .reshape([64, 64])
      .div(4096);
    return tf.matMul(x, x, true, false).sub(tf.matMul(x.transpose(), x)).abs().max().dataSync();
  });
  expect(product[0]).toBeLessThan(1e-4);
  expect(os.cpus()).toHaveLength(processors);
  const echo = new Worker("require('node:worker_threads').parentPort.postMessage('here')", { eval: true });
  const word = await new Promise((resolve) => echo.once("message", resolve));
  await echo.terminate();
  expect(word).toBe("here");
});

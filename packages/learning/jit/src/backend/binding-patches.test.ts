import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { nodeBackend, type TensorflowBinding } from "../base/tensorflow-binding.js";
import { tf } from "../base/tf.js";
import { loadBackend } from "./backend.js";
import { restoreUtilFunctions, saysInOrder, tensorflowEnvironment } from "./binding-patches.js";

const BELOW_ZERO = -(2 ** 31);

/** The addon after 2^31 tensors: every id that it gives is below zero. */
function wrapped(real: TensorflowBinding): TensorflowBinding {
  const out = (id: number): number => id + BELOW_ZERO;
  const back = (id: number): number => id - BELOW_ZERO;
  return {
    ...real,
    createTensor: (...given) => out(real.createTensor(...given)),
    deleteTensor: (id) => real.deleteTensor(back(id)),
    tensorDataSync: (id) => real.tensorDataSync(back(id)),
    executeOp: (name, attributes, ids, outputs) =>
      real
        .executeOp(name, attributes, ids.map(back), outputs)
        .map((tensor) => ({ ...tensor, id: out(tensor.id) })),
  };
}

describe("the patches of the tensorflow binding", () => {
  beforeAll(async () => {
    await loadBackend({ prefer: "tensorflow" });
  });

  test("free tensors whose ids have wrapped below zero", () => {
    const backend = nodeBackend();
    const real = backend.binding;
    backend.binding = wrapped(real);
    try {
      const before = real.getNumOfTensors();
      const result = tf.tidy(() => {
        const x = tf.tensor1d([1, 2, 3]);
        return Array.from(tf.mul(tf.add(x, 1), 2).dataSync());
      });
      expect(result).toEqual([4, 6, 8]);
      expect(real.getNumOfTensors()).toBe(before);
    } finally {
      backend.binding = real;
    }
  });

  test("copy large arrays in and out through memory that is used again, and leave other tensors as they are", () => {
    const { binding } = nodeBackend();
    const length = 2 ** 19;
    const values = (seed: number) => new Float32Array(length).map((_, i) => seed * 1000 + (i % 997));
    const ids = [1, 2, 3].map((seed) => binding.createTensor([length], 1, values(seed)));
    binding.deleteTensor(ids[1] as number);
    ids[1] = binding.createTensor([length], 1, values(4));
    const into = new Float32Array(length + 3).subarray(3);
    for (const [index, seed] of [1, 4, 3].entries()) {
      binding.copyTensorData(ids[index] as number, into);
      expect(Buffer.compare(Buffer.from(into.buffer, 12), Buffer.from(values(seed).buffer))).toBe(0);
    }
    const bits = new Uint16Array(2 * length);
    binding.copyTensorData(ids[0] as number, bits);
    expect(new Float32Array(bits.buffer)[length - 1]).toBe(values(1)[length - 1]);
    expect(() => binding.copyTensorData(ids[0] as number, new Float32Array(3))).toThrow(
      /the tensor has 2097152 bytes, the array 12/,
    );
    for (const id of ids) binding.deleteTensor(id);
    expect(() => binding.copyTensorData(ids[0] as number, into)).toThrow(/tensor \d+ is not there/);
  });

  test("free a shared tensor with its last owner only", () => {
    const backend = nodeBackend();
    const real = backend.binding;
    backend.binding = wrapped(real);
    try {
      const before = real.getNumOfTensors();
      const x = tf.tidy(() => tf.add(tf.tensor1d([1, 2]), 1));
      const alias = x.clone();
      x.dispose();
      expect(Array.from(alias.dataSync())).toEqual([2, 3]);
      alias.dispose();
      expect(real.getNumOfTensors()).toBe(before);
    } finally {
      backend.binding = real;
    }
  });

  test("gather without reading the indices back, and still refuse an index outside", () => {
    const read = vi.spyOn(nodeBackend().binding, "tensorDataSync");
    const x = tf.tensor1d([5, 6, 7]);
    const indices = tf.add(tf.tensor1d([0, 1], "int32"), tf.scalar(1, "int32"));
    const taken = tf.gather(x, indices as tf.Tensor1D);
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
    expect(Array.from(taken.dataSync())).toEqual([6, 7]);
    expect(() => tf.gather(x, tf.tensor1d([3], "int32"))).toThrow(/not in \[0, 3\)/);
    tf.dispose([x, indices, taken]);
  });

  test("replace the functions of node:util of which Node warns, or which it dropped", () => {
    const warns = (): boolean => expect.unreachable();
    const util: Record<string, unknown> = { isArray: warns };
    restoreUtilFunctions(util);
    expect(util["isArray"]).toBe(Array.isArray);
    const isNullOrUndefined = util["isNullOrUndefined"] as (value: unknown) => boolean;
    expect([null, undefined, 0, ""].map(isNullOrUndefined)).toEqual([true, true, false, false]);
  });

  test("set threads in the environment only where a number was asked for", () => {
    expect(tensorflowEnvironment({}, { threads: 3 })).toMatchObject({
      TF_NUM_INTRAOP_THREADS: "3",
      TF_NUM_INTEROP_THREADS: "3",
    });
    expect(tensorflowEnvironment({}, { threads: 1, operationsAtOnce: 2 })).toMatchObject({
      TF_NUM_INTRAOP_THREADS: "1",
      TF_NUM_INTEROP_THREADS: "2",
    });
    expect(tensorflowEnvironment({})).not.toHaveProperty("TF_NUM_INTRAOP_THREADS");
    expect(tensorflowEnvironment({})).toMatchObject({ TF_CPP_MIN_LOG_LEVEL: "3" });
    expect(process.env["TF_CPP_MIN_LOG_LEVEL"]).toBe("3");
  });

  test("load libtensorflow without a line of its log, by either of its two ways to log", () => {
    const built = new URL("../../dist/index.js", import.meta.url).href;
    const load = `await (await import(${JSON.stringify(built)})).loadBackend({ prefer: "tensorflow" })`;
    const said = (more: NodeJS.ProcessEnv) => {
      const env = { ...process.env, TF_ENABLE_ONEDNN_OPTS: "1", TF_CPP_MIN_LOG_LEVEL: undefined, ...more };
      return spawnSync(process.execPath, ["--input-type=module", "-e", load], { env, encoding: "utf8" });
    };
    expect(said({})).toMatchObject({
      status: 0,
      stdout: "",
      stderr: expect.not.stringMatching(/absl|oneDNN|\.cc:/),
    });
    if (process.arch === "x64")
      expect(said({ TF_CPP_MIN_LOG_LEVEL: "0" }).stderr).toContain("oneDNN custom operations are on");
  });

  test("keep what the environment says, and XLA's other flags beside it", () => {
    const present = { TF_CPP_MIN_LOG_LEVEL: "1", XLA_FLAGS: "--xla_gpu_cuda_data_dir=/cuda" };
    const added = tensorflowEnvironment(present, { threads: 2 });
    expect(added).not.toHaveProperty("TF_CPP_MIN_LOG_LEVEL");
    expect(added["XLA_FLAGS"]).toBe("--xla_gpu_cuda_data_dir=/cuda --xla_gpu_enable_triton_gemm=false");
    const chosen = { XLA_FLAGS: "--xla_gpu_enable_triton_gemm=true" };
    expect(tensorflowEnvironment(chosen)["XLA_FLAGS"]).toBe(chosen.XLA_FLAGS);
  });

  test("ask for sums in a fixed order, unless the environment decides", () => {
    const asked = { deterministic: true };
    const added = tensorflowEnvironment({}, asked);
    expect(added["XLA_FLAGS"]).toMatch(/ --xla_gpu_deterministic_ops=true$/);
    expect(saysInOrder(added)).toBe(true);
    expect(saysInOrder(tensorflowEnvironment({}))).toBe(false);
    for (const present of [{ XLA_FLAGS: "--xla_gpu_deterministic_ops=false" }, { TF_DETERMINISTIC_OPS: "0" }])
      expect(saysInOrder({ ...present, ...tensorflowEnvironment(present, asked) })).toBe(false);
  });
});

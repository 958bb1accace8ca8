import {
  type Backend,
  type JitMode,
  jit,
  type TensorSpec,
  type Tensors,
} from "../packages/learning/jit/src/index.js";
import { median } from "./contender.js";

const KERNELS = 200;
const y = new Float32Array(8).fill(0.5);
const spec: TensorSpec = { shape: [8], dtype: "float32" };

/**
 * Measures what the host spends, in microseconds: on a call with one kernel of eight numbers, and on each additional
 * such kernel.
 */
export function kernelCost(
  backend: Backend,
  mode: JitMode,
  seconds: number,
): { readonly callUs: number; readonly kernelUs: number } {
  const { tf } = backend;
  const chainOf = (kernels: number) => ({
    inputs: { y: spec },
    body: (_state: Tensors, inputs: Tensors) => {
      let z = inputs["y"];
      if (z === undefined) throw new Error("no input y");
      for (let index = 0; index < kernels; index += 1) z = tf.sin(z);
      return { outputs: { z } };
    },
  });
  const module = jit({ backend, state: {}, functions: { one: chainOf(1), chain: chainOf(KERNELS) }, mode });
  const once = (name: string): number => {
    const started = performance.now();
    module.call(name, { y });
    return (performance.now() - started) * 1000;
  };
  const times: Record<string, number[]> = { one: [], chain: [] };
  for (const name of Object.keys(times)) once(name);
  // The measurements alternate and medians are taken, so that other work on the machine affects both.
  for (const started = performance.now(); performance.now() - started < seconds * 1000; )
    for (const [name, values] of Object.entries(times)) values.push(once(name));
  const callUs = median(times["one"] ?? []);
  const kernelUs = (median(times["chain"] ?? []) - callUs) / (KERNELS - 1);
  module.dispose();
  return { callUs, kernelUs };
}

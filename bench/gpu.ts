/**
 * Every conformance case in the modes graph and xla against eager, on whatever device the backend has. Usage: tsx bench/gpu.ts
 * What differs is printed; the exit status is 1 where anything does. float32 products on a GPU may run in TF32, so
 * NVIDIA_TF32_OVERRIDE=0 belongs before it.
 */
import { cases } from "../packages/jit/src/conformance/table.js";
import { type HostArray, jit, loadBackend } from "../packages/jit/src/index.js";

const backend = await loadBackend({ prefer: "tensorflow" });
console.log(`tensorflow ${backend.tensorflowVersion}, ${backend.gpu ? "GPU" : "CPU"}`);

/** Largest difference beyond relative and absolute tolerance; 0 where all is near. */
function beyond(actual: HostArray | undefined, expected: HostArray, tolerance: number): number {
  let worst = actual?.length === expected.length ? 0 : Number.POSITIVE_INFINITY;
  expected.forEach((value, index) => {
    const got = actual?.[index] ?? Number.NaN;
    if (Object.is(got, value) || got === value) return;
    const difference = Math.abs(got - value);
    if (!(difference <= tolerance * (1 + Math.abs(value)))) worst = Math.max(worst, difference || Number.NaN);
  });
  return worst;
}

let failures = 0;
for (const mode of ["graph", "xla"] as const) {
  const started = performance.now();
  for (const [name, { inputs, body }] of Object.entries(cases)) {
    const functions = {
      run: {
        inputs,
        body: (_: unknown, given: Parameters<typeof body>[0]) => ({
          outputs: Object.fromEntries(body(given).map((tensor, index) => [String(index), tensor])),
        }),
      },
    };
    const arrays = Object.fromEntries(Object.entries(inputs).map(([input, { values }]) => [input, values]));
    try {
      const eager = jit({ backend, state: {}, functions, mode: "eager" });
      const other = jit({ backend, state: {}, functions, mode });
      const [expected, actual] = [eager.call("run", arrays), other.call("run", arrays)];
      for (const [output, values] of Object.entries(expected)) {
        const worst = beyond(actual[output], values, 1e-5);
        if (worst === 0) continue;
        failures += 1;
        console.log(`${mode} ${name} output ${output}: off by ${worst}`);
      }
      eager.dispose();
      other.dispose();
    } catch (error) {
      failures += 1;
      console.log(`${mode} ${name}: ${error instanceof Error ? error.message.slice(0, 300) : String(error)}`);
    }
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${mode}: ${Object.keys(cases).length} cases in ${seconds} s`);
}
console.log(failures === 0 ? "all equal" : `${failures} differ`);
process.exit(failures === 0 ? 0 : 1);

import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { bundledProgram } from "../../../../../test/support/bundled-program.js";
import { gpuNames } from "../base/gpu-device.js";

const program = bundledProgram(new URL("launch-as-traced.fixture.ts", import.meta.url));

/** Names of graphs and functions that TensorFlow's optimizer went over in a process of its own, as its log says them. */
function optimized(rewrites: "on" | undefined): string[] {
  const { stdout, stderr } = spawnSync(process.execPath, [program, "xla"], {
    encoding: "utf8",
    env: {
      ...process.env,
      TENSORFLOW_GRAPH_REWRITES: rewrites,
      TF_CPP_MIN_LOG_LEVEL: "0",
      TF_CPP_VMODULE: "meta_optimizer=3",
    },
  });
  // XLA ends a process whose flags it does not know.
  expect(stdout).toContain("total 384");
  return [...new Set([...stderr.matchAll(/item\.id=(\w+)/g)].map(([, name]) => name as string))];
}

it("JIT-PROGRAM-5: TensorFlow's optimizer goes over no function of a launch", () => {
  expect(optimized("on")).toEqual(["tf_graph"]);
});

it.runIf(gpuNames().length === 0)("over no graph at all on a CPU, where nobody asked for it", () => {
  expect(optimized(undefined)).toEqual([]);
});

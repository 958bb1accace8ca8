import { describe, expect, it } from "vitest";
import { loadBackend } from "../backend/backend.js";
import { tf } from "../base/tf.js";
import { constant } from "../emit/attributes.js";
import { buildProgram } from "../emit/program.js";
import { traceFunction } from "../trace/traced-function.js";
import { checkGraphSize } from "./graph-size.js";

describe("checkGraphSize", () => {
  it("counts the constants of a traced program's nodes and refuses them above the bound, naming the largest", async () => {
    await loadBackend({ prefer: "tensorflow" });
    const body = (_state: object, inputs: Readonly<Record<string, tf.Tensor>>) => ({
      outputs: {
        y: (inputs["x"] as tf.Tensor)
          .add(
            tf.tensor2d(
              Float32Array.from({ length: 600 }, (_, i) => i),
              [30, 20],
            ),
          )
          .mul(tf.tensor1d(Float32Array.from({ length: 20 }, (_, i) => i))),
      },
    });
    const inputs = { x: { shape: [30, 20], dtype: "float32" as const } };
    const traced = traceFunction("shift", {}, inputs, body, { fusedAttention: false, calls: false });
    const program = buildProgram({}, [traced], { xla: false, gpu: false, halfProducts: false });
    expect(() => checkGraphSize(program.nodes, program.functions)).not.toThrow();
    expect(() => checkGraphSize(program.nodes, program.functions, 2_400)).toThrow(
      /INVALID_OPTIONS.*constants take 2\d{3} bytes.*at most 2400; the largest is \[30, 20\] of 2400 bytes.*fewer/,
    );
  });

  it("counts those inside functions, exactly to the bound", () => {
    const node = { name: "c", op: "Const", input: [], attr: constant(1, [4], [1, 2, 3, 4]) };
    const fn = { signature: { name: "f", inputArg: [], outputArg: [] }, nodeDef: [node, node] };
    const functions = [fn] as unknown as Parameters<typeof checkGraphSize>[1];
    expect(() => checkGraphSize([node], functions, 48)).not.toThrow();
    expect(() => checkGraphSize([node], functions, 47)).toThrow(/48 bytes.*\[4\] of 16 bytes/);
  });
});

import type * as tf from "@tensorflow/tfjs-core";
import { BFLOAT16, DATA_TYPE } from "../base/tensorflow-binding.js";
import type { Trace } from "../trace/trace.js";
import type { Operation } from "../trace/value.js";
import { shapeProto, text } from "./attributes.js";
import type { Emitter } from "./emit.js";

/*
 * One XlaCallModule node: a line of StableHLO, written as text, between TensorFlow's operations. It gives access to what no
 * TensorFlow operation offers, above all a library's kernels, and it exists only in launches.
 */

export const XLA_MODULE = "XlaCallModule";

/** TensorFlow's DataType number of uint8. */
export const UINT8 = 4;

const NAMES: Readonly<Record<number, string>> = {
  [DATA_TYPE.float32]: "f32",
  [DATA_TYPE.int32]: "i32",
  [BFLOAT16]: "bf16",
  [UINT8]: "ui8",
};

/** The version of the calling convention that libtensorflow 2.21 writes. */
const CALLING_CONVENTION = 9;

/** A result of a custom call. */
export interface CallResult {
  readonly shape: readonly number[];
  readonly dtype: number;
  /** The axes of `shape` in memory order, slowest first; absent: in their own order. */
  readonly memoryOrder?: readonly number[];
}

/**
 * Records a custom call. A result with a memory order is returned transposed to it, which moves no data, so that a kernel
 * that indexes its axes in one order can write them in another.
 */
export function customCall(
  trace: Trace,
  target: string,
  backendConfig: string,
  inputs: readonly tf.Tensor[],
  results: readonly CallResult[],
): tf.Tensor[] {
  const values = inputs.map((tensor) => trace.valueOf(tensor));
  const given = values.map(({ shape, dtype }) => tensorText(shape, dtype));
  const made = results.map(({ shape, dtype }) => tensorText(shape, dtype));
  const forms = results.map(({ shape, dtype, memoryOrder }) => ({
    shape: memoryOrder === undefined ? shape : memoryOrder.map((axis) => shape[axis] ?? 1),
    dtype,
  }));
  const returned = forms.map(({ shape, dtype }) => tensorText(shape, dtype));
  const layouts = (orders: readonly (readonly number[])[]): string => orders.map(layoutText).join(", ");
  const inOrder = (shape: readonly number[]): number[] => shape.map((_, axis) => axis);
  const lines = [
    `%r:${results.length} = stablehlo.custom_call @${target}(${given.map((_, at) => `%a${at}`).join(", ")}) {` +
      `api_version = 2 : i32, backend_config = ${JSON.stringify(backendConfig)}, ` +
      `operand_layouts = [${layouts(values.map(({ shape }) => inOrder(shape)))}], ` +
      `result_layouts = [${layouts(results.map(({ shape, memoryOrder }) => memoryOrder ?? inOrder(shape)))}]} : ` +
      `(${given.join(", ")}) -> (${made.join(", ")})`,
    ...results.flatMap(({ memoryOrder }, at) =>
      memoryOrder === undefined
        ? []
        : [
            `%t${at} = stablehlo.transpose %r#${at}, dims = [${memoryOrder.join(", ")}] : (${made[at]}) -> ${returned[at]}`,
          ],
    ),
    `func.return ${results.map(({ memoryOrder }, at) => (memoryOrder === undefined ? `%r#${at}` : `%t${at}`)).join(", ")} : ${returned.join(", ")}`,
  ];
  const parameters = given.map((type, at) => `%a${at}: ${type}`).join(", ");
  const module = `module @call {\nfunc.func public @main(${parameters}) -> (${returned.join(", ")}) {\n${lines.join("\n")}\n}\n}`;
  return moduleCall(trace, module, inputs, forms);
}

/** Records a call of a whole module of StableHLO, whose function is `main`. */
function moduleCall(
  trace: Trace,
  module: string,
  inputs: readonly tf.Tensor[],
  results: readonly { readonly shape: readonly number[]; readonly dtype: number }[],
): tf.Tensor[] {
  const values = inputs.map((tensor) => trace.valueOf(tensor));
  const nodeAttributes = {
    version: { i: CALLING_CONVENTION },
    module: text(module),
    Tin: { list: { type: values.map(({ dtype }) => dtype) } },
    Tout: { list: { type: results.map(({ dtype }) => dtype) } },
    Sout: { list: { shape: results.map(({ shape }) => shapeProto(shape)) } },
    dim_args_spec: { list: {} },
    function_list: { list: {} },
    disabled_checks: { list: {} },
    has_token_input_output: { b: false },
  };
  return trace.record({ name: XLA_MODULE, attributes: [], nodeAttributes, inputs: values }, results);
}

export function emitModule(emitter: Emitter, { inputs, outputs, nodeAttributes = {} }: Operation): void {
  const platform = Buffer.from(emitter.program.gpu ? "CUDA" : "CPU");
  const attr = { ...nodeAttributes, platforms: { list: { s: [platform] } } };
  const node = emitter.node(
    XLA_MODULE,
    inputs.map((value) => emitter.reference(value)),
    attr,
  );
  emitter.results(node, outputs, ["output"], true);
}

function tensorText(shape: readonly number[], dtype: number): string {
  return `tensor<${[...shape, NAMES[dtype] ?? "f32"].join("x")}>`;
}

/** Layouts list the fastest axis first. */
function layoutText(memoryOrder: readonly number[]): string {
  const minorToMajor = memoryOrder.toReversed();
  const list = minorToMajor.length === 1 ? "0" : `[${minorToMajor.join(", ")}]`;
  return `dense<${list}> : tensor<${minorToMajor.length}xindex>`;
}

import { JitError } from "../base/error.js";
import type { AttributeProto } from "../base/graph-protos.js";
import { sizeOf } from "../base/spec.js";
import { BFLOAT16, DATA_TYPE, nodeBackend } from "../base/tensorflow-binding.js";
import { opRules } from "../trace/shape-inference/rules.js";
import type { Operation, Value } from "../trace/value.js";
import { attributeProto, text, typeOf } from "./attributes.js";
import type { Emitter } from "./emit.js";

/* TensorFlow's own operations as nodes: attributes, types, and the kernels of matrix products. */

type NodeAttributes = Readonly<Record<string, AttributeProto>>;

/** Passes over fewer values cost less than calling an XLA-compiled kernel saves. */
const SMALLEST_FUSED = 2 ** 20;

/** Operations that move numbers without changing them, and the attribute with their first input's type. */
const MOVING: Readonly<Record<string, string>> = {
  ExpandDims: "T",
  GatherV2: "Tparams",
  Reshape: "T",
  Slice: "T",
  SplitV: "T",
  Transpose: "T",
  Unpack: "T",
};

export function emitOperation(emitter: Emitter, operation: Operation): void {
  const { name, inputs, outputs } = operation;
  const rule = opRules[name];
  if (rule === undefined) throw new JitError("NO_SHAPE_INFERENCE", `operation ${name} cannot be written`);
  const binding = nodeBackend().binding;
  const attr: Record<string, AttributeProto> = { ...operation.nodeAttributes };
  for (const attribute of operation.attributes) {
    attr[attribute.name] = attributeProto(binding, attribute);
  }
  for (const [type, position] of Object.entries(rule.types ?? {})) {
    const input = inputs.at(position);
    if (input === undefined) continue;
    // tfjs has no bfloat16 and says float32.
    attr[type] = input.dtype === BFLOAT16 ? typeOf(BFLOAT16) : (attr[type] ?? typeOf(input.dtype));
  }
  if (name === "AddN" || name === "Pack") attr["N"] ??= { i: inputs.length };
  const references = inputs.map((input) => emitter.reference(input));
  if (moveStored(emitter, operation, references, attr)) return;
  const [output] = outputs;
  if (name === "BatchMatMulV2" && output !== undefined) {
    const isWide = operation.wide === true && inputs.every((input) => emitter.stored(input) === undefined);
    emitter.bind(output, product(emitter, inputs, output, references, attr, isWide));
    return;
  }
  const reference = emitter.node(name, references, { ...attr, ...fused(emitter, operation) });
  emitter.results(reference, outputs, rule.outputs, rule.list === true);
}

/** A product of two matrices uses the non-batched kernel, which is faster by a few percent on a CPU. */
function product(
  emitter: Emitter,
  inputs: readonly Value[],
  { dtype }: Value,
  references: readonly string[],
  attr: NodeAttributes,
  isWide: boolean,
): string {
  const isMatrices = inputs.every(({ shape }) => shape.length === 2);
  if (!isMatrices && isOfSingleRows(emitter, inputs, attr)) {
    const { T: _, ...flags } = attr;
    const types = { Ta: typeOf(dtype), Tb: typeOf(dtype), Tout: typeOf(dtype) };
    return emitter.node("BatchMatMulV3", references, { ...flags, ...types });
  }
  const halved = !isWide && emitter.program.halfProducts && dtype === DATA_TYPE.float32;
  const factors = halved ? references.map((reference) => emitter.half(reference)) : references;
  const types = halved ? { T: typeOf(BFLOAT16) } : {};
  if (!isMatrices) {
    const result = emitter.node("BatchMatMulV2", factors, { ...attr, ...types });
    return halved ? emitter.toFloat(result) : result;
  }
  const { adj_x, adj_y, ...rest } = attr;
  const flag = (value: AttributeProto | undefined) => value ?? { b: false };
  const flags = { transpose_a: flag(adj_x), transpose_b: flag(adj_y) };
  const result = emitter.node("MatMul", factors, { ...rest, ...flags, ...types }, { output: "product" });
  return halved ? emitter.toFloat(result) : result;
}

/**
 * Returns whether a batched product has one row per matrix, on a CPU: then V3's kernel, which TensorFlow does not rewrite to
 * oneDNN, takes a quarter to a third less time.
 */
function isOfSingleRows({ program }: Emitter, [left]: readonly Value[], attr: NodeAttributes): boolean {
  if (program.xla || program.halfProducts || program.gpu) return false;
  return (
    left !== undefined &&
    left.dtype === DATA_TYPE.float32 &&
    left.shape.at(-2) === 1 &&
    attr["adj_x"]?.b !== true
  );
}

/** Returns XLA's attribute on large operations of one fusion; not in loops, and not in launches, which are compiled as a whole. */
function fused(emitter: Emitter, { fusion, outputs: [output] }: Operation): NodeAttributes {
  if (fusion === undefined || emitter.inFunction || emitter.program.xla) return {};
  if (output === undefined || sizeOf(output.shape) < SMALLEST_FUSED) return {};
  return { _XlaCompile: { b: true }, _XlaScope: text(`palimpsest_${emitter.prefix}_fusion_${fusion}`) };
}

/** Moves values stored in bfloat16 without conversion, so that no float32 copy of all of them is made. */
function moveStored(
  emitter: Emitter,
  { name, inputs, outputs }: Operation,
  references: readonly string[],
  attr: NodeAttributes,
): boolean {
  const type = MOVING[name];
  const [source] = inputs;
  const stored = type === undefined || source === undefined ? undefined : emitter.stored(source);
  const rule = opRules[name];
  if (type === undefined || stored === undefined || rule === undefined) return false;
  const moved = emitter.node(name, [stored, ...references.slice(1)], { ...attr, [type]: typeOf(BFLOAT16) });
  emitter.references(moved, outputs.length, rule.outputs, rule.list === true).forEach((reference, index) => {
    const output = outputs[index];
    if (output !== undefined) emitter.bindStored(output, reference);
  });
  return true;
}

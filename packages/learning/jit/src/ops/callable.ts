import { JitError } from "../base/error.js";
import { tf } from "../base/tf.js";
import { currentTrace, type Trace } from "../trace/trace.js";
import type { Callee, Value } from "../trace/value.js";

export type CallableBody = (args: readonly tf.Tensor[]) => tf.Tensor[];

/**
 * Wraps a part that a function repeats, as a model repeats its layer. Traced in mode xla it becomes one function that is
 * called: it is traced and written once for all arguments of the same shapes and types, which saves most of the time before
 * a large model's first call; the results are the same. In other modes, and where a gradient may be taken, `body` just runs.
 * @param body pure; may use only its arguments and small constants
 * @throws {JitError} TENSOR_OUT_OF_SCOPE if the body uses another tensor in mode xla
 */
export function callable(body: CallableBody): CallableBody {
  const known = new WeakMap<Trace, Map<string, Callee>>();
  return (args) => {
    const trace = currentTrace();
    if (trace === undefined || !trace.target.calls || tf.engine().isTapeOn()) return body(args);
    const callees = known.get(trace) ?? new Map<string, Callee>();
    known.set(trace, callees);
    const inputs = args.map((tensor) => trace.valueOf(tensor));
    const form = inputs.map(({ shape, dtype }) => `${dtype}[${shape.join()}]`).join();
    const callee = callees.get(form) ?? traceCallee(trace, inputs, body);
    callees.set(form, callee);
    const forms = callee.results.map(({ shape, dtype }) => ({ shape, dtype }));
    return trace.record({ name: "PartitionedCall", attributes: [], inputs, callee }, forms);
  };
}

function traceCallee(trace: Trace, inputs: readonly Value[], body: CallableBody): Callee {
  const { scope, result } = trace.apart(() => {
    let values: Omit<Callee, "body"> | undefined;
    tf.tidy(() => {
      const given = inputs.map(({ shape, dtype }, index) =>
        trace.placeholder(shape, dtype, { kind: "argument", index }),
      );
      const valuesOf = (tensors: readonly tf.Tensor[]) => tensors.map((tensor) => trace.valueOf(tensor));
      values = { arguments: valuesOf(given), results: valuesOf(body(given)) };
    });
    if (values === undefined)
      throw new JitError("EXECUTION_FAILED", "internal: callable did not trace its body");
    return values;
  });
  return { body: scope, ...result };
}

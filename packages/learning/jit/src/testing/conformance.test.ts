import { beforeAll, describe, expect, test } from "vitest";
import { type Backend, loadBackend } from "../backend/backend.js";
import type { JitMode, JitModule } from "../modules/jit-module.js";
import { jit } from "../modules/module.js";
import { opRules } from "../trace/shape-inference/rules.js";
import { traceFunction } from "../trace/traced-function.js";
import type { Scope } from "../trace/value.js";
import { expectClose, functionOf, inputsOf } from "./compare.js";
import { cases } from "./table.js";

const functions = Object.fromEntries(Object.entries(cases).map(([name, given]) => [name, functionOf(given)]));

function operationNames(scope: Scope): string[] {
  return scope.operations.flatMap(({ name, loop }) => [
    name,
    ...(loop === undefined ? [] : operationNames(loop.body)),
  ]);
}

/** TensorFlow prepares each function's run over the whole graph: one graph of them all would cost their number squared. */
const functionsOfGraph = 10;

/** Traced modules by the names of their functions. */
function modulesOf(backend: Backend, mode: JitMode): (name: string) => JitModule {
  const names = Object.keys(functions);
  const modules = new Map<string, JitModule>();
  for (let at = 0; at < names.length; at += functionsOfGraph) {
    const own = names.slice(at, at + functionsOfGraph);
    const chosen = Object.fromEntries(Object.entries(functions).filter(([name]) => own.includes(name)));
    const module = jit({ backend, state: {}, functions: chosen, mode });
    for (const name of own) modules.set(name, module);
  }
  return (name) => {
    const module = modules.get(name);
    if (module === undefined) throw new Error(`no module has the function ${name}`);
    return module;
  };
}

describe("a traced operation", () => {
  let backend: Backend;
  let graph: (name: string) => JitModule;
  let compiled: (name: string) => JitModule;
  let eager: JitModule;

  beforeAll(async () => {
    backend = await loadBackend({ prefer: "tensorflow" });
    graph = modulesOf(backend, "graph");
    compiled = modulesOf(backend, "xla");
    eager = jit({ backend, state: {}, functions, mode: "eager" });
  });

  test.each(Object.entries(cases))("%s has the shape, type and values of the eager one", (name, given) => {
    const expected = eager.call(name, inputsOf(given));
    const actual = graph(name).call(name, inputsOf(given));
    expect(graph(name).outputSpecs(name)).toEqual(eager.outputSpecs(name));
    expect(Object.keys(actual)).toEqual(Object.keys(expected));
    for (const [output, values] of Object.entries(expected)) {
      expectClose(actual[output] ?? new Float32Array(), values, 1e-6, 1e-6);
    }
  });

  test.each(Object.entries(cases))(
    "%s has the values of the eager one when compiled by XLA",
    (name, given) => {
      const expected = eager.call(name, inputsOf(given));
      const actual = compiled(name).call(name, inputsOf(given));
      for (const [output, values] of Object.entries(expected)) {
        expectClose(actual[output] ?? new Float32Array(), values, 1e-5, 1e-6);
      }
    },
  );

  test("has a case in the table", () => {
    const covered = new Set(
      Object.entries(functions).flatMap(([name, { inputs, body }]) =>
        operationNames(traceFunction(name, {}, inputs, body).root),
      ),
    );
    expect(Object.keys(opRules).filter((name) => !covered.has(name))).toEqual([]);
  });
});

import type { Evaluate, ExpressionCompiler } from "./expression-compiler.js";
import { TemplateFailure } from "./failure.js";
import { Output } from "./run.js";
import type { Execute, Scope } from "./scope.js";
import type { Parameter, Statement } from "./syntax.js";
import { Callable, Dict, type Keywords, List, Tuple, Undefined, type Value } from "./values.js";

/** Returns what makes the function of a `{% macro %}` or the `caller` of a `{% call %}` in the scope where it stands. */
export function macroFunction(
  name: string,
  parameters: readonly Parameter[],
  statements: readonly Statement[],
  body: Execute,
  expressions: ExpressionCompiler,
): (scope: Scope) => Callable {
  const defaults = parameters.map(({ otherwise }) =>
    otherwise === undefined ? undefined : expressions.compile(otherwise),
  );
  // Only a macro that reads these names takes arguments beyond its parameters.
  const used = namesIn(statements);
  const takes = {
    keywords: used.has("kwargs"),
    positional: used.has("varargs"),
    caller: used.has("caller"),
  };
  const names = parameters.map((parameter) => parameter.name);
  const fields = new Map<string, Value>([
    ["name", name],
    ["arguments", new Tuple(names)],
    ["catch_kwargs", takes.keywords],
    ["catch_varargs", takes.positional],
    ["caller", takes.caller],
  ]);
  return (scope) =>
    new Callable(
      name,
      (positional, keywords) => {
        const inner = scope.inner();
        bind(name, names, defaults, takes, positional, keywords, inner);
        const output = new Output(scope.run);
        body(inner, output);
        return output.text;
      },
      fields,
    );
}

function bind(
  macro: string,
  names: readonly string[],
  defaults: readonly (Evaluate | undefined)[],
  takes: { readonly keywords: boolean; readonly positional: boolean; readonly caller: boolean },
  positional: readonly Value[],
  keywords: Keywords,
  scope: Scope,
): void {
  const left = new Map(keywords);
  const given = names.map((name, i) => {
    const value = left.get(name);
    if (i < positional.length && left.has(name)) {
      throw new TemplateFailure(`macro '${macro}' got multiple values for argument '${name}'`);
    }
    left.delete(name);
    return i < positional.length ? (positional[i] ?? null) : value;
  });
  const caller = left.get("caller");
  if (takes.caller && !names.includes("caller")) {
    scope.variables.set("caller", caller === undefined ? new Undefined("No caller defined") : caller);
    left.delete("caller");
  }
  if (takes.keywords) {
    const dict = new Dict();
    for (const [key, value] of left) dict.set(key, value);
    scope.variables.set("kwargs", dict);
  } else if (left.size > 0) {
    if (left.has("caller")) {
      throw new TemplateFailure(
        `macro '${macro}' was invoked with two values for the special caller argument, or takes none; it must use caller()`,
      );
    }
    throw new TemplateFailure(`macro '${macro}' takes no keyword argument '${[...left.keys()][0]}'`);
  }
  const more = positional.slice(names.length);
  if (takes.positional) scope.variables.set("varargs", new Tuple(more));
  else if (more.length > 0) {
    throw new TemplateFailure(`macro '${macro}' takes not more than ${names.length} argument(s)`);
  }
  for (const [i, name] of names.entries()) {
    const value = given[i];
    const otherwise = defaults[i];
    if (value !== undefined) scope.variables.set(name, value);
    else if (otherwise !== undefined) scope.variables.set(name, otherwise(scope));
    else scope.variables.set(name, new Undefined(`parameter '${name}' was not provided`));
  }
}

/** Returns every name that occurs in a tree. */
function namesIn(tree: unknown, into = new Set<string>()): Set<string> {
  if (Array.isArray(tree)) for (const item of tree) namesIn(item, into);
  else if (typeof tree === "object" && tree !== null && !(tree instanceof List)) {
    if ("kind" in tree && tree.kind === "name" && "name" in tree && typeof tree.name === "string")
      into.add(tree.name);
    for (const value of Object.values(tree)) namesIn(value, into);
  }
  return into;
}

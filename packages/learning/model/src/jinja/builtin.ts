import { Arguments } from "./arguments.js";
import type { Run } from "./run.js";
import type { Keywords, Value } from "./values.js";

/** What filters and tests need besides their arguments. */
export interface Environment {
  readonly run: Run;
  /** Calls a filter by its name. @throws {TemplateFailure} if there is none */
  filter(name: string, value: Value, positional: readonly Value[], keywords: Keywords): Value;
  test(name: string, value: Value, positional: readonly Value[], keywords: Keywords): boolean;
}

/** A filter or a test: the names of its parameters after the value, and what it does. */
export type Builtin<Result> = readonly [
  parameters: readonly string[],
  work: (value: Value, given: Arguments, environment: Environment) => Result,
];

/** A filter that takes any arguments, because it hands them on. */
export type OpenFilter = (
  value: Value,
  positional: readonly Value[],
  keywords: Keywords,
  environment: Environment,
) => Value;

export function callBuiltin<Result>(
  what: string,
  [parameters, work]: Builtin<Result>,
  value: Value,
  positional: readonly Value[],
  keywords: Keywords,
  environment: Environment,
): Result {
  return work(value, new Arguments(what, parameters, positional, keywords), environment);
}

import { callBuiltin, type Environment } from "./builtin.js";
import { TemplateFailure } from "./failure.js";
import { listFilters, openFilters } from "./list-filters.js";
import type { Run } from "./run.js";
import { tests } from "./tests.js";
import { textFilters } from "./text-filters.js";
import type { Keywords, Value } from "./values.js";

const filters = new Map([...Object.entries(textFilters), ...Object.entries(listFilters)]);
const open = new Map(Object.entries(openFilters));
const testsByName = new Map(Object.entries(tests));

export const hasFilter = (name: string): boolean => filters.has(name) || open.has(name);

/** The tests `filter` and `test` ask whether one of that name exists. */
export const hasTest = (name: string): boolean =>
  testsByName.has(name) || name === "filter" || name === "test";

/** The filters and tests of Jinja, for one rendering. */
export class Library implements Environment {
  readonly run: Run;

  constructor(run: Run) {
    this.run = run;
  }

  filter(name: string, value: Value, positional: readonly Value[], keywords: Keywords): Value {
    this.run.step();
    const filter = filters.get(name);
    if (filter !== undefined) return callBuiltin(name, filter, value, positional, keywords, this);
    const openFilter = open.get(name);
    if (openFilter === undefined) throw new TemplateFailure(`No filter named '${name}'.`);
    return openFilter(value, positional, keywords, this);
  }

  test(name: string, value: Value, positional: readonly Value[], keywords: Keywords): boolean {
    this.run.step();
    if (name === "filter") return typeof value === "string" && hasFilter(value);
    if (name === "test") return typeof value === "string" && hasTest(value);
    const test = testsByName.get(name);
    if (test === undefined) throw new TemplateFailure(`No test named '${name}'.`);
    return callBuiltin(name, test, value, positional, keywords, this);
  }
}

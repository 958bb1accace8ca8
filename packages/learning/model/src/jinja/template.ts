import { TemplateFailure, TemplateSyntaxFailure } from "./failure.js";
import { globalFunctions } from "./globals.js";
import { Library } from "./library.js";
import { Output, Run } from "./run.js";
import { type Execute, Scope } from "./scope.js";
import { StatementCompiler } from "./statement-compiler.js";
import { parse } from "./statement-parser.js";
import { Dict, Float, integer, List, type Value } from "./values.js";

/**
 * Responsibility: a chat template, rendered as `transformers` renders it with Jinja 3.1 in its sandbox: Python's values
 * and texts of them, the same whitespace, filters, tests and errors. Reads, loops and texts are bounded, so that no
 * template can hang or fill this process.
 * Not responsible for: which template a model has, its variables, and tokens.
 */
export class JinjaTemplate {
  readonly #execute: Execute;

  /** @throws {Error} with the line, if the text is no template */
  constructor(text: string) {
    try {
      this.#execute = new StatementCompiler().body(parse(text));
    } catch (cause) {
      if (cause instanceof TemplateSyntaxFailure)
        throw new Error(`line ${cause.line}: ${cause.message}`, { cause });
      throw cause;
    }
  }

  /**
   * Renders the template.
   * @param now the time of `strftime_now`
   * @throws {Error} with the line and what the template raises, or what fails in it
   */
  render(variables: Readonly<Record<string, unknown>>, now: () => Date): string {
    const run = new Run(now);
    const globals = new Scope(new Library(run));
    for (const [name, value] of globalFunctions(run)) globals.variables.set(name, value);
    const scope = globals.inner();
    try {
      for (const [name, value] of Object.entries(variables)) {
        if (value !== undefined) scope.variables.set(name, templateValue(value));
      }
      const output = new Output(run);
      this.#execute(scope, output);
      return output.text;
    } catch (cause) {
      if (cause instanceof TemplateFailure) throw new Error(`${cause.message} (line ${run.line})`, { cause });
      if (cause instanceof RangeError) throw new Error(`is nested too deeply (line ${run.line})`, { cause });
      throw cause;
    }
  }
}

const mostLevels = 200;

/**
 * Returns a JavaScript value as a value of templates: objects and maps become dicts, whole numbers integers, other
 * numbers floats. A `Float` stays what it is, which is how 1.0 gets in.
 * @throws {TemplateFailure} for a value that JSON does not have
 */
function templateValue(value: unknown, level = 0): Value {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") {
    if (Number.isSafeInteger(value)) return value + 0;
    return Number.isInteger(value) ? BigInt(value) : new Float(value);
  }
  if (typeof value === "bigint") return integer(value);
  if (value instanceof Float) return value;
  if (level > mostLevels) throw new TemplateFailure(`a variable is nested deeper than ${mostLevels} levels`);
  if (Array.isArray(value)) return new List(value.map((item: unknown) => templateValue(item, level + 1)));
  if (value instanceof Map) return dictOf(value.entries(), level);
  if (typeof value === "object" && value !== null) return dictOf(Object.entries(value), level);
  throw new TemplateFailure(`a variable is a ${typeof value}; pass what JSON can hold`);
}

function dictOf(entries: Iterable<readonly [unknown, unknown]>, level: number): Dict {
  const dict = new Dict();
  for (const [key, item] of entries) {
    if (item !== undefined) dict.set(String(key), templateValue(item, level + 1));
  }
  return dict;
}

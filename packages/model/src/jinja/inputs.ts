import { TemplateFailure } from "./failure.js";
import { Dict, Float, integer, List, type Value } from "./values.js";

const mostLevels = 200;

/**
 * Returns a JavaScript value as a value of templates: objects and maps become dicts, whole numbers integers, other
 * numbers floats. A `Float` stays what it is, which is how 1.0 gets in.
 * @throws {TemplateFailure} for a value that JSON does not have
 */
export function templateValue(value: unknown, level = 0): Value {
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

import { getItem } from "./attributes.js";
import type { Run } from "./run.js";
import { Undefined, type Value } from "./values.js";

/** Returns a function that reads `a.b.0` from a value, as the argument `attribute` of filters means it. */
export function attributeReader(
  attribute: Value | undefined,
  run: Run,
  otherwise?: Value,
): (value: Value) => Value {
  const path = pathOf(attribute);
  return (value) => {
    let at = value;
    for (const key of path) {
      at = getItem(at, key, run);
      if (at instanceof Undefined && otherwise !== undefined && otherwise !== null) at = otherwise;
    }
    return at;
  };
}

function pathOf(attribute: Value | undefined): readonly Value[] {
  if (attribute === undefined || attribute === null) return [];
  if (typeof attribute !== "string") return [attribute];
  return attribute.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Returns a value as filters compare it when case does not count. */
export const withoutCase = (value: Value): Value => (typeof value === "string" ? value.toLowerCase() : value);

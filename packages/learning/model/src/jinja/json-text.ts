import { sorted } from "./compare.js";
import { TemplateFailure } from "./failure.js";
import { floatText } from "./float-text.js";
import type { Run } from "./run.js";
import { Dict, Float, List, Tuple, typeName, type Value } from "./values.js";

export interface JsonLayout {
  readonly indent: string | undefined;
  readonly itemSeparator: string;
  readonly keySeparator: string;
  readonly sortKeys: boolean;
  readonly ascii: boolean;
}

/** Returns a value as Python's `json.dumps` writes it. @throws {TemplateFailure} for a value that JSON does not have */
export function jsonText(value: Value, layout: JsonLayout, run: Run): string {
  const text = write(value, "\n", layout, run);
  run.text(text.length);
  return text;
}

function write(value: Value, newline: string, layout: JsonLayout, run: Run): string {
  if (typeof value === "string") return jsonString(value, layout.ascii);
  if (value === null) return "null";
  if (typeof value === "boolean" || typeof value === "number" || typeof value === "bigint")
    return String(value);
  if (value instanceof Float) return jsonFloat(value.value);
  if (value instanceof List || value instanceof Tuple) {
    const { items } = value;
    return run.deeper(() =>
      writeAll(items, "[", "]", newline, layout, run, (item, inner) => write(item, inner, layout, run)),
    );
  }
  if (value instanceof Dict) {
    const entries = layout.sortKeys
      ? sorted([...value.entries()], ([key]) => key, false, run)
      : [...value.entries()];
    return run.deeper(() =>
      writeAll(entries, "{", "}", newline, layout, run, ([key, item], inner) => {
        const name = jsonString(keyText(key), layout.ascii);
        return name + layout.keySeparator + write(item, inner, layout, run);
      }),
    );
  }
  throw new TemplateFailure(`Object of type ${typeName(value)} is not JSON serializable`);
}

function writeAll<T>(
  items: readonly T[],
  open: string,
  close: string,
  newline: string,
  { indent, itemSeparator }: JsonLayout,
  run: Run,
  writeItem: (item: T, newline: string) => string,
): string {
  if (items.length === 0) return open + close;
  const inner = indent === undefined ? newline : newline + indent;
  let text = open + (indent === undefined ? "" : inner);
  for (const [i, item] of items.entries()) {
    if (i > 0) text += itemSeparator + (indent === undefined ? "" : inner);
    text += writeItem(item, inner);
    run.step();
    run.joined(text.length);
  }
  return text + (indent === undefined ? "" : newline) + close;
}

function jsonFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Infinity" : "-Infinity";
  return floatText(value);
}

function keyText(key: Value): string {
  if (typeof key === "string") return key;
  if (key === null) return "null";
  if (typeof key === "boolean" || typeof key === "number" || typeof key === "bigint") return String(key);
  if (key instanceof Float) return jsonFloat(key.value);
  throw new TemplateFailure(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\b": "\\b",
  "\f": "\\f",
};
const unit = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Python leaves half characters and U+007F as they are, unlike JSON.stringify. */
function jsonString(text: string, ascii: boolean): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes exactly these.
  const escaped = text.replace(/["\\\u0000-\u001f]/g, (character) => escapes[character] ?? unit(character));
  return `"${ascii ? escaped.replace(/[^\0-\x7f]/g, unit) : escaped}"`;
}

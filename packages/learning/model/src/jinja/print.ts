import { floatText } from "./float-text.js";
import type { Run } from "./run.js";
import {
  Callable,
  Dict,
  DictView,
  Float,
  List,
  Loop,
  Namespace,
  Once,
  Range,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.js";

/** Returns a value as `{{ value }}` prints it: Python's `str`. */
export function textOf(value: Value, run: Run): string {
  if (typeof value === "string") return value;
  if (value instanceof Undefined) return "";
  return repr(value, run);
}

/** Returns a value as it is printed inside a list: Python's `repr`. */
export function repr(value: Value, run: Run): string {
  if (typeof value === "string") {
    run.text(value.length);
    return quoted(value);
  }
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (value instanceof Float) return floatText(value.value);
  if (value instanceof Undefined) return "Undefined";
  if (value instanceof List) return `[${reprAll(value.items, run)}]`;
  if (value instanceof Tuple) {
    return value.items.length === 1 ? `(${reprAll(value.items, run)},)` : `(${reprAll(value.items, run)})`;
  }
  if (value instanceof Dict) return `{${reprEntries(value, run)}}`;
  if (value instanceof DictView) return `dict_${value.kind}([${reprAll([...value.items()], run)}])`;
  if (value instanceof Range) {
    const { start, stop, step } = value;
    return step === 1 ? `range(${start}, ${stop})` : `range(${start}, ${stop}, ${step})`;
  }
  if (value instanceof Namespace) {
    const fields = new Dict();
    for (const [name, field] of value.fields) fields.set(name, field);
    return `<Namespace {${reprEntries(fields, run)}}>`;
  }
  if (value instanceof Loop) return `<LoopContext ${value.index0 + 1}/${value.items.length}>`;
  if (value instanceof Once) return `<${typeName(value)} object>`;
  if (value instanceof Callable && value.name.startsWith("<")) return value.name;
  if (value instanceof Callable) return `<${value.fields.size > 0 ? "Macro" : "function"} '${value.name}'>`;
  return value satisfies never;
}

function reprAll(items: readonly Value[], run: Run): string {
  return run.deeper(() => {
    let text = "";
    for (const [i, item] of items.entries()) {
      text += i === 0 ? repr(item, run) : `, ${repr(item, run)}`;
      run.text(0);
    }
    run.text(text.length);
    return text;
  });
}

function reprEntries(dict: Dict, run: Run): string {
  return run.deeper(() => {
    let text = "";
    for (const [key, item] of dict.entries()) {
      text += `${text === "" ? "" : ", "}${repr(key, run)}: ${repr(item, run)}`;
      run.text(0);
    }
    run.text(text.length);
    return text;
  });
}

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };
/** Characters that Python's repr escapes: those that are not printable, of which the blank is the exception. */
const unprintable = /[\\\p{C}\p{Z}]/gu;

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(unprintable, (character) => {
    if (character === " ") return character;
    const name = named[character];
    if (name !== undefined) return name;
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
    if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
    return `\\U${code.toString(16).padStart(8, "0")}`;
  });
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}

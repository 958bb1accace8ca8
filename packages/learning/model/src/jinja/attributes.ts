import { Arguments } from "./arguments.js";
import { equal } from "./compare.js";
import { TemplateFailure } from "./failure.js";
import { repr, textOf } from "./print.js";
import type { Run } from "./run.js";
import { stringMethod } from "./string-methods.js";
import { braceFormat } from "./text-format.js";
import { characterAt, type Slice, sliceBounds, sliceIndices, sliceText } from "./text-index.js";
import {
  asInteger,
  Callable,
  Dict,
  DictView,
  Float,
  Group,
  List,
  Loop,
  Namespace,
  Range,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.js";

const changing: Readonly<Record<string, readonly string[]>> = {
  dict: ["clear", "pop", "popitem", "setdefault", "update"],
  list: ["append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"],
};

/** Describes a value in the words that Jinja uses for missing attributes. */
const described = (value: Value) => (value === null ? "None" : `'${typeName(value)} object'`);

/** `value.name`: an attribute, or else the value under that key. @throws {TemplateFailure} on an undefined value */
export function getAttribute(value: Value, name: string, run: Run): Value {
  if (value instanceof Undefined && name !== "__class__") throw new TemplateFailure(value.reason);
  const attribute = attributeOf(value, name, run);
  if (attribute !== undefined) return attribute;
  const item = itemOf(value, name, run);
  return item === undefined ? missing(value, name) : item;
}

/** `value[key]`: the value under a key or index, or else the attribute. @throws {TemplateFailure} as `getAttribute` */
export function getItem(value: Value, key: Value, run: Run): Value {
  if (value instanceof Undefined) throw new TemplateFailure(value.reason);
  const item = itemOf(value, key, run);
  if (item !== undefined) return item;
  const attribute = typeof key === "string" ? attributeOf(value, key, run) : undefined;
  return attribute === undefined ? missing(value, key) : attribute;
}

function missing(value: Value, key: Value): Undefined {
  if (typeof key === "string") return new Undefined(`${described(value)} has no attribute '${key}'`);
  return new Undefined(
    `${described(value)} has no element ${typeof key === "number" ? key : "of this index"}`,
  );
}

function itemOf(value: Value, key: Value, run: Run): Value | undefined {
  if (value instanceof Dict) {
    return key instanceof List || key instanceof Dict || key instanceof Undefined
      ? undefined
      : value.get(key);
  }
  const whole = asInteger(key);
  if (whole === undefined) return undefined;
  const index = Number(whole);
  if (typeof value === "string") {
    run.text(value.length);
    return characterAt(value, index);
  }
  if (value instanceof List || value instanceof Tuple) return value.items.at(index);
  if (!(value instanceof Range) || index >= value.length || index < -value.length) return undefined;
  return value.at(index < 0 ? index + value.length : index);
}

/** `value[start:stop:step]`. @throws {TemplateFailure} for values that have no slices */
export function getSlice(value: Value, slice: Slice, run: Run): Value {
  if (value instanceof Undefined) throw new TemplateFailure(value.reason);
  if (slice.step === 0) throw new TemplateFailure("slice step cannot be zero");
  if (typeof value === "string") {
    run.text(value.length);
    return sliceText(value, slice);
  }
  if (value instanceof List || value instanceof Tuple) {
    const { items } = value;
    const taken =
      slice.step === 1
        ? items.slice(slice.start, slice.stop)
        : sliceIndices(items.length, slice).flatMap((i) => [items[i] ?? null]);
    run.text(taken.length);
    return value instanceof List ? new List(taken) : new Tuple(taken);
  }
  if (value instanceof Range) {
    const [from, to] = sliceBounds(value.length, slice);
    return new Range(value.at(from), value.at(to), value.step * slice.step);
  }
  throw new TemplateFailure(`'${typeName(value)}' object is not subscriptable by a slice`);
}

/** Returns the attribute that Python's type has, also where the sandbox forbids it; undefined if it has none. */
function attributeOf(value: Value, name: string, run: Run): Value | undefined {
  if (name.startsWith("__")) return forbidden(value, name);
  if (typeof value === "string") {
    const method = name === "format" ? formatMethod(value, run) : stringMethod(value, name, run);
    return method === undefined ? undefined : new Callable(name, method);
  }
  if (value instanceof Dict) return dictMethod(value, name);
  if (value instanceof List || value instanceof Tuple) return sequenceMethod(value, name, run);
  if (value instanceof Range && (name === "count" || name === "index"))
    return sequenceMethod(new Tuple([...value.items()]), name, run);
  if (value instanceof Loop) return loopAttribute(value, name, run);
  if (value instanceof Namespace) return value.fields.get(name);
  if (value instanceof Callable) return value.fields.get(name);
  if (value instanceof Range && (name === "start" || name === "stop" || name === "step")) return value[name];
  if (value instanceof DictView) return undefined;
  return numberAttribute(value, name);
}

const forbidden = (value: Value, name: string) =>
  new Undefined(`access to attribute '${name}' of '${typeName(value)}' object is unsafe.`);

const method = (name: string, parameters: readonly string[], work: (given: Arguments) => Value): Callable =>
  new Callable(name, (positional, keywords) =>
    work(new Arguments(`${name}()`, parameters, positional, keywords)),
  );

function dictMethod(dict: Dict, name: string): Value | undefined {
  if (changing["dict"]?.includes(name) === true) return forbidden(dict, name);
  if (name === "items" || name === "keys" || name === "values") {
    return method(name, [], () => new DictView(name, dict));
  }
  if (name === "get") {
    return method(name, ["key", "default?"], (given) => {
      const found = dict.get(given.value("key"));
      return found === undefined ? given.value("default") : found;
    });
  }
  if (name === "copy") return method(name, [], () => dict);
  return undefined;
}

function sequenceMethod(value: List | Tuple, name: string, run: Run): Value | undefined {
  if (value instanceof Group && (name === "grouper" || name === "list")) return value[name];
  if (value instanceof List && changing["list"]?.includes(name) === true) return forbidden(value, name);
  if (name === "copy" && value instanceof List) return method(name, [], () => value);
  if (name === "count") {
    return method(name, ["value"], (given) => {
      run.text(value.items.length);
      return value.items.filter((item) => equal(item, given.value("value"), run)).length;
    });
  }
  if (name !== "index") return undefined;
  return method(name, ["value", "start?", "stop?"], (given) => {
    const wanted = given.value("value");
    const { length } = value.items;
    const indices = sliceIndices(length, {
      start: given.integer("start", 0),
      stop: given.integer("stop", length),
      step: 1,
    });
    const found = indices.find((i) => equal(value.items[i] ?? null, wanted, run));
    if (found === undefined) throw new TemplateFailure(`${repr(wanted, run)} is not in ${typeName(value)}`);
    return found;
  });
}

function numberAttribute(value: Value, name: string): Value | undefined {
  const whole = asInteger(value);
  if (whole !== undefined) {
    if (name === "real" || name === "numerator") return whole;
    if (name === "imag") return 0;
    if (name === "denominator") return 1;
    if (name === "conjugate") return method(name, [], () => whole);
    if (name === "bit_length") {
      return method(name, [], () => (whole === 0 ? 0 : BigInt(whole).toString(2).replace("-", "").length));
    }
    return undefined;
  }
  if (!(value instanceof Float)) return undefined;
  if (name === "real") return value;
  if (name === "imag") return new Float(0);
  if (name === "conjugate") return method(name, [], () => value);
  return name === "is_integer" ? method(name, [], () => Number.isInteger(value.value)) : undefined;
}

function loopAttribute(loop: Loop, name: string, run: Run): Value | undefined {
  const { index0, depth, items } = loop;
  const outside = (which: string) => new Undefined(`there is no ${which} item`);
  switch (name) {
    case "index":
      return index0 + 1;
    case "index0":
      return index0;
    case "revindex":
      return items.length - index0;
    case "revindex0":
      return items.length - index0 - 1;
    case "first":
      return index0 === 0;
    case "last":
      return index0 === items.length - 1;
    case "length":
      return items.length;
    case "depth":
      return depth;
    case "depth0":
      return depth - 1;
    case "previtem":
      return index0 < 1 ? outside("previous") : (items[index0 - 1] ?? null);
    case "nextitem":
      return index0 + 1 < items.length ? (items[index0 + 1] ?? null) : outside("next");
    case "cycle":
      return new Callable(name, (values) => {
        if (values.length === 0) throw new TemplateFailure("no items for cycling given");
        return values[index0 % values.length] ?? null;
      });
    case "changed":
      return new Callable(name, (values) => {
        const before = loop.remember(values);
        return before === undefined || !equal(new Tuple(before), new Tuple(values), run);
      });
    default:
      return undefined;
  }
}

const fieldPath = /^([^.[]*)((?:\.[^.[]+|\[[^\]]*\])*)$/;

function formatMethod(text: string, run: Run) {
  return (positional: readonly Value[], keywords: ReadonlyMap<string, Value>): Value =>
    braceFormat(
      text,
      (name, automatic) => {
        const found = fieldPath.exec(name);
        if (found === null) throw new TemplateFailure(`'${name}' is no field of a format string`);
        const [, first = "", rest = ""] = found;
        const index = first === "" ? automatic() : /^\d+$/.test(first) ? Number(first) : undefined;
        const start = index === undefined ? keywords.get(first) : positional[index];
        if (start === undefined) {
          throw new TemplateFailure(
            index === undefined
              ? `KeyError: '${first}'`
              : `Replacement index ${index} out of range for positional args tuple`,
          );
        }
        let value: Value = start;
        for (const [step] of rest.matchAll(/\.[^.[]+|\[[^\]]*\]/g)) {
          const key = step.startsWith(".") ? step.slice(1) : step.slice(1, -1);
          value = step.startsWith(".")
            ? getAttribute(value, key, run)
            : getItem(value, /^\d+$/.test(key) ? Number(key) : key, run);
        }
        return value;
      },
      run,
    );
}

/** Calls a value. @throws {TemplateFailure} if it cannot be called */
export function callValue(
  value: Value,
  positional: readonly Value[],
  keywords: ReadonlyMap<string, Value>,
  run: Run,
): Value {
  run.step();
  if (value instanceof Callable) return run.deeper(() => value.call(positional, keywords));
  if (value instanceof Loop) {
    const { recurse } = value;
    if (recurse === undefined) {
      throw new TemplateFailure("The loop must have the 'recursive' marker to be called recursively.");
    }
    return run.deeper(() => recurse(positional[0] ?? null, value.depth + 1));
  }
  if (value instanceof Undefined) throw new TemplateFailure(value.reason);
  throw new TemplateFailure(
    `'${typeName(value)}' object is not callable: ${textOf(value, run).slice(0, 40)}`,
  );
}

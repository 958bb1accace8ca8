import { getAttribute } from "./attributes.js";
import type { Builtin, Environment, OpenFilter } from "./builtin.js";
import { equal, order, sorted } from "./compare.js";
import { TemplateFailure } from "./failure.js";
import { attributeReader, withoutCase } from "./item-attribute.js";
import { compute, toIndex } from "./numbers.js";
import { textOf } from "./print.js";
import { joinTexts } from "./string-methods.js";
import { percentFormat } from "./text-format.js";
import {
  Dict,
  Group,
  isTrue,
  iterate,
  List,
  lengthOf,
  Once,
  Range,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.js";

/** Reads the values of something that can be looped over into an array. */
function itemsOf(value: Value, { run }: Environment): readonly Value[] {
  if (value instanceof List || value instanceof Tuple) return value.items;
  const items: Value[] = [];
  for (const item of iterate(value)) {
    run.step();
    items.push(item);
  }
  return items;
}

function* counted(value: Value, { run }: Environment): Generator<Value> {
  for (const item of iterate(value)) {
    run.step();
    yield item;
  }
}

const sizeOf: Builtin<Value> = [
  [],
  (value) => {
    const length = lengthOf(value);
    if (length === undefined) throw new TemplateFailure(`object of type '${typeName(value)}' has no len()`);
    return length;
  },
];

const extreme = (sign: 1 | -1): Builtin<Value> => [
  ["case_sensitive?", "attribute?"],
  (value, given, environment) => {
    const read = attributeReader(given.get("attribute"), environment.run);
    const keyOf = (item: Value) => (given.flag("case_sensitive") ? read(item) : withoutCase(read(item)));
    let best: Value | undefined;
    for (const item of counted(value, environment)) {
      const operator = sign > 0 ? ">" : "<";
      if (best === undefined || sign * order(keyOf(item), keyOf(best), operator, environment.run) > 0)
        best = item;
    }
    return best === undefined ? new Undefined("No aggregated item, sequence was empty.") : best;
  },
];

function batches(items: Iterable<Value>, size: number, fill: Value | undefined): Value[] {
  const made: Value[] = [];
  let batch: Value[] = [];
  for (const item of items) {
    if (batch.length === size) {
      made.push(new List(batch));
      batch = [];
    }
    batch.push(item);
  }
  if (batch.length === 0) return made;
  if (fill !== undefined && fill !== null) while (batch.length < size) batch.push(fill);
  return [...made, new List(batch)];
}

function slices(items: readonly Value[], count: number, fill: Value | undefined): Value[] {
  if (count <= 0) throw new TemplateFailure("integer division or modulo by zero");
  const size = Math.floor(items.length / count);
  const longer = items.length % count;
  let from = 0;
  return Array.from({ length: count }, (_, i) => {
    const part = items.slice(from, from + size + (i < longer ? 1 : 0));
    from += part.length;
    return new List(fill !== undefined && fill !== null && i >= longer ? [...part, fill] : part);
  });
}

/** `sort(attribute="a,b")` compares by several attributes. */
function sortKey(
  given: { get(name: string): Value | undefined; flag(name: string): boolean },
  { run }: Environment,
) {
  const attribute = given.get("attribute");
  const readers = (typeof attribute === "string" ? attribute.split(",") : [attribute]).map((each) =>
    attributeReader(each, run),
  );
  const cased = given.flag("case_sensitive");
  return (item: Value) => new List(readers.map((read) => (cased ? read(item) : withoutCase(read(item)))));
}

export const listFilters: Readonly<Record<string, Builtin<Value>>> = {
  batch: [
    ["linecount", "fill_with?"],
    (value, given, environment) =>
      new Once(
        "generator",
        batches(counted(value, environment), bounded(given.integer("linecount")), given.get("fill_with")),
      ),
  ],
  count: sizeOf,
  length: sizeOf,
  dictsort: [
    ["case_sensitive?", "by?", "reverse?"],
    (value, given, { run }) => {
      if (!(value instanceof Dict))
        throw new TemplateFailure(`dictsort needs a dict, not ${typeName(value)}`);
      const by = given.text("by", "key");
      if (by !== "key" && by !== "value") {
        throw new TemplateFailure('You can only sort by either "key" or "value"');
      }
      const cased = given.flag("case_sensitive");
      const keyOf = ([key, item]: readonly [Value, Value]) => (by === "key" ? key : item);
      const entries = sorted(
        [...value.entries()],
        (entry) => (cased ? keyOf(entry) : withoutCase(keyOf(entry))),
        given.flag("reverse"),
        run,
      );
      return new List(entries.map((entry) => new Tuple(entry)));
    },
  ],
  first: [
    [],
    (value, _given, environment) => {
      for (const item of counted(value, environment)) return item;
      return new Undefined("No first item, sequence was empty.");
    },
  ],
  groupby: [
    ["attribute", "default?", "case_sensitive?"],
    (value, given, environment) => {
      const { run } = environment;
      const read = attributeReader(given.get("attribute"), run, given.get("default"));
      const keyOf = (item: Value) => (given.flag("case_sensitive") ? read(item) : withoutCase(read(item)));
      const groups: { key: Value; items: Value[] }[] = [];
      for (const item of sorted(itemsOf(value, environment), keyOf, false, run)) {
        const key = keyOf(item);
        const last = groups.at(-1);
        if (last !== undefined && equal(last.key, key, run)) last.items.push(item);
        else groups.push({ key, items: [item] });
      }
      return new List(
        groups.map(({ items }) => new Group(items[0] === undefined ? null : read(items[0]), new List(items))),
      );
    },
  ],
  items: [
    [],
    (value) => {
      if (value instanceof Undefined) return new Once("generator", []);
      if (!(value instanceof Dict)) throw new TemplateFailure("Can only get item pairs from a mapping.");
      return new Once(
        "generator",
        [...value.entries()].map((entry) => new Tuple(entry)),
      );
    },
  ],
  join: [
    ["d?", "attribute?"],
    (value, given, environment) => {
      const { run } = environment;
      const read = attributeReader(given.get("attribute"), run);
      const separator = textOf(given.or("d", ""), run);
      return joinTexts(
        separator,
        itemsOf(value, environment).map((item) => textOf(read(item), run)),
        run,
      );
    },
  ],
  last: [
    [],
    (value, _given, environment) => {
      if (value instanceof Once) throw new TemplateFailure(`'${value.name}' object is not reversible`);
      const last = itemsOf(value, environment).at(-1);
      return last === undefined ? new Undefined("No last item, sequence was empty.") : last;
    },
  ],
  list: [[], (value, _given, environment) => new List(itemsOf(value, environment))],
  max: extreme(1),
  min: extreme(-1),
  reverse: [
    [],
    (value, _given, environment) => {
      if (typeof value === "string") {
        environment.run.text(value.length);
        return [...value].toReversed().join("");
      }
      const items = itemsOf(value, environment).toReversed();
      return value instanceof Once
        ? new List(items)
        : new Once(value instanceof List ? "list_reverseiterator" : "reversed", items);
    },
  ],
  slice: [
    ["slices", "fill_with?"],
    (value, given, environment) =>
      new Once(
        "generator",
        slices(itemsOf(value, environment), bounded(given.integer("slices")), given.get("fill_with")),
      ),
  ],
  sort: [
    ["reverse?", "case_sensitive?", "attribute?"],
    (value, given, environment) =>
      new List(
        sorted(
          itemsOf(value, environment),
          sortKey(given, environment),
          given.flag("reverse"),
          environment.run,
        ),
      ),
  ],
  sum: [
    ["attribute?", "start?"],
    (value, given, environment) => {
      const read = attributeReader(given.get("attribute"), environment.run);
      let total: Value = given.or("start", 0);
      for (const item of counted(value, environment)) total = plus(total, read(item));
      return total;
    },
  ],
  unique: [
    ["case_sensitive?", "attribute?"],
    (value, given, environment) => {
      const read = attributeReader(given.get("attribute"), environment.run);
      const cased = given.flag("case_sensitive");
      const seen = new Dict();
      const kept: Value[] = [];
      for (const item of counted(value, environment)) {
        const key = cased ? read(item) : withoutCase(read(item));
        if (seen.has(key)) continue;
        seen.set(key, true);
        kept.push(item);
      }
      return new Once("generator", kept);
    },
  ],
  attr: [
    ["name"],
    (value, given, { run }) => {
      if (value instanceof Dict && value.has(given.text("name"))) {
        const method = getAttribute(new Dict(), given.text("name"), run);
        if (method instanceof Undefined) return method;
      }
      return getAttribute(value, given.text("name"), run);
    },
  ],
};

const bounded = (size: number) => {
  if (size > 100_000) throw new TemplateFailure(`${size} parts are more than 100000`);
  return size;
};

function plus(left: Value, right: Value): Value {
  if (right instanceof Undefined) throw new TemplateFailure(right.reason);
  if (left instanceof List && right instanceof List) return new List([...left.items, ...right.items]);
  const sum = compute("+", left, right);
  if (sum !== undefined) return sum;
  throw new TemplateFailure(
    `unsupported operand type(s) for +: '${typeName(left)}' and '${typeName(right)}'`,
  );
}

function* mapped(value: Value, change: (item: Value) => Value, environment: Environment): Generator<Value> {
  for (const item of counted(value, environment)) yield change(item);
}

function* chosen(value: Value, keep: (item: Value) => boolean, environment: Environment): Generator<Value> {
  for (const item of counted(value, environment)) if (keep(item)) yield item;
}

const name = (value: Value | undefined, of: string) => {
  if (typeof value === "string") return value;
  throw new TemplateFailure(value === undefined ? `${of} requires a name` : `no ${of} of this name`);
};

const choice =
  (keep: boolean, byAttribute: boolean): OpenFilter =>
  (value, positional, keywords, environment) => {
    if (!isTrue(value)) return new Once("generator", []);
    const rest = byAttribute ? positional.slice(1) : positional;
    if (byAttribute && positional.length === 0) {
      throw new TemplateFailure("Missing parameter for attribute name");
    }
    const read = attributeReader(byAttribute ? positional[0] : undefined, environment.run);
    const [test, ...others] = rest;
    const passes =
      test === undefined
        ? (item: Value) => isTrue(read(item))
        : (item: Value) => environment.test(name(test, "test"), read(item), others, keywords);
    return new Once(
      "generator",
      chosen(value, (item) => passes(item) === keep, environment),
    );
  };

export const openFilters: Readonly<Record<string, OpenFilter>> = {
  map: (value, positional, keywords, environment) => {
    if (!isTrue(value)) return new Once("generator", []);
    if (positional.length === 0 && keywords.has("attribute")) {
      for (const key of keywords.keys()) {
        if (key !== "attribute" && key !== "default") {
          throw new TemplateFailure(`Unexpected keyword argument '${key}'`);
        }
      }
      const read = attributeReader(keywords.get("attribute"), environment.run, keywords.get("default"));
      return new Once("generator", mapped(value, read, environment));
    }
    const [filter, ...others] = positional;
    if (filter === undefined) throw new TemplateFailure("map requires a filter argument");
    const change = (item: Value) => environment.filter(name(filter, "filter"), item, others, keywords);
    return new Once("generator", mapped(value, change, environment));
  },
  format: (value, positional, keywords, { run }) => {
    if (positional.length > 0 && keywords.size > 0) {
      throw new TemplateFailure("can't handle positional and keyword arguments at the same time");
    }
    const named = new Dict();
    for (const [key, each] of keywords) named.set(key, each);
    return percentFormat(textOf(value, run), keywords.size > 0 ? named : new Tuple(positional), run);
  },
  select: choice(true, false),
  reject: choice(false, false),
  selectattr: choice(true, true),
  rejectattr: choice(false, true),
};

/** The function `range` of templates, which the sandbox bounds. @throws {TemplateFailure} */
export function makeRange(positional: readonly Value[]): Range {
  const [first, second, step = 1] = positional.map((value) => toIndex(value, "an argument of range()"));
  if (first === undefined) throw new TemplateFailure("range expected at least 1 argument, got 0");
  if (step === 0) throw new TemplateFailure("range() arg 3 must not be zero");
  const range = second === undefined ? new Range(0, first, 1) : new Range(first, second, step);
  if (range.length > 100_000) {
    throw new TemplateFailure("Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000).");
  }
  return range;
}

import type { Builtin } from "./builtin.js";
import { TemplateFailure } from "./failure.js";
import { fixedText, roundFloat, roundInteger } from "./float-text.js";
import { unescapeHtml } from "./html-text.js";
import { type JsonLayout, jsonText } from "./json-text.js";
import { negate } from "./numbers.js";
import { prettyText } from "./pretty-text.js";
import { textOf } from "./print.js";
import { capitalize, splitLines, strip, whitespaceClass } from "./python-text.js";
import { pad, replaceText } from "./string-methods.js";
import { sliceText } from "./text-index.js";
import {
  asInteger,
  asNumber,
  codePointLength,
  Dict,
  Float,
  integer,
  isTrue,
  iterate,
  lengthOf,
  typeName,
  Undefined,
  type Value,
} from "./values.js";

const onText = (change: (text: string) => Value): Builtin<Value> => [
  [],
  (value, _given, { run }) => {
    const text = textOf(value, run);
    run.text(text.length);
    return change(text);
  },
];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&#39;",
  '"': "&#34;",
};
const escapeHtml = (text: string) =>
  text.replace(/[&<>'"]/g, (character) => entities[character] ?? character);

const otherwise: Builtin<Value> = [
  ["default_value?", "boolean?"],
  (value, given) => {
    const missing = value instanceof Undefined || (given.flag("boolean") && !isTrue(value));
    return missing ? given.or("default_value", "") : value;
  },
];

const wordStart = new RegExp(`([-${whitespaceClass}({\\[<]+)`);

/** Writes the digits of other scripts as 0 to 9. They stand in Unicode in runs of ten, each from its zero on. */
const plainDigits = (text: string) =>
  text.replace(/[^\0-\x7f]/gu, (character) => {
    if (!/^\p{Nd}$/u.test(character)) return character;
    const code = character.codePointAt(0) ?? 0;
    let before = 0;
    while (/^\p{Nd}$/u.test(String.fromCodePoint(code - before - 1))) before += 1;
    return String(before % 10);
  });

const decimal = /^[+-]?\d+(?:_\d+)*$/;
const digitsOfBase = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Python's `int(text, base)`; undefined if the text is no such number. */
function parseInteger(text: string, base: number): number | bigint | undefined {
  const trimmed = plainDigits(strip(text, "both", undefined).toLowerCase());
  if (base === 10) return decimal.test(trimmed) ? integer(BigInt(trimmed.replace(/^\+|_/g, ""))) : undefined;
  const sign = trimmed.startsWith("-") ? -1n : 1n;
  const prefixes: Readonly<Record<string, number>> = { "0x": 16, "0o": 8, "0b": 2 };
  const unsigned = trimmed.replace(/^[+-]/, "");
  const prefix = prefixes[unsigned.slice(0, 2)];
  const used = base === 0 ? (prefix ?? 10) : base;
  const digits = (prefix === used ? unsigned.slice(2).replace(/^_/, "") : unsigned).replaceAll("_", "");
  if (digits === "") return undefined;
  let value = 0n;
  for (const digit of digits) {
    const worth = digitsOfBase.indexOf(digit);
    if (worth < 0 || worth >= used) return undefined;
    value = value * BigInt(used) + BigInt(worth);
  }
  return integer(sign * value);
}

/** Returns a value that must be a text. @throws {TemplateFailure} for every other value */
function mustBeText(value: Value, filter: string): string {
  if (typeof value === "string") return value;
  if (value instanceof Undefined) throw new TemplateFailure(value.reason);
  throw new TemplateFailure(`${filter} needs a str, not ${typeName(value)}`);
}

/** Python's `float(value)`; undefined if the value is no number. @throws {TemplateFailure} for an undefined value */
function parseFloating(value: Value): number | undefined {
  if (value instanceof Undefined) throw new TemplateFailure(value.reason);
  if (typeof value !== "string") return asNumber(value);
  const text = plainDigits(strip(value, "both", undefined).toLowerCase());
  if (/^[+-]?(?:inf|infinity)$/.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  if (/^[+-]?nan$/.test(text)) return Number.NaN;
  const plain = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+)?$/;
  return plain.test(text) ? Number(text.replaceAll("_", "")) : undefined;
}

function mustBeFloat(value: Value): number {
  const number = parseFloating(value);
  if (number !== undefined) return number;
  throw new TemplateFailure(
    typeof value === "string"
      ? `could not convert string to float: '${value}'`
      : `float() argument must be a string or a real number, not '${typeName(value)}'`,
  );
}

const truncated = (value: number) =>
  Number.isFinite(value) ? integer(BigInt(Math.trunc(value))) : undefined;

const tojson: Builtin<Value> = [
  ["ensure_ascii?", "indent?", "separators?", "sort_keys?"],
  (value, given, { run }) => {
    const indent = given.get("indent") ?? null;
    const spaces = asInteger(indent);
    const layout: JsonLayout = {
      indent:
        indent === null
          ? undefined
          : spaces === undefined
            ? given.text("indent")
            : " ".repeat(Math.min(100, Math.max(0, Number(spaces)))),
      ...separatorsOf(given.get("separators") ?? null, indent === null),
      sortKeys: given.flag("sort_keys"),
      ascii: given.flag("ensure_ascii"),
    };
    return jsonText(value, layout, run);
  },
];

function separatorsOf(given: Value, flat: boolean) {
  if (given === null) return { itemSeparator: flat ? ", " : ",", keySeparator: ": " };
  const [item, key, ...others] = [...iterate(given)];
  if (typeof item === "string" && typeof key === "string" && others.length === 0) {
    return { itemSeparator: item, keySeparator: key };
  }
  throw new TemplateFailure("tojson: separators must be two texts");
}

/** Python's `textwrap.wrap` of one line, which keeps the blanks between words. */
function wrapLine(line: string, width: number, breakLong: boolean, breakHyphens: boolean): string[] {
  const hyphens = breakHyphens
    ? /(\s+|[^\s\w]*\w+[^0-9\W]-(?=\w+[^0-9\W])|(?<=[\w!"'&.,?])-{2,}(?=\w))/
    : /(\s+)/;
  const chunks = line
    .split(hyphens)
    .filter((chunk) => chunk !== "")
    .toReversed();
  const lines: string[] = [];
  while (chunks.length > 0) {
    const current: string[] = [];
    let length = 0;
    if (lines.length > 0 && /^\s+$/.test(chunks.at(-1) ?? "")) chunks.pop();
    for (
      let next = chunks.at(-1);
      next !== undefined && length + next.length <= width;
      next = chunks.at(-1)
    ) {
      current.push(next);
      length += next.length;
      chunks.pop();
    }
    const long = chunks.at(-1);
    if (long !== undefined && long.length > width) {
      if (breakLong) {
        const room = Math.max(1, width - length);
        current.push(long.slice(0, room));
        chunks[chunks.length - 1] = long.slice(room);
      } else if (current.length === 0) {
        current.push(long);
        chunks.pop();
      }
    }
    if (/^\s+$/.test(current.at(-1) ?? "")) current.pop();
    if (current.length > 0) lines.push(current.join(""));
  }
  return lines;
}

const units = ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"];

function fileSize(bytes: number, binary: boolean): string {
  const base = binary ? 1024 : 1000;
  if (bytes === 1) return "1 Byte";
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  const power = Math.min(units.length - 1, units.findIndex((_, i) => bytes < base ** (i + 2)) >>> 0);
  const name = units[power] ?? "";
  const shown = binary ? `${name.charAt(0).toUpperCase()}iB` : name;
  return `${fixedText((base * bytes) / base ** (power + 2), 1)} ${shown}`;
}

const quoteUrl = (text: string, inQuery: boolean) => {
  const quoted = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return inQuery ? quoted.replaceAll("%20", "+") : quoted.replaceAll("%2F", "/");
};

export const textFilters: Readonly<Record<string, Builtin<Value>>> = {
  abs: [
    [],
    (value) => {
      const number = asNumber(value);
      if (number === undefined) throw new TemplateFailure(`bad operand type for abs(): '${typeName(value)}'`);
      return negate(value, number < 0 ? -1 : 1);
    },
  ],
  capitalize: onText(capitalize),
  center: [
    ["width?"],
    (value, given, { run }) => pad(textOf(value, run), given.integer("width", 80), " ", "center"),
  ],
  d: otherwise,
  default: otherwise,
  e: onText(escapeHtml),
  escape: onText(escapeHtml),
  forceescape: onText(escapeHtml),
  filesizeformat: [["binary?"], (value, given) => fileSize(mustBeFloat(value), given.flag("binary"))],
  float: [
    ["default?"],
    (value, given) => {
      const number = parseFloating(value);
      return number === undefined ? given.or("default", new Float(0)) : new Float(number);
    },
  ],
  indent: [
    ["width?", "first?", "blank?"],
    (value, given, { run }) => {
      const width = given.or("width", 4);
      const indention =
        typeof width === "string"
          ? width
          : " ".repeat(Math.max(0, Math.min(10_000, given.integer("width", 4))));
      const text = mustBeText(value, "indent");
      const lines = splitLines(`${text}\n`, false);
      run.text(text.length + lines.length * indention.length);
      const blank = given.flag("blank");
      const indented = lines
        .map((line, i) => (i > 0 && (blank || line !== "") ? indention + line : line))
        .join("\n");
      return given.flag("first") ? indention + indented : indented;
    },
  ],
  int: [
    ["default?", "base?"],
    (value, given) => {
      const whole =
        typeof value === "string" ? parseInteger(value, given.integer("base", 10)) : asInteger(value);
      const number = whole === undefined ? parseFloating(value) : undefined;
      return whole ?? (number === undefined ? undefined : truncated(number)) ?? given.or("default", 0);
    },
  ],
  lower: onText((text) => text.toLowerCase()),
  pprint: [[], (value, _given, { run }) => prettyText(value, run)],
  replace: [
    ["old", "new", "count?"],
    (value, given, { run }) =>
      replaceText(
        textOf(value, run),
        textOf(given.value("old"), run),
        textOf(given.value("new"), run),
        given.optionalInteger("count") ?? -1,
        run,
      ),
  ],
  round: [
    ["precision?", "method?"],
    (value, given) => {
      const digits = given.integer("precision", 0);
      const way = given.text("method", "common");
      const number = asNumber(value);
      if (number === undefined) {
        throw new TemplateFailure(`type ${typeName(value)} doesn't define __round__ method`);
      }
      if (way === "ceil" || way === "floor") {
        const unit = 10 ** digits;
        // Python's are integers, which have no negative zero.
        return new Float((Math[way](number * unit) + 0) / unit);
      }
      if (way !== "common") throw new TemplateFailure("method must be common, ceil or floor");
      const whole = asInteger(value);
      if (whole === undefined) return new Float(roundFloat(number, digits));
      return digits >= 0 ? whole : integer(roundInteger(BigInt(whole), -digits));
    },
  ],
  safe: onText((text) => text),
  string: onText((text) => text),
  striptags: onText((text) =>
    unescapeHtml(
      strip(
        text
          .replace(/<!--[\s\S]*?-->/g, "")
          .replace(/<[^>]*>/g, "")
          .replace(new RegExp(`[${whitespaceClass}]+`, "g"), " "),
        "both",
        undefined,
      ),
    ),
  ),
  title: onText((text) =>
    text
      .split(wordStart)
      .map((word) => {
        const first = String.fromCodePoint(word.codePointAt(0) ?? 0);
        return word === "" ? "" : first.toUpperCase() + word.slice(first.length).toLowerCase();
      })
      .join(""),
  ),
  tojson,
  trim: [
    ["chars?"],
    (value, given, { run }) => {
      const text = textOf(value, run);
      run.text(text.length);
      return strip(text, "both", given.optionalText("chars"));
    },
  ],
  truncate: [
    ["length?", "killwords?", "end?", "leeway?"],
    (value, given) => {
      const size = lengthOf(value);
      if (size === undefined) throw new TemplateFailure(`object of type '${typeName(value)}' has no len()`);
      const length = given.integer("length", 255);
      const end = given.text("end", "...");
      const kept = length - codePointLength(end);
      if (kept < 0) throw new TemplateFailure(`expected length >= ${codePointLength(end)}, got ${length}`);
      if (size <= length + (given.optionalInteger("leeway") ?? 5)) return value;
      const text = mustBeText(value, "truncate");
      const cut = sliceText(text, { start: 0, stop: kept, step: 1 });
      const blank = cut.lastIndexOf(" ");
      return (given.flag("killwords") || blank < 0 ? cut : cut.slice(0, blank)) + end;
    },
  ],
  upper: onText((text) => text.toUpperCase()),
  urlencode: [
    [],
    (value, _given, { run }) => {
      if (typeof value === "string" || asNumber(value) !== undefined || value === null) {
        return quoteUrl(textOf(value, run), false);
      }
      const pairs =
        value instanceof Dict ? [...value.entries()] : [...iterate(value)].map((pair) => [...iterate(pair)]);
      const odd = pairs.find(({ length }) => length !== 2);
      if (odd) throw new TemplateFailure(`urlencode needs pairs, not ${odd.length} values`);
      return pairs
        .map(
          ([key, item]) =>
            `${quoteUrl(textOf(key ?? null, run), true)}=${quoteUrl(textOf(item ?? null, run), true)}`,
        )
        .join("&");
    },
  ],
  wordcount: onText((text) => text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0),
  wordwrap: [
    ["width?", "break_long_words?", "wrapstring?", "break_on_hyphens?"],
    (value, given, { run }) => {
      const text = mustBeText(value, "wordwrap");
      run.text(text.length * 4);
      const wrapping = given.optionalText("wrapstring") ?? "\n";
      const width = given.integer("width", 79);
      if (width <= 0) throw new TemplateFailure(`invalid width ${width} (must be > 0)`);
      const long = given.flag("break_long_words", true);
      const hyphens = given.flag("break_on_hyphens", true);
      return splitLines(text, false)
        .map((line) => wrapLine(line, width, long, hyphens).join(wrapping))
        .join(wrapping);
    },
  ],
  xmlattr: [
    ["autospace?"],
    (value, given, { run }) => {
      if (!(value instanceof Dict)) throw new TemplateFailure(`xmlattr needs a dict, not ${typeName(value)}`);
      const written = [...value.entries()]
        .filter(([, item]) => item !== null && !(item instanceof Undefined))
        .map(([key, item]) => {
          const name = mustBeText(key, "xmlattr");
          if (/[\s/>=]/.test(name))
            throw new TemplateFailure(`Invalid character in attribute name: '${name}'`);
          return `${escapeHtml(name)}="${escapeHtml(textOf(item, run))}"`;
        })
        .join(" ");
      return given.flag("autospace", true) && written !== "" ? ` ${written}` : written;
    },
  ],
};

import { Arguments } from "./arguments.js";
import { TemplateFailure } from "./failure.js";
import {
  capitalize,
  expandTabs,
  isLower,
  isTitle,
  isUpper,
  type Side,
  splitAt,
  splitLines,
  splitWhitespace,
  strip,
  swapCase,
  title,
  whitespaceClass,
} from "./python-text.js";
import type { Run } from "./run.js";
import { codePointIndex } from "./text-index.js";
import {
  codePointLength,
  isPlain,
  iterate,
  type Keywords,
  List,
  Tuple,
  typeName,
  type Value,
} from "./values.js";

type Method = readonly [
  parameters: readonly string[],
  run: (text: string, given: Arguments, run: Run) => Value,
];

const texts = (items: readonly string[]) => new List(items);
const mostWidth = 1_000_000;

const stripped = (side: Side): Method => [
  ["chars?"],
  (text, given) => strip(text, side, given.optionalText("chars")),
];

const split = (fromRight: boolean): Method => [
  ["sep?", "maxsplit?"],
  (text, given) => {
    const separator = given.optionalText("sep");
    const most = given.integer("maxsplit", -1);
    if (separator === "") throw new TemplateFailure("empty separator");
    return texts(
      separator === undefined
        ? splitWhitespace(text, most, fromRight)
        : splitAt(text, separator, most, fromRight),
    );
  },
];

const partition = (fromRight: boolean): Method => [
  ["sep"],
  (text, given) => {
    const separator = given.text("sep");
    if (separator === "") throw new TemplateFailure("empty separator");
    const at = fromRight ? text.lastIndexOf(separator) : text.indexOf(separator);
    if (at < 0) return new Tuple(fromRight ? ["", "", text] : [text, "", ""]);
    return new Tuple([text.slice(0, at), separator, text.slice(at + separator.length)]);
  },
];

/** Returns the part of a text between two indices by code points, and where it starts by UTF-16 units. */
function part(
  text: string,
  given: Arguments,
): { readonly text: string; readonly from: number; readonly valid: boolean } {
  const start = given.optionalInteger("start");
  const stop = given.optionalInteger("end");
  if (start === undefined && stop === undefined) return { text, from: 0, valid: true };
  const plain = isPlain(text);
  const characters = plain ? undefined : [...text];
  const length = characters?.length ?? text.length;
  const clamp = (index: number) => Math.min(length, Math.max(0, index < 0 ? index + length : index));
  const from = clamp(start ?? 0);
  const to = clamp(stop ?? length);
  const units = (index: number) => characters?.slice(0, index).join("").length ?? index;
  const valid = (start ?? 0) <= length && from <= to;
  return { text: text.slice(units(from), units(Math.max(from, to))), from: units(from), valid };
}

const find = (fromRight: boolean, must: boolean): Method => [
  ["sub", "start?", "end?"],
  (text, given) => {
    const sub = given.text("sub");
    const within = part(text, given);
    const at = fromRight ? within.text.lastIndexOf(sub) : within.text.indexOf(sub);
    if (at >= 0 && within.valid) return codePointIndex(text, within.from + at);
    if (must) throw new TemplateFailure("substring not found");
    return -1;
  },
];

const edge = (name: "startsWith" | "endsWith"): Method => [
  ["prefix", "start?", "end?"],
  (text, given) => {
    const within = part(text, given);
    const wanted = given.value("prefix");
    const all = wanted instanceof Tuple ? wanted.items : [wanted];
    return all.some((each) => {
      if (typeof each !== "string") {
        throw new TemplateFailure(
          `${name.toLowerCase()} first arg must be str or a tuple of str, not ${typeName(each)}`,
        );
      }
      return within.valid && within.text[name](each);
    });
  },
];

const justified = (align: "left" | "right" | "center"): Method => [
  ["width", "fillchar?"],
  (text, given) => pad(text, given.integer("width"), given.text("fillchar", " "), align),
];

export function pad(text: string, width: number, fill: string, align: "left" | "right" | "center"): string {
  if (codePointLength(fill) !== 1) {
    throw new TemplateFailure("The fill character must be exactly one character long");
  }
  if (width > mostWidth) throw new TemplateFailure(`makes a text of ${width} characters`);
  const missing = Math.max(0, width - codePointLength(text));
  // Python puts the odd blank to the left if the width is odd.
  const half = Math.floor(missing / 2) + (missing & width & 1);
  const before = align === "left" ? 0 : align === "right" ? missing : half;
  return fill.repeat(before) + text + fill.repeat(missing - before);
}

const every = (pattern: RegExp): Method => [[], (text) => pattern.test(text)];

export function replaceText(text: string, old: string, by: string, most: number, run: Run): string {
  if (most === 0) return text;
  const pieces = old === "" ? ["", ...text, ""] : text.split(old);
  const made = pieces.length * by.length + text.length;
  run.text(made);
  if (most < 0 || pieces.length <= most + 1) return pieces.join(by);
  return pieces.slice(0, most).join(by) + by + pieces.slice(most).join(old);
}

export function joinTexts(separator: string, items: Iterable<Value>, run: Run): string {
  let joined = "";
  let i = 0;
  for (const item of items) {
    if (typeof item !== "string") {
      throw new TemplateFailure(`sequence item ${i}: expected str instance, ${typeName(item)} found`);
    }
    joined += i === 0 ? item : separator + item;
    i += 1;
    run.step();
    run.joined(joined.length);
  }
  run.text(joined.length);
  return joined;
}

const methods: Readonly<Record<string, Method>> = {
  capitalize: [[], (text) => capitalize(text)],
  casefold: [
    [],
    (text) => text.replaceAll("ẞ", "ss").toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ"),
  ],
  center: justified("center"),
  count: [
    ["sub", "start?", "end?"],
    (text, given) => {
      const within = part(text, given);
      const sub = given.text("sub");
      if (!within.valid) return 0;
      return sub === "" ? codePointLength(within.text) + 1 : within.text.split(sub).length - 1;
    },
  ],
  endswith: edge("endsWith"),
  expandtabs: [
    ["tabsize?"],
    (text, given) => {
      const size = given.integer("tabsize", 8);
      if (size > mostWidth) throw new TemplateFailure(`makes a text of ${size} characters`);
      return expandTabs(text, size);
    },
  ],
  find: find(false, false),
  index: find(false, true),
  isalnum: every(/^[\p{L}\p{N}]+$/u),
  isalpha: every(/^\p{L}+$/u),
  isascii: every(/^[\0-\x7f]*$/),
  isdecimal: every(/^\p{Nd}+$/u),
  isdigit: every(/^[\p{Nd}²³¹⁰⁴-⁹₀-₉①-⑨⑴-⑼⒈-⒐⓪⓵-⓽⓿❶-❾➀-➈➊-➒]+$/u),
  isidentifier: every(/^[\p{XID_Start}_]\p{XID_Continue}*$/u),
  islower: [[], (text) => isLower(text)],
  isnumeric: every(/^[\p{N}〇一二三四五六七八九十百千万億兆零壹貳參肆伍陸柒捌玖拾]+$/u),
  isprintable: every(/^(?:[^\p{C}\p{Z}]| )*$/u),
  isspace: every(new RegExp(`^[${whitespaceClass}]+$`)),
  istitle: [[], (text) => isTitle(text)],
  isupper: [[], (text) => isUpper(text)],
  join: [["iterable"], (text, given, run) => joinTexts(text, iterate(given.value("iterable")), run)],
  ljust: justified("left"),
  lower: [[], (text) => text.toLowerCase()],
  lstrip: stripped("left"),
  partition: partition(false),
  removeprefix: [
    ["prefix"],
    (text, given) => {
      const prefix = given.text("prefix");
      return text.startsWith(prefix) ? text.slice(prefix.length) : text;
    },
  ],
  removesuffix: [
    ["suffix"],
    (text, given) => {
      const suffix = given.text("suffix");
      return suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
    },
  ],
  replace: [
    ["old", "new", "count?"],
    (text, given, run) =>
      replaceText(text, given.text("old"), given.text("new"), given.integer("count", -1), run),
  ],
  rfind: find(true, false),
  rindex: find(true, true),
  rjust: justified("right"),
  rpartition: partition(true),
  rsplit: split(true),
  rstrip: stripped("right"),
  split: split(false),
  splitlines: [["keepends?"], (text, given) => texts(splitLines(text, given.flag("keepends")))],
  startswith: edge("startsWith"),
  strip: stripped("both"),
  swapcase: [[], (text) => swapCase(text)],
  title: [[], (text) => title(text)],
  upper: [[], (text) => text.toUpperCase()],
  zfill: [
    ["width"],
    (text, given) => {
      const sign = /^[+-]/.exec(text)?.[0] ?? "";
      return sign + pad(text.slice(sign.length), given.integer("width") - sign.length, "0", "right");
    },
  ],
};

/** Returns what a method of a text gives, as a function of its arguments; undefined if texts have no such method. */
export function stringMethod(text: string, name: string, run: Run) {
  if (!Object.hasOwn(methods, name)) return undefined;
  const method = methods[name];
  if (method === undefined) return undefined;
  const [parameters, work] = method;
  return (positional: readonly Value[], keywords: Keywords): Value => {
    const given = new Arguments(`${name}()`, parameters, positional, keywords);
    run.text(text.length);
    return work(text, given, run);
  };
}

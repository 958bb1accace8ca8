import { TemplateFailure } from "./failure.js";
import { fixedText, floatText, pythonExponent } from "./float-text.js";
import { repr, textOf } from "./print.js";
import type { Run } from "./run.js";
import {
  asInteger,
  asNumber,
  codePointLength,
  Dict,
  Float,
  List,
  Range,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.js";

interface Layout {
  readonly fill: string;
  readonly align: "<" | ">" | "^" | "=";
  readonly sign: string;
  readonly alternate: boolean;
  readonly width: number;
  readonly grouping: string;
  readonly precision: number | undefined;
  readonly type: string;
}

const mostWidth = 10_000;
const conversion = /%(?:\(([^)]*)\))?([#0\- +]*)(\*|\d+)?(?:\.(\*|\d+))?[hlL]?(.)?/gsu;

/** Python's `text % values`. @throws {TemplateFailure} for values that do not fit */
export function percentFormat(text: string, values: Value, run: Run): string {
  const given = values instanceof Tuple ? values.items : [values];
  const dict = values instanceof Dict ? values : undefined;
  let next = 0;
  const take = (): Value => {
    const value = given[next];
    if (value === undefined) throw new TemplateFailure("not enough arguments for format string");
    next += 1;
    return value;
  };
  const size = (stars: string | undefined) =>
    stars === undefined ? undefined : stars === "*" ? Number(asInteger(take()) ?? 0) : Number(stars);
  const formatted = text.replace(conversion, (_whole, key, flags: string, width, precision, type) => {
    if (type === undefined) throw new TemplateFailure("incomplete format");
    if (type === "%") return "%";
    if (key !== undefined && dict === undefined) throw new TemplateFailure("format requires a mapping");
    const wide = size(width) ?? 0;
    const digits = size(precision);
    const value = key === undefined ? take() : dict?.get(key);
    if (value === undefined) throw new TemplateFailure(`KeyError: '${key}'`);
    if (key !== undefined) next = given.length;
    const left = flags.includes("-") || wide < 0;
    return formatted1(value, {
      fill: flags.includes("0") && !left && !/[srac]/.test(type) ? "0" : " ",
      align: left ? "<" : flags.includes("0") ? "=" : ">",
      sign: flags.includes("+") ? "+" : flags.includes(" ") ? " " : "-",
      alternate: flags.includes("#"),
      width: Math.abs(wide),
      grouping: "",
      precision: digits,
      type,
    });
  });
  // Python takes a list here for a mapping, of which nothing need be used.
  const mapping =
    dict !== undefined || values instanceof List || values instanceof Range || values instanceof Undefined;
  if (next < given.length && !mapping) {
    throw new TemplateFailure("not all arguments converted during string formatting");
  }
  run.text(formatted.length);
  return formatted;

  function formatted1(value: Value, layout: Layout): string {
    const { type, precision } = layout;
    if (type === "s" || type === "r" || type === "a") {
      const whole = type === "s" ? textOf(value, run) : repr(value, run);
      return padded(precision === undefined ? whole : [...whole].slice(0, precision).join(""), "", layout);
    }
    if (type === "c") {
      const code = asInteger(value);
      return padded(code === undefined ? textOf(value, run) : String.fromCodePoint(Number(code)), "", layout);
    }
    const number = asNumber(value);
    if (number === undefined || !/[diuoxXeEfFgG]/.test(type)) {
      throw number === undefined
        ? new TemplateFailure(`%${type} format: a real number is required, not ${typeName(value)}`)
        : new TemplateFailure(`unsupported format character '${type}'`);
    }
    if (!/[diu]/.test(type)) return formatNumber(value, { ...layout, precision });
    const whole = asInteger(value) ?? BigInt(Math.trunc(number));
    const zeros = precision ?? 0;
    const shown = String(whole).replace("-", "").padStart(zeros, "0");
    return padded(shown, signOf(whole < 0, layout), layout);
  }
}

const signOf = (negative: boolean, { sign }: Layout) => (negative ? "-" : sign === "-" ? "" : sign);

function padded(text: string, sign: string, { fill, align, width }: Layout): string {
  if (width > mostWidth) throw new TemplateFailure(`a format makes a text of ${width} characters`);
  const missing = Math.max(0, width - codePointLength(text) - sign.length);
  if (align === "=") return sign + fill.repeat(missing) + text;
  const before = align === ">" ? missing : align === "^" ? Math.floor(missing / 2) : 0;
  return fill.repeat(before) + sign + text + fill.repeat(missing - before);
}

function formatNumber(value: Value, layout: Layout): string {
  const { alternate, grouping, precision, type } = layout;
  const whole = asInteger(value);
  if (whole !== undefined && /^[bdoxXn]?$/.test(type)) {
    const bases: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16, X: 16 };
    const digits = String(whole < 0 ? -BigInt(whole) : whole);
    const base = bases[type];
    const shown = base === undefined ? digits : BigInt(digits).toString(base);
    const prefix = alternate && base !== undefined ? `0${type.toLowerCase()}` : "";
    const cased = type === "X" ? `${prefix}${shown}`.toUpperCase() : prefix + shown;
    return padded(grouped(cased, grouping), signOf(whole < 0, layout), layout);
  }
  const number = asNumber(value) ?? 0;
  const size = Math.abs(number);
  const negative = number < 0 || Object.is(number, -0);
  const digits = precision ?? 6;
  const shown = Number.isFinite(size) ? finiteText(size, digits, layout) : floatText(size);
  const cased = /[EFGX]/.test(type) ? shown.toUpperCase() : shown;
  return padded(grouped(cased, grouping), signOf(negative, layout), layout);
}

function finiteText(size: number, digits: number, { type, precision, alternate }: Layout): string {
  if (digits > 100) throw new TemplateFailure(`a format asks for ${digits} digits`);
  const lower = type.toLowerCase();
  if (lower === "f") return fixedText(size, digits);
  if (lower === "%") return `${fixedText(size * 100, digits)}%`;
  if (lower === "e") return pythonExponent(size.toExponential(digits));
  if (lower === "" && precision === undefined) return floatText(size);
  const significant = Math.max(1, digits);
  const exponent = size === 0 ? 0 : Number(/e(.*)$/.exec(size.toExponential(significant - 1))?.[1]);
  // Without a type, Python's format keeps one digit after the point, and goes to an exponent one digit earlier.
  const most = lower === "" ? significant - 1 : significant;
  const strip = (text: string) => (alternate || !text.includes(".") ? text : text.replace(/\.?0+$/, ""));
  if (exponent < -4 || exponent >= most) {
    const [mantissa, power] = pythonExponent(size.toExponential(significant - 1)).split("e");
    return `${strip(mantissa ?? "")}e${power}`;
  }
  const text = strip(fixedText(size, Math.max(0, significant - 1 - exponent)));
  return lower === "" && !text.includes(".") ? `${text}.0` : text;
}

const grouped = (text: string, separator: string) =>
  separator === "" ? text : text.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, separator));

const specification = /^(?:(.)?([<>=^]))?([+\- ]?)(#?)(0?)(\d+)?([_,]?)(?:\.(\d+))?([bcdeEfFgGnosxX%]?)$/su;

/** Python's `format(value, specification)`. @throws {TemplateFailure} for a specification that does not fit */
function formatValue(value: Value, text: string, run: Run): string {
  if (text === "") return textOf(value, run);
  const found = specification.exec(text);
  if (found === null) throw new TemplateFailure(`Invalid format specifier '${text}'`);
  const [, fill, align, sign, alternate, zero, width, grouping, precision, type] = found;
  const isNumber = asNumber(value) !== undefined;
  if (!isNumber && typeof value !== "string") {
    throw new TemplateFailure(`unsupported format string passed to ${typeName(value)}.__format__`);
  }
  const layout: Layout = {
    fill: fill ?? (zero === "0" ? "0" : " "),
    align:
      align === "<" || align === ">" || align === "^" || align === "="
        ? align
        : zero === "0" && isNumber
          ? "="
          : isNumber
            ? ">"
            : "<",
    sign: sign === undefined || sign === "" ? "-" : sign,
    alternate: alternate === "#",
    width: Number(width ?? 0),
    grouping: grouping ?? "",
    precision: precision === undefined ? undefined : Number(precision),
    type: type ?? "",
  };
  if (typeof value === "string") {
    if (!/^s?$/.test(layout.type)) {
      throw new TemplateFailure(`Unknown format code '${layout.type}' for object of type 'str'`);
    }
    const shown = layout.precision === undefined ? value : [...value].slice(0, layout.precision).join("");
    return padded(shown, "", layout);
  }
  if (layout.type === "s" || (value instanceof Float && /[bcdoxX]/.test(layout.type))) {
    throw new TemplateFailure(`Unknown format code '${layout.type}' for object of type '${typeName(value)}'`);
  }
  if (layout.type === "c") return padded(String.fromCodePoint(asNumber(value) ?? 0), "", layout);
  return formatNumber(value, layout);
}

const field = /\{\{|\}\}|\{([^{}!:]*)(?:!([rsa]))?(?::((?:[^{}]|\{[^{}]*\})*))?\}|[{}]/gsu;

/**
 * Python's `text.format(…)`.
 * @param lookUp resolves `name`, `name.attribute` and `name[index]` of a field
 */
export function braceFormat(
  text: string,
  lookUp: (name: string, automatic: () => number) => Value,
  run: Run,
): string {
  let next = 0;
  const automatic = () => next++;
  const expand = (part: string): string =>
    part.replace(
      field,
      (whole, name: string | undefined, shown: string | undefined, spec: string | undefined) => {
        if (whole === "{{") return "{";
        if (whole === "}}") return "}";
        if (name === undefined) throw new TemplateFailure(`Single '${whole}' encountered in format string`);
        const value = lookUp(name, automatic);
        const written = shown === undefined ? value : shown === "s" ? textOf(value, run) : repr(value, run);
        return formatValue(written, spec === undefined ? "" : expand(spec), run);
      },
    );
  const formatted = expand(text);
  run.text(formatted.length);
  return formatted;
}

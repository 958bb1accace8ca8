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
    if (type === "%" && flags === "" && width === undefined && precision === undefined) return "%";
    if (key !== undefined && dict === undefined) throw new TemplateFailure("format requires a mapping");
    const wide = size(width) ?? 0;
    const digits = size(precision);
    const value = key === undefined ? take() : dict?.get(key);
    if (value === undefined) throw new TemplateFailure(`KeyError: '${key}'`);
    if (key !== undefined) next = given.length;
    const left = flags.includes("-") || wide < 0;
    return formatted1(value, {
      fill: flags.includes("0") && !left && !/[srac]/.test(type) ? "0" : " ",
      align: left ? "<" : flags.includes("0") && !/[srac]/.test(type) ? "=" : ">",
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
      const shown = type === "s" ? textOf(value, run) : repr(value, run);
      const whole = type === "a" ? inAscii(shown) : shown;
      return padded(precision === undefined ? whole : [...whole].slice(0, precision).join(""), "", layout);
    }
    if (type === "c") {
      const code = asInteger(value);
      if (code !== undefined) return padded(String.fromCodePoint(Number(code)), "", layout);
      if (typeof value === "string" && codePointLength(value) === 1) return padded(value, "", layout);
      throw new TemplateFailure("%c requires int or char");
    }
    const number = asNumber(value);
    if (number === undefined || !/[diuoxXeEfFgG]/.test(type)) {
      throw number === undefined
        ? new TemplateFailure(`%${type} format: a real number is required, not ${typeName(value)}`)
        : new TemplateFailure(`unsupported format character '${type}'`);
    }
    if (/[eEfFgG]/.test(type)) return formatNumber(value, { ...layout, precision });
    const whole = asInteger(value) ?? (/[diu]/.test(type) ? BigInt(Math.trunc(number)) : undefined);
    if (whole === undefined)
      throw new TemplateFailure(`%${type} format: an integer is required, not ${typeName(value)}`);
    return formatInteger(whole, { ...layout, zeros: precision ?? 0 });
  }
}

/** Writes characters beyond ASCII as Python's `ascii` does. */
const inAscii = (text: string) =>
  text.replace(/[^\0-\x7f]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    if (code.length < 3) return `\\x${code}`;
    return code.length < 5 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
  });

const signOf = (negative: boolean, { sign }: Layout) => (negative ? "-" : sign === "-" ? "" : sign);

function padded(text: string, sign: string, { fill, align, width }: Layout): string {
  if (width > mostWidth) throw new TemplateFailure(`a format makes a text of ${width} characters`);
  const missing = Math.max(0, width - codePointLength(text) - sign.length);
  if (align === "=") return sign + fill.repeat(missing) + text;
  const before = align === ">" ? missing : align === "^" ? Math.floor(missing / 2) : 0;
  return fill.repeat(before) + sign + text + fill.repeat(missing - before);
}

function formatNumber(value: Value, layout: Layout): string {
  const { precision, type } = layout;
  const whole = asInteger(value);
  if (whole !== undefined && /^[bdoxXn]?$/.test(type)) return formatInteger(whole, { ...layout, zeros: 0 });
  const number = asNumber(value) ?? 0;
  const size = Math.abs(number);
  const negative = number < 0 || Object.is(number, -0);
  const digits = precision ?? 6;
  const shown = Number.isFinite(size) ? finiteText(size, digits, layout) : floatText(size);
  const cased = /[EFG]/.test(type) ? shown.toUpperCase() : shown;
  return grouped(cased, signOf(negative, layout), layout);
}

const bases: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16, X: 16 };

/** @param layout with the least number of digits, which only `%` has */
function formatInteger(whole: number | bigint, layout: Layout & { readonly zeros: number }): string {
  const { alternate, type, zeros } = layout;
  const base = bases[type];
  const digits = BigInt(whole < 0 ? -BigInt(whole) : whole)
    .toString(base ?? 10)
    .padStart(zeros, "0");
  const prefix = alternate && base !== undefined ? `0${type}` : "";
  return grouped(type === "X" ? digits.toUpperCase() : digits, signOf(whole < 0, layout) + prefix, layout);
}

function finiteText(size: number, digits: number, { type, precision, alternate }: Layout): string {
  if (digits > 100) throw new TemplateFailure(`a format asks for ${digits} digits`);
  const lower = type.toLowerCase();
  // The alternate form keeps the point of a number without digits after it.
  const pointed = (text: string) =>
    alternate && !text.includes(".") ? text.replace(/^\d+/, (whole) => `${whole}.`) : text;
  if (lower === "f") return pointed(fixedText(size, digits));
  if (lower === "%") return `${pointed(fixedText(size * 100, digits))}%`;
  if (lower === "e") return pointed(pythonExponent(size.toExponential(digits)));
  if (lower === "" && precision === undefined) return pointed(floatText(size));
  const significant = Math.max(1, digits);
  const exponent = size === 0 ? 0 : Number(/e(.*)$/.exec(size.toExponential(significant - 1))?.[1]);
  // Without a type, Python's format keeps one digit after the point, and goes to an exponent one digit earlier.
  const most = lower === "" ? significant - 1 : significant;
  const strip = (text: string) => (alternate || !text.includes(".") ? text : text.replace(/\.?0+$/, ""));
  if (exponent < -4 || exponent >= most) {
    const [mantissa, power] = pythonExponent(size.toExponential(significant - 1)).split("e");
    return pointed(`${strip(mantissa ?? "")}e${power}`);
  }
  const text = strip(fixedText(size, Math.max(0, significant - 1 - exponent)));
  return lower === "" && !text.includes(".") ? `${text}.0` : pointed(text);
}

/** Pads a number and separates its groups of digits. Zeros that fill it after its sign are digits like the others. */
function grouped(text: string, sign: string, layout: Layout): string {
  const { grouping, type, width, fill, align } = layout;
  if (grouping === "" || !/^[\dA-Fa-f]/.test(text)) return padded(text, sign, layout);
  const isInBase = bases[type] !== undefined;
  const size = isInBase ? 4 : 3;
  const [whole = "", rest = ""] = isInBase ? [text] : [/^\d+/.exec(text)?.[0], text.replace(/^\d+/, "")];
  const separated = (digits: string) =>
    digits.replace(new RegExp(`\\B(?=([\\dA-Fa-f]{${size}})+$)`, "g"), grouping);
  if (fill !== "0" || align !== "=" || width > mostWidth)
    return padded(separated(whole) + rest, sign, layout);
  const room = width - sign.length - rest.length;
  // Each group takes its digits and a separator; a separator never comes first.
  const least = Math.floor(room / (size + 1)) * size + Math.max(1, room % (size + 1));
  return sign + separated(room > 0 ? whole.padStart(least, "0") : whole) + rest;
}

/** Returns why Python refuses such parts of a specification together; undefined if it does not. */
function refusal(value: Value, given: Readonly<Record<string, string | undefined>>): string | undefined {
  const { sign, alternate, align, grouping, precision, type = "" } = given;
  const isText = typeof value === "string";
  if (grouping && (isText || /[nsc]/.test(type) || (grouping === "," && /[boxX]/.test(type))))
    return `Cannot specify '${grouping}' with '${type || "s"}'.`;
  if (isText && sign) return `${sign === " " ? "Space" : "Sign"} not allowed in string format specifier`;
  if (isText && alternate) return "Alternate form (#) not allowed in string format specifier";
  if (isText && align === "=") return "'=' alignment not allowed in string format specifier";
  if (isText || value instanceof Float) return undefined;
  if (precision !== undefined && /^[bcdoxXn]?$/.test(type))
    return "Precision not allowed in integer format specifier";
  if (type === "c" && sign) return "Sign not allowed with integer format specifier 'c'";
  if (type === "c" && alternate) return "Alternate form (#) not allowed with integer format specifier 'c'";
  return undefined;
}

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
  const refused = refusal(value, { sign, alternate, align, grouping, precision, type });
  if (refused !== undefined) throw new TemplateFailure(refused);
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
  let numbered: boolean | undefined;
  const automatic = () => next++;
  const expand = (part: string): string =>
    part.replace(
      field,
      (whole, name: string | undefined, shown: string | undefined, spec: string | undefined) => {
        if (whole === "{{") return "{";
        if (whole === "}}") return "}";
        if (name === undefined) throw new TemplateFailure(`Single '${whole}' encountered in format string`);
        const isNumbered = /^\d/.test(name);
        if (isNumbered || /^(?:$|[.[])/.test(name)) {
          if (numbered !== undefined && numbered !== isNumbered)
            throw new TemplateFailure(
              isNumbered
                ? "cannot switch from automatic field numbering to manual field specification"
                : "cannot switch from manual field specification to automatic field numbering",
            );
          numbered = isNumbered;
        }
        const value = lookUp(name, automatic);
        const written = shown === undefined ? value : shown === "s" ? textOf(value, run) : repr(value, run);
        return formatValue(written, spec === undefined ? "" : expand(spec), run);
      },
    );
  const formatted = expand(text);
  run.text(formatted.length);
  return formatted;
}

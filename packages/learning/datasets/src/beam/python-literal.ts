/** A text of Python's literals: what lies between texts, the three constants, and texts in either quotation mark. */
const token = /'((?:[^'\\]|\\[\s\S])*)'|"((?:[^"\\]|\\[\s\S])*)"|\b(?:True|False|None)\b/g;
const constants: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };
const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
  v: "\v",
  a: "\x07",
  0: "\0",
};

/**
 * Parses lists, dictionaries, texts and numbers as Python writes them (`repr`), or the same in JSON.
 * @returns the value, or undefined if the text is neither
 */
export function parsePythonLiteral(text: string): unknown {
  const json = text.replace(token, (whole, single?: string, double?: string) => {
    const quoted = single ?? double;
    return quoted === undefined ? (constants[whole] as string) : JSON.stringify(unescaped(quoted));
  });
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

const unescaped = (quoted: string): string =>
  quoted.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([\s\S]))/g,
    (_, two?: string, four?: string, eight?: string, sign = "") => {
      const code = two ?? four ?? eight;
      if (code === undefined) return sign === "\n" ? "" : (escapes[sign] ?? sign);
      return String.fromCodePoint(Number.parseInt(code, 16));
    },
  );

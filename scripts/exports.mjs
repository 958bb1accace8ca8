// What the entry points of packages export, and the comments that document it: read from the text of sources or of built
// `.d.ts` files, whose declarations begin in the first column.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * @typedef {object} Exported
 * @property {string} name
 * @property {string} file  where it is declared
 * @property {string} comment  its doc comment without the stars; empty if it has none
 * @property {string} declaration  its text, overloads included
 */

const texts = new Map();
function textOf(file) {
  if (!texts.has(file)) texts.set(file, readFileSync(file, "utf8").replaceAll("\r\n", "\n"));
  return texts.get(file);
}

const word =
  "(?:declare |default |abstract |async )*(?:function\\*?|class|interface|type|const|let|namespace)";

/** Returns the text of a declaration that begins at an index: up to the line that closes it in the first column. */
function declarationAt(text, start) {
  const lines = text.slice(start).split("\n");
  // A type whose alternatives have comments of their own: those stand in the first column, too.
  if (/=\s*$/.test(lines[0]) && /^\S/.test(lines[1] ?? ""))
    return lines.slice(0, lines.findIndex((line) => /^ ?\S.*;$/.test(line)) + 1).join("\n");
  const opens = /[[({]$|=$|=>$|[|&,]$/.test(lines[0]);
  const next = lines.findIndex((line, index) => index > 0 && !/^[ \t})\]>|&]/.test(line));
  const end = opens || /^[ })\]]/.test(lines[1] ?? "") ? next : 1;
  return lines
    .slice(0, end < 0 ? lines.length : end)
    .join("\n")
    .trimEnd();
}

/** Finds a declaration in its own file. */
function declared(file, name) {
  const text = textOf(file);
  const found = [...text.matchAll(new RegExp(`^(?:export )?${word} ${name.replace("$", "\\$")}\\b`, "gm"))];
  if (found.length === 0) return undefined;
  const comments = found.map(({ index }) => {
    const before = text.slice(0, index).trimEnd();
    const start = before.endsWith("*/") ? before.lastIndexOf("/**") : -1;
    return start < 0 || before.indexOf("*/", start) !== before.length - 2 ? "" : before.slice(start + 3, -2);
  });
  const comment = (comments.find(Boolean) ?? "").replace(/^[ \t]*\*[ \t]?/gm, "").trim();
  return {
    name,
    file,
    comment,
    declaration: found.map(({ index }) => declarationAt(text, index)).join("\n"),
  };
}

/**
 * Lists the exports of an entry point, each as its declaration. What comes from packages that `resolve` does not know is
 * left out.
 *
 * @param {string} file  a source or a `.d.ts` file
 * @param {(specifier: string) => string | undefined} resolve  the entry point of another package
 * @returns {Map<string, Exported>} by exported name
 */
export function exportsOf(file, resolve, seen = new Set()) {
  const found = new Map();
  if (seen.has(file)) return found;
  seen.add(file);
  const text = textOf(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const target = (specifier) => {
    if (!specifier.startsWith(".")) return resolve(specifier);
    const path = join(dirname(file), specifier);
    const ends = file.endsWith(".d.ts") ? [".d.ts"] : [".ts", ".tsx"];
    return ends.map((end) => path.replace(/\.jsx?$/, end)).find(existsSync);
  };
  const from = (specifier, inner, outer) => {
    const at = target(specifier);
    if (at === undefined) return;
    const one = exportsOf(at, resolve).get(inner) ?? declared(at, inner);
    if (one !== undefined) found.set(outer, one);
  };
  for (const [, specifier] of text.matchAll(/^export (?:type )?\* from "([^"]+)"/gm)) {
    const at = target(specifier);
    if (at !== undefined) for (const [name, one] of exportsOf(at, resolve, seen)) found.set(name, one);
  }
  const imported = new Map();
  for (const [, names, specifier] of text.matchAll(/^import (?:type )?\{([^}]*)\} from "([^"]+)"/gm))
    for (const [inner, outer] of namesIn(names)) imported.set(outer, [specifier, inner]);
  for (const [, names, specifier] of text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from "([^"]+)")?/gm)) {
    for (const [inner, outer] of namesIn(names)) {
      if (specifier !== undefined) from(specifier, inner, outer);
      else if (imported.has(inner)) from(...imported.get(inner), outer);
      else if (declared(file, inner)) found.set(outer, declared(file, inner));
    }
  }
  for (const [, name] of text.matchAll(new RegExp(`^export ${word} ([\\w$]+)`, "gm")))
    found.set(name, declared(file, name));
  return found;
}

/**
 * Lists the classes of the same package that a class extends, the nearest first.
 *
 * @param {Exported} one
 * @returns {Exported[]}
 */
export function basesOf({ file, declaration }) {
  const [, name] = /\bclass [\w$]+(?:<.*?>)? extends ([\w$]+)/.exec(declaration) ?? [];
  const [, specifier] =
    new RegExp(`^import (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from "(\\.[^"]+)"`, "m").exec(textOf(file)) ??
    [];
  const end = file.endsWith(".d.ts") ? ".d.ts" : ".ts";
  const at = specifier ? join(dirname(file), specifier).replace(/\.js$/, end) : file;
  const base = name === undefined ? undefined : declared(at, name);
  return base === undefined ? [] : [base, ...basesOf(base)];
}

/** Returns [inner, outer] of each name in the braces of an import or export. */
function namesIn(list) {
  return list
    .split(",")
    .map((one) => one.trim().replace(/^type /, ""))
    .filter(Boolean)
    .map((one) => one.split(" as "))
    .map(([inner, outer = inner]) => [inner, outer]);
}

/**
 * Finds the entry points of the workspace's packages.
 *
 * @param {string} root
 * @param {readonly string[]} manifests  paths of `package.json` files
 * @param {"@palimpsest/source" | "types"} condition  whether sources or built declarations are read
 * @returns {Map<string, string>} a file by what is imported, such as `@palimpsest/client/find-head`
 */
export function entryPoints(root, manifests, condition) {
  const found = new Map();
  for (const manifest of manifests) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, manifest), "utf8"));
    for (const [path, conditions] of Object.entries(exports)) {
      const file = conditions[condition] && join(root, dirname(manifest), conditions[condition]);
      if (file && existsSync(file)) found.set(join(name, path), file);
    }
  }
  return found;
}

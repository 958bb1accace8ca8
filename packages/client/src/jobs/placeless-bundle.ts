/**
 * Removes the locations of packages from a bundle. esbuild writes the path of each module into a comment, into the
 * wrapper of a CommonJS module and into the source map, and the path of a package depends on which parent folder
 * contains it.
 */
import { bundledName } from "@palimpsest/wire";

const mapComment = /\/\/# sourceMappingURL=data:application\/json;base64,([A-Za-z0-9+/=]+)\s*$/;
/** Matches a comment on its own line, or the name of a CommonJS module. */
const named = /^( *)\/\/ (.+)$|^( *)"([^"\n]+)"(?=\(.*\) \{$)/gm;

/**
 * @param inputs paths of the bundled modules as esbuild writes them
 * @param entry the name of the bundled module, which the bundle states in its last line for messages about it
 */
export function placelessBundle(bytes: Uint8Array, inputs: readonly string[], entry: string): Uint8Array {
  const moved = new Map(inputs.map((path) => [path, placeless(path)]));
  const text = Buffer.from(bytes).toString("utf8");
  const map = mapComment.exec(text);
  const code = text.slice(0, map?.index).replace(named, (whole, indent, comment, margin, module) => {
    const name = moved.get(comment ?? module);
    if (name === undefined) return whole;
    return comment === undefined ? `${margin}"${name}"` : `${indent}// ${name}`;
  });
  const entryLine = `// The module is ${entry}\n`;
  return Buffer.from(map === null ? code : `${code}${entryLine}${placelessMap(map[1] ?? "")}`);
}

/** Names files in stack traces relative to their package, and a package's file as `node_modules/PACKAGE/FILE`. */
function placelessMap(base64: string): string {
  const map = JSON.parse(Buffer.from(base64, "base64").toString("utf8")) as { readonly sources: string[] };
  const json = JSON.stringify(
    { ...map, sources: map.sources.map((path) => bundledName(placeless(path))) },
    null,
    2,
  );
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(json).toString("base64")}\n`;
}

function placeless(path: string): string {
  const at = path.lastIndexOf("node_modules/");
  return at === -1 ? path : path.slice(at);
}

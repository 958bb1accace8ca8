// The commands that the documents show: what stands in fences without a language, `sh`, `bash` or `console`.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** @returns {string[]} paths of Markdown files below the folder, relative to `root` */
export function markdownBelow(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules" || entry.name === "dist") return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdownBelow(root, path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

/** Lines of each fence: those that a backslash continues are joined. */
function fences(text) {
  const all = [...text.matchAll(/^ *```([^\n]*)\n([\s\S]*?)^ *```$/gm)];
  return all
    .filter(([, language]) => ["", "sh", "bash", "console"].includes(language))
    .map(([, , block]) =>
      block
        .replaceAll(/\\\n\s*/g, " ")
        .split("\n")
        .map((line) => line.trim()),
    );
}

const program = /^(?:[A-Z_]+=\S+ )*(?:npx |npm |node (?!node-)[\w-]*[./]|palimpsest |curl |python3 [\w-]*\/)/;

/**
 * A fence with a line that begins with `$ ` is a recorded terminal: only such lines are commands. Of others each line is
 * one that begins with a program, or an `export` for the lines after it in its document.
 * @returns {{ file: string, line: string, exported: string[] }[]} comments are gone; `exported` is as `NAME=value`
 */
export function documentedCommands(root, files) {
  return files.flatMap((file) => {
    let exported = [];
    return fences(readFileSync(join(root, file), "utf8")).flatMap((lines) => {
      const isRecorded = lines.some((line) => line.startsWith("$ "));
      return lines
        .filter((line) => !isRecorded || line.startsWith("$ "))
        .map((line) => line.replace(/^\$ /, "").replace(/ +#.*$/, ""))
        .flatMap((line) => {
          const [, variable] = /^export ([A-Z_]+=\S+)$/.exec(line) ?? [];
          if (variable !== undefined) exported = [...exported, variable];
          const isCommand = program.test(line) && !/^palimpsest [a-z -]+ [A-Z…]+ {2,}/.test(line);
          return isCommand ? [{ file, line, exported }] : [];
        });
    });
  });
}

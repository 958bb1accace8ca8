// Programs and data that documents show in fences: TypeScript that imports something is compiled against the packages of the
// sandbox, which are those that users install, JSON and YAML are parsed. A fence with `…` stands for more than it shows and is
// left out.
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Names that a fence takes from the text around it: "cannot find name", also as a short property, like another, or of a browser. */
const ofTheText = new Set([2304, 18004, 2552, 2584]);

/** @returns {{ where: string, language: string, code: string }[]} */
function fencesOf(root, file) {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/^```(ts|json|yaml)\n([\s\S]*?)^```$/gm)]
    .filter(([, , code]) => !code.includes("…"))
    .map(({ index, 1: language, 2: code }) => ({
      where: `${file}:${text.slice(0, index).split("\n").length}`,
      language,
      code,
    }));
}

/** Several documents of one fence: alternatives that repeat a key, as `model:` four times, are read line by line. */
function parseYaml(code, { parse }) {
  const keys = [...code.matchAll(/^(\w+):/gm)].map(([, key]) => key);
  const texts = new Set(keys).size === keys.length ? [code] : code.trimEnd().split(/\n(?=\S)/);
  for (const text of texts) {
    try {
      parse(text);
    } catch (reason) {
      // A part of a recipe may name what another part of it says.
      if (!/^Unresolved alias/.test(reason.message)) throw reason;
    }
  }
}

/** Writes the fences, those of one document into one folder: one that begins with a file's name is imported by others. */
function writeFences(folder, fences) {
  return fences.map(({ where, code }, index) => {
    const own = join(folder, where.replace(/:\d+$/, "").replaceAll("/", "_"));
    const path = join(own, /^\/\/ (\w[\w-]*\.ts)\n/.exec(code)?.[1] ?? `snippet-${index}.ts`);
    mkdirSync(own, { recursive: true });
    writeFileSync(path, code);
    return { where, code, path, own };
  });
}

/** Imports of files that the document only tells of: without their types nothing can be said of the rest. */
const isWhole = ({ code, own }) =>
  [...code.matchAll(/ from "\.\/([\w-]+)\.js"/g)].every(([, name]) => existsSync(join(own, `${name}.ts`)));

/** @returns {string[]} what the compiler says, by document and line */
function compile(root, folder, fences) {
  // TypeScript 7 has no interface for programs yet: dependency-cruiser brings the last one that has it.
  const ts = createRequire(realpathSync(join(root, "node_modules/dependency-cruiser/package.json")))(
    "typescript",
  );
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const programs = writeFences(folder, fences).filter(isWhole);
  const options = {
    ...{ strict: true, noImplicitAny: false, noEmit: true, skipLibCheck: true, types: ["node"] },
    ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, lib: ["lib.es2023.d.ts"] },
    typeRoots: [join(root, "node_modules/@types")],
  };
  const program = ts.createProgram(
    programs.map(({ path }) => path),
    options,
  );
  return programs.flatMap(({ path, where }) => {
    const source = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
      .filter(({ code }) => !ofTheText.has(code))
      .map(({ start, messageText }) => {
        const { line } = source.getLineAndCharacterOfPosition(start);
        return `${where}, line ${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
      });
  });
}

/** @returns {{ checked: number, wrong: string[] }} */
export function checkSnippets(root, folder, files) {
  const all = files.flatMap((file) => fencesOf(root, file));
  const programs = all.filter(
    ({ language, code }) => language === "ts" && /^(import |\/\/ [\w-]+\.ts\n)/m.test(code),
  );
  const yaml = createRequire(join(root, "packages/learning/trainer/package.json"))("yaml");
  const data = all.filter(({ language }) => language !== "ts");
  const wrong = data.flatMap(({ where, language, code }) => {
    try {
      if (language === "json") JSON.parse(code);
      else parseYaml(code, yaml);
      return [];
    } catch (reason) {
      return [`${where}: ${reason.message}`];
    }
  });
  return { checked: programs.length + data.length, wrong: [...wrong, ...compile(root, folder, programs)] };
}

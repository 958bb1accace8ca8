#!/usr/bin/env node
// `npm run api`: what the packages export, compared with the reports in api/. A difference fails `npm run verify` until
// `npm run api -- --accept` has written it there, where a reviewer reads it.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { basesOf, entryPoints, exportsOf } from "./exports.mjs";
import { packageFolders, root } from "./setup/paths.mjs";

/** The packages that programs import: `@palimpsest/runtime` exports what client does, the others are parts of these. */
const libraries = ["agents", "client", "engines", "evals", "jit", "memory", "rewards"];
const folder = join(root, "api");
const title =
  "<!-- Written by scripts/api.mjs: `npm run api -- --accept` accepts what the package exports. -->\n";

/** A declaration without comments and what is not for others: what remains is what programs can be broken by. */
function surface(declaration) {
  return declaration
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== "" && !/^\s*(#|private |protected #|\/\/)/.test(line))
    .join("\n");
}

/** The report of one package: its entry points, each with its declarations in the order of their names. */
function reportOf(name, own, entries) {
  const resolve = (specifier) => entries.get(specifier);
  const sections = [...own].map(([entry, file]) => {
    const parts = [...exportsOf(file, resolve)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([exported, one]) => {
        const at = relative(root, one.file);
        // What another package declares stands in its report.
        if (!at.startsWith(`${packageFolders.get(name)}/`))
          return `export { ${exported} } // ${at.split("/").slice(0, 3).at(-1)}`;
        const renamed = exported === one.name ? "" : `// as ${exported}\n`;
        return renamed + [one, ...basesOf(one)].map((each) => surface(each.declaration)).join("\n");
      });
    return `## ${entry}\n\n\`\`\`ts\n${parts.join("\n")}\n\`\`\`\n`;
  });
  return `# ${name}\n\n${title}\n${sections.join("\n")}`;
}

/** Reports by the name of their file. */
function reports() {
  const manifests = [...packageFolders.values()].map((path) => `${path}/package.json`);
  const entries = entryPoints(root, manifests, "types");
  const found = new Map();
  for (const name of libraries) {
    const scope = `@palimpsest/${name}`;
    // What is for tests changes with them.
    const own = [...entries].filter(
      ([entry]) => (entry === scope || entry.startsWith(`${scope}/`)) && !/\/testing$|\/bundled/.test(entry),
    );
    found.set(`${name}.md`, reportOf(name, own, entries));
  }
  return found;
}

/** Lines that only one of two texts has, with what was done to them. */
function differences(before, after) {
  const [old, now] = [before, after].map((text) => text.split("\n"));
  const [had, has] = [new Set(old), new Set(now)];
  const lines = [
    ...old.filter((line) => !has.has(line)).map((line) => `    - ${line}`),
    ...now.filter((line) => !had.has(line)).map((line) => `    + ${line}`),
  ];
  // The same lines in another order, or more often.
  return lines.length > 0 ? lines : ["    the order of its lines"];
}

/** The packages whose surface is not that of their report, each with what differs. */
export function apiProblems() {
  const now = reports();
  const committed = existsSync(folder) ? readdirSync(folder) : [];
  return [...new Set([...now.keys(), ...committed])].sort().flatMap((file) => {
    const before = committed.includes(file) ? readFileSync(join(folder, file), "utf8") : "";
    const after = now.get(file) ?? "";
    if (before === after) return [];
    return [
      `api/${file}: the package exports something else; \`npm run api -- --accept\` accepts it`,
      ...differences(before, after),
    ];
  });
}

function accept() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [file, text] of reports()) writeFileSync(join(folder, file), text);
}

if (import.meta.filename === process.argv[1]) {
  const args = process.argv.slice(2);
  const unknown = args.find((arg) => arg !== "--accept");
  if (unknown !== undefined) {
    process.stderr.write(`unknown argument ${unknown}: give --accept, or nothing to compare\n`);
    process.exit(2);
  }
  const problems = apiProblems();
  if (args.includes("--accept")) accept();
  process.stdout.write(problems.map((line) => `${line}\n`).join(""));
  if (problems.length > 0 && !args.includes("--accept")) process.exit(1);
}

// The invariants: what the comments of files and classes state, and which tests cite them.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { packageFolders, root } from "./setup/paths.mjs";

/** The packages whose files state invariants, in the order of the document. */
const packages = [
  "wire",
  "telemetry",
  "scheduler",
  "head",
  "node",
  "client",
  "worker",
  "autoscaler",
  "memory",
  "trajectories",
  "jit",
  "datasets",
  "model",
  "agents",
  "engines",
  "rewards",
  "learner",
  "evals",
  "small-world",
  "dashboard",
  "trainer",
  "cli",
];

/** A number without its subject. The laws of a whole run, T1 to T6 of docs/architecture.md, have none. */
const unprefixed = /^[A-SU-Z]\d/;

/** A line of a comment that begins an invariant: its number, what it serves in parentheses, its sentence. */
const begins = /^ \* {1,2}(?:- )?(?<id>[A-Z][A-Z-]*-?\d+)(?: \([^)]*\))?\. (?<text>.*)$/;

function filesIn(folder, ends) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && entry.name.endsWith(ends) && !entry.parentPath.includes("node_modules"),
    )
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

/** Invariants of one file, from its comments. */
function statedIn(file) {
  const found = [];
  let open;
  for (const line of readFileSync(join(root, file), "utf8").split("\n")) {
    const { id, text } = begins.exec(line.trimEnd())?.groups ?? {};
    if (id !== undefined) {
      open = { id, file, text };
      found.push(open);
    } else if (open !== undefined && /^ \* {2,}\S/.test(line)) open.text += ` ${line.slice(3).trim()}`;
    else open = undefined;
  }
  return found;
}

/** What all the tests say: those beside the sources, the stories, the simulation. */
function testText() {
  const beside = [...packageFolders.values()].flatMap((folder) => filesIn(`${folder}/src`, ".test.ts"));
  return [...beside, ...filesIn("test", ".ts")]
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n");
}

/** @returns the invariants by package, and what is wrong with them, one line each */
export function invariantsByPackage() {
  const stated = new Map(
    packages.map((name) => [
      name,
      filesIn(`${packageFolders.get(name)}/src`, ".ts")
        .filter((file) => !file.endsWith(".test.ts"))
        .flatMap(statedIn),
    ]),
  );
  const problems = [];
  const fileOf = new Map();
  const cited = new Set(testText().match(/\b[A-Z][A-Z-]*-?\d+\b/g));
  for (const { id, file } of [...stated.values()].flat()) {
    const other = fileOf.get(id);
    if (other !== undefined)
      problems.push(`${id} is stated by both ${other} and ${file}: give one of them another number`);
    fileOf.set(id, file);
    if (unprefixed.test(id))
      problems.push(`${id} of ${file} has no prefix: put its subject in front, as in LINK-2`);
    if (!cited.has(id))
      problems.push(
        `${id} of ${file} is cited by no test: put it into the name of the test that verifies it`,
      );
  }
  return { stated, problems };
}

// The tarballs as a stranger has them: installed by the npm of the PATH into an empty project of a user with an empty home, install
// scripts as that npm treats them, and README's programs run there.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { makeEmptyProject } from "../pack/project.mjs";
import { root } from "../setup/paths.mjs";

const facts = "jana likes jugs. rain and wind. dora likes rings. snow and fog. bill likes boats.\n";

/** Runs a command, shows what it prints, and returns its standard output. @throws where it fails or prints something else */
function step(command, args, { expected, ...options }) {
  const startedAt = performance.now();
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8", ...options });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const line = [command, ...args.map((arg) => arg.replace(/^.*\/(?=[^/]+\.tgz$)/, ""))].join(" ");
  if (status !== 0 || (expected !== undefined && !expected.test(stdout)))
    throw new Error(
      `\`${line}\` ended with ${status ?? error} after ${seconds} s${expected ? `, and was to print ${expected}` : ""}:\n${stdout}${stderr}`,
    );
  process.stdout.write(`  ✓ ${line.length > 100 ? `${line.slice(0, 97)}…` : line} (${seconds} s)\n`);
  return { stdout, stderr };
}

/**
 * The environment of a user with an empty home: without the variables of `npm run`, of this checkout and of configurations.
 * There is no libtensorflow, unless PALIMPSEST_CACHE names a folder that has one.
 */
function strangers(home) {
  const others = Object.entries(process.env).filter(
    ([name]) => name === "PALIMPSEST_CACHE" || !/^(PALIMPSEST_|npm_|XDG_|NODE_OPTIONS$)/.test(name),
  );
  const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.startsWith(root));
  return { ...Object.fromEntries(others), HOME: home, PATH: path.join(delimiter), NO_COLOR: "1" };
}

/** Installs all tarballs of a folder and runs the programs. */
export function tryRelease(folder) {
  const home = mkdtempSync(join(tmpdir(), "palimpsest-home-"));
  try {
    const project = join(home, "project");
    makeEmptyProject(project);
    const files = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
    const options = { cwd: project, env: strangers(home), maxBuffer: 1 << 28 };
    process.stdout.write(
      `npm ${step("npm", ["--version"], options).stdout.trim()}, Node.js ${process.version}\n`,
    );
    const flags = ["--no-audit", "--no-fund", "--min-release-age=7"];
    const { stderr } = step(
      "npm",
      ["install", ...flags, ...files.map((name) => join(folder, name))],
      options,
    );
    const blocked = [
      ...new Set([...stderr.matchAll(/install-scripts {3}(\S+@\S+) \(/g)].map(([, name]) => name)),
    ];
    process.stdout.write(`  install scripts that npm blocked: ${blocked.sort().join(", ") || "none"}\n`);
    step("npm", ["install", ...flags, "--save-dev", "tsx"], options);
    const listed = step("npm", ["ls", "--all", "--parseable"], options).stdout.split("\n");
    const third = listed.filter(
      (path) => /node_modules/.test(path) && !/node_modules\/(@palimpsest\/[a-z-]+|palimpsest)$/.test(path),
    );
    process.stdout.write(`  ${third.length} packages of others, tsx and optional ones included\n`);
    mkdirSync(join(project, "examples"), { recursive: true });
    cpSync(join(root, "examples/hello"), join(project, "examples/hello"), { recursive: true });
    writeFileSync(join(project, "notes.txt"), facts);
    const npx = (args, expected) => step("npx", ["--no-install", ...args], { ...options, expected });
    npx(["palimpsest", "dev", "--", "npx", "tsx", "examples/hello/main.ts"], /^2\n1,4,9\n/m);
    npx(["palimpsest", "quickstart", "--steps", "3", "--run-dir", "runs/first"]);
    npx(["palimpsest", "ask", "notes.txt", "-q", "what does bill like?", "--model", "runs/first"], /\S/);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

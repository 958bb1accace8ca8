import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { findFile, importablePackages } from "./installed.js";
import type { ModuleRole } from "./module-fields.js";

export interface TypeCheck {
  /** Errors as `file:line:column: what is wrong`; empty if there are none. */
  readonly errors: readonly string[];
  /** The reason why nothing could be checked; absent if the check was done. */
  readonly unchecked?: string;
}

/** The type of a module's default export, and the function that makes one, by the module's role. */
export const moduleTypes: Readonly<
  Record<ModuleRole, { readonly from: string; readonly type: string; readonly define: string }>
> = {
  agent: { from: "@palimpsest/agents", type: "AgentModule", define: "defineAgent" },
  reward: { from: "@palimpsest/rewards", type: "RewardModule", define: "defineReward" },
  data: { from: "@palimpsest/datasets", type: "DataModule", define: "defineData" },
  advantage: { from: "@palimpsest/learner", type: "AdvantageModule", define: "defineAdvantage" },
};

/** It only ends a compiler that hangs: a busy machine may take minutes. */
const timeoutMs = 600_000;
const mostErrors = 5;

/** A module, and its role. */
interface CheckedModule {
  readonly path: string;
  readonly role: ModuleRole;
}

/** Checks TypeScript modules against the interfaces of their roles, using the installed compiler. */
export async function checkTypes(
  modules: readonly CheckedModule[],
  signal?: AbortSignal,
): Promise<TypeCheck> {
  const typed = modules.filter(({ path }) => /\.[cm]?tsx?$/.test(path));
  const [first] = typed;
  if (first === undefined) return { errors: [] };
  const compiler = findFile("typescript", "bin/tsc", first.path);
  if (compiler === undefined)
    return {
      errors: [],
      unchecked: "TypeScript is not installed; run `npm install typescript` in the module's folder",
    };
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-types-"));
  try {
    const checks = new Map(typed.map((module, place) => [resolve(folder, `check-${place}.ts`), module]));
    for (const [file, { path, role }] of checks) {
      const { from, type } = moduleTypes[role];
      const lines = [
        `import type { ${type} } from ${JSON.stringify(from)};`,
        `import exported from ${JSON.stringify(path)};`,
        `export const checked: ${type} = exported;`,
      ];
      await writeFile(file, `${lines.join("\n")}\n`);
    }
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(projectOf(first.path, [...checks.keys()])));
    return { errors: errorsIn(await compile(compiler, folder, signal), folder, checks) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function projectOf(path: string, files: readonly string[]): object {
  const packages = [...importablePackages()].map(([name, folder]) => [
    name,
    [join(folder, "dist/index.d.ts")],
  ]);
  const nodeTypes = findFile("@types/node", "package.json", path);
  return {
    compilerOptions: {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: "es2023",
      module: "preserve",
      moduleResolution: "bundler",
      allowImportingTsExtensions: true,
      paths: Object.fromEntries(packages),
      ...(nodeTypes === undefined
        ? { types: [] }
        : // The web APIs that they use are among the types of Node.js; a browser's types would be a third of all that is read.
          { types: ["node"], typeRoots: [dirname(dirname(nodeTypes))], lib: ["es2023"] }),
    },
    files,
  };
}

function compile(compiler: string, folder: string, signal: AbortSignal | undefined): Promise<string> {
  return new Promise((done, fail) => {
    const options = { cwd: folder, timeout: timeoutMs, ...(signal ? { signal } : {}) };
    execFile(process.execPath, [compiler, "-p", folder, "--pretty", "false"], options, (error, stdout) => {
      // For errors in the source the compiler exits with a number; anything else is not about the source.
      if (error === null || typeof error.code === "number") done(stdout);
      else fail(error);
    });
  });
}

/** Returns one line per error; errors in our generated checks are attributed to the checked modules. */
function errorsIn(said: string, folder: string, checks: ReadonlyMap<string, CheckedModule>): string[] {
  const errors = said.split("\n").flatMap((line) => {
    const [, file, row, column, text] = /^(.+?)\((\d+),(\d+)\): error TS\d+: (.*)$/.exec(line) ?? [];
    if (file === undefined) return [];
    const at = resolve(folder, file);
    const checked = checks.get(at);
    if (checked === undefined) return [`${at}:${row}:${column}: ${text}`];
    const { define } = moduleTypes[checked.role];
    return [
      `${checked.path}:1: the default export has the wrong type (${text}); write \`export default ${define}({ … })\``,
    ];
  });
  return errors.slice(0, mostErrors);
}

/**
 * Tests the packages as users get them: all of them packed, laid out in one empty project, type-checked and run. The
 * tarballs are unpacked as npm does it, and third-party packages are linked from the checkout: no network is needed.
 * `npm run stories` installs them with npm and runs the stories in such a project.
 */
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { proseWith, ReadingServer } from "../packages/apps/cli/src/ask/testing.js";
import { documentedCommands } from "../scripts/docs-check/commands.mjs";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly engines?: { readonly node?: string };
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly bundleDependencies?: readonly string[];
}
interface Tarball {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const script = async (path: string): Promise<unknown> => await import(join(root, "scripts", path));
const { pack } = (await script("pack.mjs")) as { pack: (folder: string) => Promise<Tarball[]> };
const { rowsOf } = (await script("pack/table.mjs")) as {
  rowsOf: (
    tarballs: readonly Tarball[],
  ) => { name: string; size: number; unpackedSize: number; own: number; foreign: number }[];
};
const { overBudget } = (await script("pack/budget.mjs")) as {
  overBudget: (tarballs: readonly Tarball[]) => string[];
};
const { inCheckout, linkTarballs, linkThirdParty, makeEmptyProject } = (await script("pack/project.mjs")) as {
  inCheckout: (name: string) => string | undefined;
  linkTarballs: (project: string, folder: string, tarballs: readonly Tarball[]) => Promise<void>;
  linkThirdParty: (project: string, name: string) => void;
  makeEmptyProject: (project: string) => void;
};
const { carriedBy } = (await script("pack/carried.mjs")) as { carriedBy: (name: string) => string[] };
interface Rule {
  readonly skip?: string;
}
interface Line {
  readonly output: string;
  stop(): Promise<unknown>;
}
interface Sandbox {
  readonly values: Readonly<Record<string, string>>;
  start(line: string, how: { readonly exported: readonly string[] }): Line;
}
const { ruleOf } = (await script("docs-check/rules.mjs")) as {
  ruleOf: (command: { readonly file: string; readonly line: string }) => Rule;
};
const { lineFor, runOne } = (await script("docs-check/run.mjs")) as {
  lineFor: (line: string, rule: Rule, sandbox: Sandbox) => string;
  runOne: (
    line: string,
    rule: Rule,
    sandbox: Sandbox,
    kept: Line[],
    exported: readonly string[],
  ) => Promise<string>;
};
const { startLine } = (await script("docs-check/process.mjs")) as {
  startLine: (line: string, options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) => Line;
};
const run = promisify(execFile);
const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
const own = manifestIn(join(root, "packages/apps/cli")).version;

const folder = mkdtempSync(join(tmpdir(), "palimpsest-packages-"));
const project = join(folder, "project");
const unpacked = join(project, "node_modules");
const program = join(project, "node_modules/palimpsest/bin/palimpsest.js");
let tarballs: Tarball[] = [];

/** The packages that bring others of the project inside of their tarballs. */
const commands = ["palimpsest", "@palimpsest/runtime"];

/** Returns the code fences of a document that begin with the name of a file or with an import. */
function fences(path: string): { readonly name: string | undefined; readonly text: string }[] {
  const text = readFileSync(join(root, path), "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => ({
    name: /^\/\/ (\S+\.ts)\n/.exec(code)?.[1],
    text: code,
  }));
}

/** The complete programs and modules of the guides and READMEs, by the file that they are written to. */
const whole = new Map<string, string>([
  ...["docs/guides/packages.md", "docs/tutorials/actor.md"]
    .flatMap(fences)
    .flatMap(({ name, text }) => (name ? [[name, text] as const] : [])),
  ...fences("docs/guides/your-own-agent.md")
    // The examples for advantages need the learner's types, which come with the command alone.
    .filter(
      ({ text }) =>
        text.startsWith("import ") && text.includes("export default") && !text.includes("/learner"),
    )
    .map(({ text }, place) => [`module-${place}.ts`, text] as const),
  ...["agents", "memory", "engines", "evals"].flatMap((name) =>
    fences(`packages/learning/${name}/README.md`).map(({ text }) => [`readme-${name}.ts`, text] as const),
  ),
]);

/** Compiling takes a while: the tests that need it await it. */
let compiled: Promise<string>;

beforeAll(async () => {
  tarballs = await pack(folder);
  makeEmptyProject(project);
  await linkTarballs(project, folder, tarballs);
  for (const name of ["@types/node", "tsx"]) linkThirdParty(project, name);
  compiled = compile();
  // Each test that awaits it sees its failure; this handler only prevents an unhandled rejection before that.
  compiled.catch(() => undefined);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** @returns the errors of the compiler */
async function compile(): Promise<string> {
  for (const [name, text] of whole) writeFileSync(join(project, name), text);
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    target: "es2023",
    module: "nodenext",
    types: ["node"],
    noEmitOnError: true,
  };
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: [...whole.keys()] }),
  );
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [compiler, "-p", project, "--singleThreaded"]).catch(
    (reason: { stdout: string }) => reason,
  );
  return stdout;
}

/** Returns the folders of the packages inside of an unpacked tarball. */
function packagesInside(of: string): string[] {
  const modules = join(of, "node_modules");
  if (!existsSync(modules)) return [];
  const inside = readdirSync(modules).flatMap((scope) =>
    scope.startsWith("@")
      ? readdirSync(join(modules, scope)).map((name) => join(modules, scope, name))
      : join(modules, scope),
  );
  return inside.flatMap((one) => [one, ...packagesInside(one)]);
}

describe("each tarball", () => {
  it("has a license, a README of one screen, a version, engines and types, and nothing that only a checkout has", () => {
    const { references } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
    const built = references.filter(({ path }: { path: string }) => path.split("/").length === 3);
    expect(tarballs.length).toBe([...built, "runtime", "create"].length);
    for (const { name } of tarballs) {
      const at = join(unpacked, name);
      const text = readFileSync(join(at, "package.json"), "utf8");
      expect(text, name).not.toMatch(/workspace:|@palimpsest\/source|"private"|devDependencies/);
      const manifest = manifestIn(at);
      expect(manifest, name).toMatchObject({ name, version: own, license: "Apache-2.0" });
      expect(manifest.engines?.node, name).toBe(">=20.19");
      expect(readFileSync(join(at, "LICENSE"), "utf8"), name).toContain("Apache License");
      const readme = readFileSync(join(at, "README.md"), "utf8").split("\n");
      expect(readme.length, name).toBeLessThanOrEqual(50);
      expect(readme[0], name).toBe(`# ${name}`);
      // What is only in a checkout is told to those who have one.
      expect(readme.join("\n"), name).not.toMatch(/docs\/|npm test/);
      for (const target of Object.values(manifest.exports ?? {}).flatMap((one) =>
        typeof one === "string" ? [one] : Object.values(one),
      ))
        expect(existsSync(join(at, target)), `${name} exports ${target}`).toBe(true);
      for (const target of Object.values(manifest.bin ?? {}))
        expect(existsSync(join(at, target)), `${name} runs ${target}`).toBe(true);
      const files = readdirSync(at, { recursive: true, encoding: "utf8" });
      expect(
        files.filter(
          (path) =>
            !path.includes("recipes/templates/") &&
            /\.map$|\.test\.[a-z]?js$|\.test\.d\.|(^|\/)src\/|tsbuildinfo/.test(path),
        ),
        name,
      ).toEqual([]);
      const code = files.filter((path) => /^dist\/.*\.js$/.test(path));
      for (const path of code)
        expect(readFileSync(join(at, path), "utf8"), path).not.toMatch(/\n\/\/# sourceMappingURL=\S+\s*$/);
    }
  });

  it("names every own package that it needs at its version, and runs no installer of libtensorflow", () => {
    for (const { name } of tarballs)
      for (const at of [join(unpacked, name), ...packagesInside(join(unpacked, name))]) {
        const manifest = manifestIn(at);
        const needs = { ...manifest.dependencies, ...manifest.peerDependencies };
        for (const [needed, version] of Object.entries(needs))
          if (needed.startsWith("@palimpsest/")) expect(version, `${name} needs ${needed}`).toBe(own);
        expect(manifest, name).not.toHaveProperty("scripts");
        expect(manifest, name).not.toHaveProperty("gypfile");
      }
  });

  it("names in a package inside of it only what is inside of that: npm would not install what others need, too", () => {
    const inside = commands.flatMap((name) => packagesInside(join(unpacked, name)));
    const names = inside.map((at) => manifestIn(at).name);
    expect(names).toEqual(
      expect.arrayContaining(["@palimpsest/wire", "@palimpsest/jit", "@tensorflow/tfjs-node-gpu"]),
    );
    for (const at of [...inside, ...packagesInside(join(unpacked, "@palimpsest/jit"))]) {
      const { name, dependencies = {}, peerDependencies } = manifestIn(at);
      for (const needed of Object.keys({ ...dependencies, ...peerDependencies }))
        expect(existsSync(join(at, "node_modules", needed)), `${name} brings ${needed}`).toBe(true);
    }
  });

  it("stands in for its modules as they are built, however old what setup left in the checkout is", async () => {
    const pairs = [
      ["client/dist/bundled.js", "client/dist/index.js"],
      ["telemetry/dist/bundled.js", "telemetry/dist/index.js"],
      ["wire/dist/bundled.js", "wire/dist/index.js"],
      ["wire/dist/bundled-protocol.js", "wire/generated/protocol.js"],
    ].map((pair) => pair.map((path) => pathToFileURL(join(unpacked, "@palimpsest", path)).href));
    const names = `for (const pair of ${JSON.stringify(pairs)}) {
      const [standIn, module] = await Promise.all(pair.map((url) => import(url)));
      console.log(Object.keys(module).filter((name) => !(name in standIn)).join());
    }`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", names]);
    expect(stdout).toBe("\n\n\n\n");
  });

  it("is named by the guide's lines as npm takes it for a file, not for a repository of GitHub", () => {
    const lines = documentedCommands(root, ["docs/guides/packages.md"]).filter(({ line }) =>
      line.includes(".tgz"),
    );
    expect(lines.length).toBeGreaterThan(3);
    for (const { line } of lines)
      for (const [, before = "", names = "", after = ""] of line.matchAll(
        /(\S+?)(?:\{(\S+)\})?(-[\d.]+\.tgz)/g,
      )) {
        const libraries = names.split(",").flatMap((name) => (name === "" ? [] : `@palimpsest/${name}`));
        // Whatever a line leaves out, npm would look for in a registry.
        const needed = libraries.flatMap((name) =>
          [...closure(name)].filter((one) => one.startsWith("@palimpsest/")),
        );
        expect(libraries, line).toEqual(expect.arrayContaining(needed));
        for (const name of names.split(",")) {
          const file = `${before}${name}${after}`;
          expect(file).toMatch(/^\.\/tarballs\//);
          expect(tarballs.map(({ filename }) => `./tarballs/${filename}`)).toContain(file);
        }
      }
  });

  it("lets pnpm find packages of the project in tarballs beside it: a library names them as peers", () => {
    for (const { name } of tarballs.filter((one) => !commands.includes(one.name))) {
      const { dependencies = {}, bundleDependencies = [] } = manifestIn(join(unpacked, name));
      const own = Object.keys(dependencies).filter((needed) => needed.startsWith("@palimpsest/"));
      expect(own, name).toEqual([]);
      expect(bundleDependencies, name).toEqual(carriedBy(name.replace("@palimpsest/", "")));
    }
  });

  it("of the command brings recipes, base models, adapters, protos, pages and setup", () => {
    const at = join(unpacked, "palimpsest");
    const own = (name: string) => join(at, "node_modules/@palimpsest", name);
    for (const path of [
      join(at, "scripts/setup.mjs"),
      join(at, "deploy/systemd/palimpsest-head.service"),
      join(at, "docs/operations.md"),
      join(at, "scripts/setup/session-options.h"),
      join(at, "scripts/setup/large-arrays.h"),
      join(at, "scripts/setup/log-level.cc"),
      join(at, "scripts/setup/gpu/libraries.json"),
      join(own("trainer"), "recipes/quickstart.yaml"),
      join(own("trainer"), "recipes/bases/quickstart/model.safetensors"),
      join(own("trainer"), "recipes/adapters/smollm2-memagent/adapter_model.safetensors"),
      join(own("trainer"), "recipes/templates/agent/recipe.yaml"),
      join(own("trainer"), "recipes/templates/project/gitignore"),
      join(at, "skills/own-agent/SKILL.md"),
      join(own("wire"), "protos/palimpsest/v1/head.proto"),
      join(own("dashboard"), "dist/page/index.html"),
      join(own("jit"), "node_modules/@tensorflow/tfjs-node-gpu/binding/tfjs_binding.cc"),
    ])
      expect(existsSync(path), path).toBe(true);
  });
});

/** Returns the names of all packages that an installation of a package brings. */
function closure(name: string, seen = new Set<string>()): Set<string> {
  const folderOf = existsSync(join(unpacked, name)) ? join(unpacked, name) : inCheckout(name);
  if (folderOf === undefined) return seen;
  const { dependencies, optionalDependencies, peerDependencies = {} } = manifestIn(folderOf);
  const own = Object.keys(peerDependencies).filter((needed) => needed.startsWith("@palimpsest/"));
  for (const needed of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...own]) {
    if (seen.has(needed)) continue;
    seen.add(needed);
    closure(needed, seen);
  }
  return seen;
}

describe("what a package brings", () => {
  it("is for agents memory and zod: no Redis, no gRPC, no TensorFlow", () => {
    expect([...closure("@palimpsest/agents")].sort()).toEqual([
      "@palimpsest/memory",
      "@palimpsest/std",
      "zod",
    ]);
    expect([...closure("@palimpsest/engines")].sort()).toEqual([
      "@palimpsest/memory",
      "@palimpsest/std",
      "eventsource-parser",
      "undici",
      "zod",
    ]);
    // This checks that the walk finds dependencies of dependencies.
    expect([...closure("@palimpsest/evals")]).toEqual(expect.arrayContaining(["ioredis", "@grpc/grpc-js"]));
    expect([...closure("@palimpsest/jit")]).toEqual(expect.arrayContaining(["@tensorflow/tfjs"]));
  });

  it("is within its budget, and no more than it says is refused", () => {
    expect(overBudget(tarballs)).toEqual([]);
    const heavy = tarballs.map((tarball) => ({ ...tarball, size: tarball.size * 10 }));
    expect(overBudget(heavy)).toContainEqual(
      expect.stringMatching(/^palimpsest has \d+\.\d\d MB, and may have /),
    );
  });

  it("is what the table of docs/guides/packages.md says, sizes within a quarter", () => {
    const text = readFileSync(join(root, "docs/guides/packages.md"), "utf8");
    const bytes = (cell: string) => Number.parseFloat(cell) * (cell.includes("MB") ? 1e6 : 1e3);
    for (const { name, size, unpackedSize, own, foreign } of rowsOf(tarballs)) {
      const row = text
        .split("\n")
        .find((line) => line.startsWith(`| \`${name}\` |`) && / [kM]B \|/.test(line));
      const [, , packedCell = "", unpackedCell = "", ownCell, foreignCell] = (row ?? "")
        .split("|")
        .map((cell) => cell.trim());
      expect([ownCell, foreignCell], `${name}: npm run pack -- --table`).toEqual([`${own}`, `${foreign}`]);
      for (const [cell, measured] of [
        [packedCell, size],
        [unpackedCell, unpackedSize],
      ] as const)
        expect(Math.abs(bytes(cell) / measured - 1), `${name} ${cell}: npm run pack -- --table`).toBeLessThan(
          0.25,
        );
    }
  });
});

describe("an empty project with @palimpsest/runtime alone", () => {
  const alone = join(folder, "alone");
  const { PALIMPSEST_ADDRESS: _, PALIMPSEST_TOKEN: __, PALIMPSEST_TLS: ___, ...env } = process.env;
  const command = (...args: string[]) =>
    run(process.execPath, [join(alone, "node_modules/@palimpsest/runtime/bin/palimpsest.js"), ...args], {
      cwd: alone,
      env: { ...env, PALIMPSEST_DATA_DIR: join(folder, "alone-state"), NO_COLOR: "1" },
    });

  beforeAll(async () => {
    makeEmptyProject(alone);
    await linkTarballs(
      alone,
      folder,
      tarballs.filter(({ name }) => name === "@palimpsest/runtime"),
    );
    linkThirdParty(alone, "tsx");
  });

  it("runs the guide's program with nothing that only learning needs", async () => {
    const installed = readdirSync(join(alone, "node_modules"));
    expect(installed.filter((name) => /tensorflow|huggingface|kubernetes|hyparquet/.test(name))).toEqual([]);
    for (const name of ["counter.ts", "main.ts"])
      writeFileSync(
        join(alone, name),
        (whole.get(name) ?? "").replaceAll("@palimpsest/client", "@palimpsest/runtime"),
      );
    const lines =
      "npx tsx main.ts && cd node_modules/.bin && ./palimpsest status && ./palimpsest list queues";
    const { stdout } = await command("dev", "--", "sh", "-c", lines);
    expect(stdout).toMatch(/^42$[\s\S]*^cluster /m);
  });

  it("has the commands of a cluster, and names the package that has recipes", async () => {
    const { stdout } = await command("--help");
    expect(stdout).toMatch(/^ +dev [\s\S]*^ +certs/m);
    expect(stdout).not.toMatch(/^ +(ask|train|serve) /m);
    // "drain" is near "train", and would end work.
    for (const name of ["train", "ask", "dashboard"]) {
      const reason = await command(name, "x").catch(({ stderr }: { stderr: string }) => stderr);
      expect(reason).toMatch(
        new RegExp(`^error: ${name}: needs the package palimpsest, .*\`npm install palimpsest\``),
      );
      expect(reason).not.toMatch(/Did you mean/);
    }
    await expect(command("drane", "x")).rejects.toThrow(/unknown command .*Did you mean drain/s);
    writeFileSync(join(alone, "recipe.yaml"), "name: x\n");
    await expect(command("job", "submit", "recipe.yaml")).rejects.toThrow(
      /this needs the package palimpsest, .*`npm install palimpsest`/,
    );
  });

  it("names the client of Kubernetes where a head is to scale there without it", async () => {
    const scaling = {
      provider: { kind: "kubernetes", image: "x", tokenSecret: "t", headAddress: "head:6400" },
      nodeTypes: { small: { resources: { cpu: 1 }, maxNodes: 1 } },
    };
    writeFileSync(join(alone, "scaling.yaml"), JSON.stringify(scaling));
    await expect(
      command("head", "start", "--autoscale", "scaling.yaml", "--port", "0", "--insecure"),
    ).rejects.toThrow(/whose client is not installed: run `npm install @kubernetes\/client-node@1/);
  });
});

describe("an empty project with the tarballs", () => {
  it("type-checks the programs and modules of guides and READMEs, strictly and with the packages' own types", async () => {
    expect([...whole.keys()]).toEqual(
      expect.arrayContaining(["ask.ts", "counter.ts", "main.ts", "module-0.ts", "readme-memory.ts"]),
    );
    expect(await compiled).toBe("");
    expect(existsSync(join(project, "main.js"))).toBe(true);
  });

  it("runs the memory agent over an endpoint in at most 12 lines", async () => {
    const lines = (whole.get("ask.ts") ?? "")
      .split("\n")
      .filter((line) => line.trim() !== "" && !line.startsWith("//"));
    expect(lines.length).toBeLessThanOrEqual(12);
    const server = await ReadingServer.start("harbour master");
    try {
      const document = join(project, "harbour.txt");
      writeFileSync(
        document,
        proseWith(
          ["The harbour master was called Amos.", "Later the harbour master was called Cora."],
          60_000,
        ),
      );
      const { stdout } = await run(process.execPath, ["ask.js", server.url, document, "Who was the last?"], {
        cwd: project,
      });
      expect(stdout).toBe("The answer is \\boxed{Cora}.\n");
      expect(server.requests).toBeGreaterThan(3);
    } finally {
      await server.stop();
    }
  });

  it("gives its libraries to programs in CommonJS, which require() them", async () => {
    const names = ["agents", "client", "engines", "evals", "jit", "memory"].map(
      (name) => `@palimpsest/${name}`,
    );
    const text = names.map((name) => `console.log(Object.keys(require("${name}")).length > 0)`).join(";");
    const { stdout } = await run(process.execPath, ["--input-type=commonjs", "-e", text], { cwd: project });
    expect(stdout).toBe("true\n".repeat(names.length));
  });

  it("runs the README of memory, which needs no server", async () => {
    const { stdout } = await run(process.execPath, ["readme-memory.js"], { cwd: project });
    expect(stdout).toBe("Ada has a cat named Tofu.\n");
  });

  it("runs README's lines for one machine and for several, that of the tutorial's actor program, and what the head prints", async () => {
    const wanted =
      /palimpsest (dev|certs init|head start --tls|worker join --tls|status)|tsx (examples\/hello\/)?main\.ts/;
    const lines = documentedCommands(root, ["README.md", "docs/tutorials/actor.md"]);
    const found = lines.filter(({ line }) => wanted.test(line));
    expect(found).toHaveLength(7);
    cpSync(join(root, "examples/hello"), join(project, "examples/hello"), { recursive: true });
    await compiled;
    const { PALIMPSEST_ADDRESS: _, PALIMPSEST_TOKEN: __, PALIMPSEST_TLS: ___, ...inherited } = process.env;
    const env = {
      ...inherited,
      PALIMPSEST_SETUP: "off",
      PALIMPSEST_DATA_DIR: join(folder, "readme"),
      PATH: `${join(project, "node_modules/.bin")}:${inherited["PATH"]}`,
    };
    const values: Record<string, string> = {};
    const outputs: string[] = [];
    const ends: (() => void)[] = [];
    const sandbox: Sandbox = {
      values,
      start: (line, { exported }) => {
        const variables = Object.fromEntries(exported.map((one) => one.split("=")));
        const child = startLine(line, { cwd: project, env: { ...env, ...variables } });
        ends.push(() => outputs.push(child.output));
        return child;
      },
    };
    const kept: Line[] = [];
    try {
      for (const command of found) {
        const head = join(project, "tls-head/head.json");
        if (existsSync(head)) {
          const { address } = JSON.parse(readFileSync(head, "utf8")) as { address: string };
          values["TLS_ADDRESS"] = address;
        }
        // The check of all documents leaves to this test what needs a project of its own.
        const { skip: _, ...rule } = ruleOf(command);
        // What npx finds in a project is on the path. That it finds it is seen in the project with one package.
        const line = lineFor(command.line.replaceAll(/(?<=^| )npx /g, ""), rule, sandbox);
        expect(await runOne(line, rule, sandbox, kept, command.exported), command.line).toBe("");
      }
    } finally {
      for (const child of kept.reverse()) await child.stop();
    }
    for (const end of ends) end();
    expect(outputs.join("")).toMatch(/^2\n1,4,9\n/m);
    expect(outputs.at(-1)).toMatch(/^42\n/m);
  });

  it("makes a project by `npm create palimpsest`, in an odd folder, whose program, tests and checks hold", async () => {
    const target = join(project, "it's für all", "notes");
    const create = join(unpacked, "create-palimpsest/create.js");
    const { stdout } = await run(process.execPath, [create, "notes", "--folder", target], { cwd: project });
    expect(stdout).toMatch(/npm install\n +npm start\n +npm test\n +npm run train\n$/);
    const { dependencies } = manifestIn(target);
    expect(dependencies).toEqual(
      Object.fromEntries(
        ["@palimpsest/agents", "@palimpsest/client", "@palimpsest/rewards", "palimpsest"].map((name) => [
          name,
          `^${own}`,
        ]),
      ),
    );
    symlinkSync(unpacked, join(target, "node_modules"));
    const { PALIMPSEST_ADDRESS: _, PALIMPSEST_TOKEN: __, PALIMPSEST_TLS: ___, ...env } = process.env;
    const inProject = async (command: string, ...args: string[]) =>
      (await run(command, args, { cwd: target, env: { ...env, PALIMPSEST_SETUP: "off" } })).stdout;
    const tsx = ["--import", "tsx"];
    const dev = [program, "dev", "--", process.execPath, ...tsx, "src/main.ts"];
    expect(await inProject(process.execPath, ...dev)).toMatch(/^a 3\nrose 3\nis 2\n/m);
    const tests = readdirSync(join(target, "test")).map((name) => join("test", name));
    expect(await inProject(process.execPath, ...tsx, "--test", ...tests)).toMatch(/# pass 2\n# fail 0/);
    await inProject(process.execPath, join(root, "node_modules/typescript/bin/tsc"));
    const plan = ["train", "--dry-run", "agent/recipe.yaml"];
    expect(await inProject(process.execPath, program, ...plan)).toContain("The run fits");
  });

  it("gives editors the schema of every recipe that names one", () => {
    const at = join(unpacked, "palimpsest/node_modules/@palimpsest/trainer/recipes");
    const named = readdirSync(at, { recursive: true, encoding: "utf8" }).flatMap((path) => {
      const text = path.endsWith(".yaml") ? readFileSync(join(at, path), "utf8") : "";
      const [, schema] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? [];
      return schema === undefined ? [] : [join(at, path, "..", schema)];
    });
    expect(named.length).toBeGreaterThan(20);
    expect([...new Set(named)]).toEqual([join(unpacked, "palimpsest/docs/recipe.schema.json")]);
    expect(existsSync(named[0] ?? "")).toBe(true);
  });

  it("has the command, which plans the quickstart before anything is set up", async () => {
    const node = async (...args: string[]) =>
      (
        await run(process.execPath, [program, ...args], {
          cwd: project,
          env: { ...process.env, NO_COLOR: "1" },
        })
      ).stdout;
    expect(await node("quickstart", "--dry-run")).toMatch(
      /bases\/quickstart\n[\s\S]*The run fits: nothing was started/,
    );
    // Nothing is downloaded where there is neither pip nor a compiler: setup says so, and the command works without it.
    expect(existsSync(join(project, "node_modules/palimpsest/.set-up.json"))).toBe(false);
  });

  it("names documents that are there: every path of docs/ in what it prints", async () => {
    const told = await Promise.all(
      [
        ["head", "start", "--help"],
        ["new", "agent", "diary"],
        ["new", "reward", "praise"],
      ].map((args) => run(process.execPath, [program, ...args], { cwd: project })),
    );
    for (const { stdout: text } of told) {
      const paths = [...text.replaceAll(/\s+/g, " ").matchAll(/\S*docs\/[\w/-]+\.md/g)].map(([path]) => path);
      expect(paths.length, text).toBeGreaterThan(0);
      for (const path of paths)
        expect(existsSync(join(project, path.replace(/^\(/, ""))), `${path} in ${text}`).toBe(true);
    }
    const units = join(project, "node_modules/palimpsest/deploy/systemd");
    for (const name of readdirSync(units)) {
      const named = /^Documentation=.*?\/opt\/palimpsest\/current\/(\S+)/m.exec(
        readFileSync(join(units, name), "utf8"),
      );
      expect(existsSync(join(project, named?.[1] ?? "")), `${name}: ${named?.[0]}`).toBe(true);
    }
  });
});

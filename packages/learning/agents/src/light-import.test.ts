import { execFile } from "node:child_process";
import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

/** What an application that brings its own endpoint has no use for. */
const refused = ["bullmq", "ioredis", "@grpc/", "@palimpsest/wire", "@palimpsest/telemetry"];

const hook = `
const refused = ${JSON.stringify(refused)};
export async function resolve(specifier, context, next) {
  if (refused.some((name) => specifier.startsWith(name)))
    throw new Error(specifier + " is loaded by " + context.parentURL);
  return next(specifier, context);
}`;

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** Imports built packages in a process of its own in which the refused packages cannot be resolved. */
async function importLightly(...names: readonly string[]): Promise<string> {
  const url = `data:text/javascript,${encodeURIComponent(hook)}`;
  const program = `
    const { register } = await import("node:module");
    register(${JSON.stringify(url)});
    for (const name of ${JSON.stringify(names)}) await import(name);
    console.log("loaded");`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
    cwd: root,
  });
  return stdout.trim();
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** Folders of this workspace's packages, by name. */
const workspace = new Map(
  readdirSync(join(root, "packages")).flatMap((wing) =>
    readdirSync(join(root, "packages", wing)).map((name) => {
      const folder = join(root, "packages", wing, name);
      return [manifestIn(folder).name, folder] as const;
    }),
  ),
);

/** Names of all that an installation of a package brings: its dependencies and theirs. */
function installed(name: string): string[] {
  const seen = new Set<string>();
  const visit = (folder: string) => {
    const { dependencies, optionalDependencies, peerDependencies } = manifestIn(folder);
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      if (seen.has(needed)) continue;
      seen.add(needed);
      const found = workspace.get(needed) ?? folderOf(needed, folder);
      // Optional ones of other platforms are named and not there.
      if (found !== undefined) visit(found);
    }
  };
  visit(workspace.get(name) as string);
  return [...seen].sort();
}

/** Where a package that is not of this workspace lies, seen from one that needs it. */
function folderOf(name: string, from: string): string | undefined {
  const paths = createRequire(join(realpathSync(from), "package.json")).resolve.paths(name) ?? [];
  for (const path of paths) {
    try {
      return dirname(realpathSync(join(path, name, "package.json")));
    } catch {
      // The next folder upwards may have it.
    }
  }
  return undefined;
}

describe("installing the agents' package", () => {
  it("brings memory and zod, and neither queues nor a Redis client nor gRPC", () => {
    expect(installed("@palimpsest/agents")).toEqual(["@palimpsest/memory", "@palimpsest/std", "zod"]);
  });

  it("would notice them", () => {
    expect(installed("@palimpsest/trajectories")).toEqual(
      expect.arrayContaining(["bullmq", "ioredis", "@grpc/grpc-js", "@palimpsest/wire"]),
    );
  });
});

describe("importing an agent", () => {
  it("loads no queues, no Redis client and no gRPC, nor do memory, rewards and data", async () => {
    const names = ["agents", "memory", "rewards", "datasets"].map((name) => `@palimpsest/${name}`);
    expect(await importLightly(...names)).toBe("loaded");
  });

  it("would notice them", async () => {
    await expect(importLightly("@palimpsest/trajectories")).rejects.toThrow("is loaded by");
  });
});

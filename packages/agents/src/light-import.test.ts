import { execFile } from "node:child_process";
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

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Imports packages in a process of its own in which the refused packages cannot be resolved. */
async function importLightly(...names: readonly string[]): Promise<string> {
  const url = `data:text/javascript,${encodeURIComponent(hook)}`;
  const program = `
    const { register } = await import("node:module");
    register(${JSON.stringify(url)});
    for (const name of ${JSON.stringify(names)}) await import(name);
    console.log("loaded");`;
  const flags = ["--conditions=@palimpsest/source", "--import", "tsx", "--input-type=module", "-e", program];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: root });
  return stdout.trim();
}

describe("importing an agent", () => {
  it("loads no queues, no Redis client and no gRPC, nor do memory, rewards and data", async () => {
    const names = ["agents", "memory", "rewards", "datasets"].map((name) => `@palimpsest/${name}`);
    expect(await importLightly(...names)).toBe("loaded");
  }, 120_000);

  it("would notice them", async () => {
    await expect(importLightly("@palimpsest/trajectories")).rejects.toThrow("is loaded by");
  }, 120_000);
});

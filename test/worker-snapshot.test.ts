/**
 * Tests that an actor's process starts from a snapshot of V8's heap, and otherwise behaves like any program.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundledProgram } from "../packages/apps/cli/src/installation/bundled-programs.js";
import { Probe } from "./support/snapshot-probe.js";
import { TestCluster } from "./support/test-cluster.js";

const source = { from: new URL("./support/snapshot-probe.ts", import.meta.url) };

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start();
});
afterAll(() => cluster?.stop());

test("threads, forks, modules, clocks and random numbers are a process's own", async () => {
  const file = (name: string, text: string) => {
    const path = join(cluster.dir, name);
    writeFileSync(path, text);
    return path;
  };
  const forked = file("forked.cjs", "process.send(process.argv[1]);");
  file("imported.mjs", "export const name = 'imported';");
  file("required.cjs", "module.exports = 'required';");
  const probes = cluster.client.actor(Probe, source);
  const [one, other] = await Promise.all([probes.spawn(), probes.spawn()]);
  const started = await one.arguments();
  // Setup leaves the snapshot out where it cannot be made, as by the builder of Node.js 22, which ends with std::length_error. On
  // Node.js 20 it can: no actor would start slower without a word.
  if (bundledProgram("worker") !== undefined && started !== "" && process.version.startsWith("v20."))
    expect(started).toContain("--snapshot-blob");
  const [mine, theirs] = await Promise.all([one.random(), other.random()]);
  for (const [index, value] of mine.entries()) expect(value).not.toBe(theirs[index]);
  expect(await one.skewMs()).toBeLessThan(1_000);
  expect(await one.thread()).toBe(42);
  expect(await one.forked(forked)).toBe(forked);
  expect(await one.modules(cluster.dir)).toEqual(["imported", "required"]);
  expect(await one.clusterSize()).toBe(1);
  await expect(one.fails()).rejects.toMatchObject({
    cause: { stack: expect.stringContaining("snapshot-probe.ts") },
  });
});

test("an actor whose variables set flags of Node.js starts without it", async () => {
  const environment = { NODE_OPTIONS: "--max-old-space-size=300" };
  const probe = await cluster.client.actor(Probe, source, { environment }).spawn();
  expect(await probe.arguments()).not.toContain("--snapshot-blob");
});

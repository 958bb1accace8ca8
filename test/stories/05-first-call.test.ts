/** Tests how long it takes from nothing to the answer of an actor, and back to nothing. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { TestCluster } from "../support/test-cluster.js";
import { WordCounter } from "../support/word-counter.js";

let cluster: TestCluster | undefined;

afterAll(async () => {
  await cluster?.stop();
});

test("from `head start` over `worker join` to the first actor's first answer", async () => {
  const startedAt = performance.now();
  cluster = await TestCluster.start();
  const joinedAt = performance.now();
  const source = { from: new URL("../support/word-counter.ts", import.meta.url) };
  const counter = await cluster.client.actor(WordCounter, source).spawn();
  expect(await counter.add("first")).toBe(1);
  const answeredAt = performance.now();
  const seconds = (from: number, to: number) => `${((to - from) / 1000).toFixed(2)} s`;
  process.stdout.write(
    `first call: ${seconds(startedAt, answeredAt)} (head and worker ${seconds(startedAt, joinedAt)}, actor ${seconds(joinedAt, answeredAt)})\n`,
  );
});

test("the program of the README is examples/hello, and prints what it says", async () => {
  const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
  const readme = readFileSync(path("README.md"), "utf8");
  expect(readme.split("\n").length).toBeLessThanOrEqual(150);
  const program = readFileSync(path("examples/hello/main.ts"), "utf8");
  const shown = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const codeOf = (text: string) => text.replaceAll(/ *\/\/ .*$/gm, "").trim();
  expect(codeOf(shown)).toBe(codeOf(program));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "--conditions=@palimpsest/source", path("examples/hello/main.ts")],
    { env: { ...process.env, PALIMPSEST_ADDRESS: cluster?.address, PALIMPSEST_TOKEN: cluster?.token } },
  );
  expect(stdout).toBe("2\n1,4,9\n");
});

test("`palimpsest stop` ends actor, node, head and Redis", async () => {
  // These are the head, Redis, the node, the actor, and the warm processes that wait for an actor.
  expect(cluster?.processes().length).toBeGreaterThanOrEqual(4);
  const startedAt = performance.now();
  const orphans = await cluster?.stop();
  process.stdout.write(`stop: ${((performance.now() - startedAt) / 1000).toFixed(2)} s\n`);
  expect(orphans).toEqual([]);
  cluster = undefined;
});

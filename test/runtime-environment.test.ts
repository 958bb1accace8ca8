/** Tests runtime environments: variables, folders and packages of actors and tasks, and what children inherit. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Cluster, PalimpsestError } from "@palimpsest/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { look, lookFromTask, Probe } from "./support/environment-probe.js";
import { writePackages } from "./support/package-folder.js";
import { TaskCluster } from "./support/task-cluster.js";

const source = { from: new URL("./support/environment-probe.ts", import.meta.url) };

let cluster: TaskCluster;
beforeEach(async () => {
  cluster = await TaskCluster.start([]);
  await cluster.startNode(4, { environmentSetupMs: 60_000 });
});
afterEach(() => cluster?.stop());

function workingDir(name: string, notes: string): string {
  const folder = cluster.path(name);
  mkdirSync(folder);
  writeFileSync(join(folder, "notes.txt"), notes);
  writeFileSync(join(folder, "secret.txt"), "not sent");
  writeFileSync(join(folder, ".gitignore"), "secret.txt\n");
  return folder;
}

/** Returns the names of the folders that the node keeps. */
function kept(kind: string): string[] {
  return readdirSync(cluster.path("node-1/environments")).filter(
    (name) => name.startsWith(`${kind}-`) && !name.includes("."),
  );
}

async function failureOf(work: Promise<unknown>): Promise<PalimpsestError> {
  const reason = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (reason instanceof PalimpsestError) return reason;
  throw new Error(`it did not fail as expected: ${String(reason)}`);
}

test("levels merge: variables are added up, folder and packages are replaced; what is made is made once (RUNTIMEENV-1)", async () => {
  const outer = workingDir("outer", "outer notes");
  const inner = workingDir("inner", "inner notes");
  const client: Cluster = await cluster.connect("own", {
    environment: { A: "connection", B: "connection" },
    workingDir: outer,
    packages: writePackages(cluster.path("packages")),
  });
  const task = client.task(look, source, { environment: { B: "task" }, resources: {} });
  const seen = await task("A", "B");
  expect(seen).toMatchObject({
    variables: { A: "connection", B: "task" },
    notes: "outer notes",
    notesMode: 0o400,
    greeting: "hello",
  });
  expect(readdirSync(seen.cwd).sort()).toEqual([".gitignore", "notes.txt"]);

  const probe = await client.actor(Probe, source, { environment: { C: "actor" }, workingDir: inner }).spawn();
  const own = await probe.look("A", "B", "C");
  expect(own).toMatchObject({
    variables: { A: "connection", B: "connection", C: "actor" },
    notes: "inner notes",
    greeting: "hello",
  });
  // A child inherits its parent's environment, not the connection's.
  expect(await probe.lookFromChild({ B: "child" }, "A", "B", "C")).toMatchObject({
    variables: { A: "connection", B: "child", C: "actor" },
    notes: "inner notes",
    greeting: "hello",
    cwd: own.cwd,
  });
  const nested = client.task(lookFromTask, source, { environment: { D: "task" }, resources: {} });
  expect(await nested("A", "D")).toMatchObject({
    variables: { A: "connection", D: "task" },
    notes: "outer notes",
    greeting: "hello",
  });
  // Only light actors of the same environment share a process.
  const light = { process: "shared" } as const;
  const [one, two, other] = await Promise.all(
    [{}, {}, { environment: { C: "other" } }].map(async (more) =>
      (await client.actor(Probe, source, { ...light, ...more }).spawn()).look("A", "C"),
    ),
  );
  expect(two?.pid).toBe(one?.pid);
  expect(other?.pid).not.toBe(one?.pid);
  expect([one?.greeting, one?.notes, other?.variables]).toEqual([
    "hello",
    "outer notes",
    { A: "connection", C: "other" },
  ]);
  expect([kept("packages").length, kept("folder").length]).toEqual([1, 2]);
  // A task without an environment does not see that of another one.
  const plain = await cluster.client.task(look, source, { resources: {} })("A");
  expect(plain).toMatchObject({ variables: { A: undefined }, notes: "", greeting: "" });
});

test("an environment that cannot be made fails the call and the creation, by its name, without restarts (RUNTIMEENV-2)", async () => {
  const { client } = cluster;
  const broken = { packages: writePackages(cluster.path("broken"), { mismatch: true }) };
  const failed = await failureOf(client.task(look, source, { ...broken, resources: {} })());
  expect(failed.code).toBe("ENVIRONMENT_FAILED");
  expect(failed.message).toContain("its packages cannot be built: `npm ci --omit=dev --ignore-scripts");
  expect(failed.message).toContain("missing@1.2.3");
  expect(readFileSync(failed.details["log"] ?? "", "utf8")).toContain("missing@1.2.3");

  const probe = await client.actor(Probe, source, { ...broken, maxRestarts: -1 }).spawn();
  const died = await failureOf(probe.look());
  expect(died.code).toBe("ENVIRONMENT_FAILED");
  expect(died.message).toContain("missing@1.2.3");
  expect(await probe.info()).toMatchObject({ state: "dead", incarnation: 1 });
  expect((await failureOf(probe.ready())).code).toBe("ENVIRONMENT_FAILED");
  expect(kept("packages")).toEqual([]);
  // The node and the connection remain usable.
  const whole = { packages: writePackages(cluster.path("whole")), resources: {} };
  expect((await client.task(look, source, whole)()).greeting).toBe("hello");
});

test("scripts of packages run only where they are asked for, and no longer than they may", async () => {
  await cluster.startNode(1, { labels: { kind: "short" }, environmentSetupMs: 4_000 });
  const { client } = cluster;
  const script = "node -e \"require('node:fs').writeFileSync('ran.txt', '')\"";
  const manifest = writePackages(cluster.path("scripts"), { postinstall: script });
  const here = { labels: { kind: { exists: false } }, resources: {} };
  await client.task(look, source, { ...here, packages: manifest })();
  await client.task(look, source, { ...here, packages: { manifest, installScripts: true } })();
  const ran = kept("packages").map((name) =>
    readdirSync(cluster.path(`node-1/environments/${name}`)).includes("ran.txt"),
  );
  expect(ran.sort()).toEqual([false, true]);

  const endless = writePackages(cluster.path("endless"), {
    postinstall: 'node -e "setInterval(() => {}, 1e6)"',
  });
  const packages = { manifest: endless, installScripts: true };
  const late = await failureOf(
    client.task(look, source, { labels: { kind: "short" }, resources: {}, packages })(),
  );
  expect(late.code).toBe("ENVIRONMENT_FAILED");
  expect(late.message).toContain("took longer than 4000 ms");
});

test("wrong input is refused with what to do, before anything runs", async () => {
  const { client } = cluster;
  const errors = await Promise.all(
    [
      { packages: cluster.path("nothing/package.json") },
      { packages: cluster.path("nothing") },
      { workingDir: cluster.path("nothing") },
      { environment: { PALIMPSEST_TOKEN: "x" } },
      { environment: { "A=B": "x" } },
      { environment: { SECRET: "hidden\0value" } },
      { environment: { LARGE: "x".repeat(70_000) } },
    ].map((options) => failureOf(client.actor(Probe, source, options).spawn())),
  );
  expect(errors.map(({ code }) => code)).toEqual([...Array(6).fill("INVALID_ARGUMENT"), "LIMIT_EXCEEDED"]);
  const messages = errors.map(({ message }) => message).join("\n");
  expect(messages).toContain("give the path of a package.json");
  expect(messages).toContain("environment[SECRET] has a NUL character");
  expect(messages).not.toContain("hidden");
});

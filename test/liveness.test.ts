/**
 * Tests processes whose only thread is blocked: they lose nothing, and what they do can be seen. Constants are lowered.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PalimpsestError } from "@palimpsest/wire";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BusyCluster, type BusyDriver } from "./support/busy-cluster.js";
import { Command } from "./support/command.js";
import { until } from "./support/until.js";

const ownerGraceMs = 300;
/** Long enough for a thread that waits beside a load to keep the session of this very process. */
const sessionLeaseMs = 6_000;
let cluster: BusyCluster;
const drivers: BusyDriver[] = [];

beforeAll(async () => {
  cluster = await BusyCluster.start({ ownerGraceMs, sessionLeaseMs });
});

afterAll(async () => {
  for (const driver of drivers) if (driver.running) driver.kill("SIGKILL");
  await cluster?.stop();
});

async function driver(name: string): Promise<BusyDriver> {
  const started = await cluster.startDriver(name);
  drivers.push(started);
  return started;
}

/** Waits for the time in which the thing under test could go wrong. */
async function passes(durationMs: number): Promise<void> {
  const endAt = performance.now() + durationMs;
  await until(`${durationMs} ms`, () => performance.now() >= endAt);
}

test("a method that never comes back to the event loop runs once, and `palimpsest stack` shows it", async () => {
  const actor = await cluster.busyActors.spawn();
  const actorId = await actor.id();
  const file = join(cluster.folder, "actor-may-go-on");
  const value = actor.spinUntil(file);
  const { stdout } = await until("the command sees the method", async () => {
    const end = await Command.start(["stack", actorId], {
      cwd: cluster.folder,
      environment: { PALIMPSEST_ADDRESS: cluster.address, PALIMPSEST_TOKEN: cluster.token },
    }).ended;
    expect(end).toMatchObject({ code: 0, stderr: "" });
    return end.stdout.includes("spinUntil") && end;
  });
  expect(stdout).toMatch(/^BusyActor actor-\w+ \(pid \d+\) runs spinUntil\(\)\n/);
  expect(stdout).toMatch(/\n {4}at spinUntil \(.*\d+:\d+\)\n/);
  writeFileSync(file, "");
  expect(await value).toBe(1);
  expect(await cluster.client.stack(actorId)).toMatchObject({ busy: false, frames: [], problem: "" });
  expect(await actor.spinFor(0)).toBe(2);
});

test("`palimpsest profile` tells what a process computes, and writes it for other tools; of all processes, too", async () => {
  const actor = await cluster.busyActors.spawn();
  const actorId = await actor.id();
  const file = join(cluster.folder, "profiled-may-go-on");
  const value = actor.spinUntil(file);
  const output = join(cluster.folder, "actor.cpuprofile");
  const profile = (...args: string[]) =>
    Command.start(["profile", ...args], {
      cwd: cluster.folder,
      environment: { PALIMPSEST_ADDRESS: cluster.address, PALIMPSEST_TOKEN: cluster.token },
    }).ended;
  const one = await profile(actorId, "--seconds", "1", "--output", output);
  expect(one.code).toBe(0);
  expect(one.stdout).toMatch(/^1 process, \d+ ms computed\n/);
  // A loop that was compiled before its profile began may count for its caller, and is seen by what it calls.
  expect(one.stdout).toMatch(/ ms +existsSync/);
  const written = JSON.parse(readFileSync(output, "utf8"));
  const names = written.nodes.map(
    ({ callFrame }: { callFrame: { functionName: string } }) => callFrame.functionName,
  );
  expect(names).toContain("existsSync");
  expect(written.samples).toHaveLength(written.timeDeltas.length);
  writeFileSync(file, "");
  expect(await value).toBe(1);
  const all = await profile("--seconds", "1", "--heap", "--json");
  expect(all.code).toBe(0);
  const titles = JSON.parse(all.stdout).map(({ title }: { title: string }) => title);
  expect(titles).toContainEqual(expect.stringContaining(actorId));
  expect(titles).toContainEqual(expect.stringMatching(/^node /));
  expect((await profile("nobody")).stderr).toContain('"nobody" is not a running actor');
  await expect(cluster.client.profile(actorId, { durationMs: 60_000 })).rejects.toThrow("give 1 to 20000");
});

test("a node says that its own thread is free; what is nothing's name is told as such", async () => {
  const [node] = await cluster.client.nodes();
  expect(await cluster.client.stack(node?.nodeId ?? "")).toMatchObject({ busy: false, problem: "" });
  await expect(cluster.client.stack("nobody")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("a driver keeps its actors while its thread is blocked for longer than its lease, and while it is stopped; killed, it frees them", async () => {
  const blocked = await driver("blocked");
  const file = join(cluster.folder, "driver-may-go-on");
  await until("its session is kept by a thread", async () => {
    return !(await cluster.client.stack("blocked")).problem;
  });
  blocked.tell({ kind: "block", untilFile: file });
  await blocked.heard("blocking");
  const stack = await until("its thread blocks", async () => {
    const seen = await cluster.client.stack("blocked");
    return seen.busy && seen;
  });
  expect(stack.frames.join("\n")).toContain("blockUntil");
  await passes(sessionLeaseMs + 2 * ownerGraceMs);
  expect(await cluster.stateOf(blocked.actorId)).toBe("alive");
  writeFileSync(file, "");
  blocked.tell({ kind: "call" });
  expect(await blocked.heard("called")).toMatchObject({ answer: blocked.actorId });

  blocked.kill("SIGSTOP");
  await passes(2 * ownerGraceMs);
  expect(await cluster.stateOf(blocked.actorId)).toBe("alive");
  blocked.kill("SIGCONT");
  blocked.tell({ kind: "call" });
  expect(await blocked.heard("called")).toMatchObject({ answer: blocked.actorId });

  blocked.kill("SIGKILL");
  await until("its actor is dead", async () => (await cluster.stateOf(blocked.actorId)) === "dead");
});

test("a caller that never looks again is answered by no other actor, even where the address is the same", async () => {
  let previousId = "actor-of-before";
  for (let cycle = 0; cycle < 3; cycle++) {
    const actor = await cluster.busyActors.spawn();
    const actorId = await actor.id();
    const misled = cluster.staleCaller(previousId, await cluster.addressOf(actorId), 300);
    await expect(misled.ask()).rejects.toMatchObject({ code: "GET_TIMEOUT" });
    misled.close();
    previousId = actorId;
    expect(await actor.id()).toBe(actorId);
    await actor.kill();
    await until("its own caller is told that it died", async () => {
      const reason: unknown = await actor.id().catch((failure: unknown) => failure);
      return reason instanceof PalimpsestError && reason.code === "ACTOR_DIED";
    });
  }
});

test("a flood of another process is overtaken by each call of this one", async () => {
  const actor = await cluster.busyActors.spawn();
  const actorId = await actor.id();
  const flooding = await driver("flooding");
  let flooded = false;
  void flooding.heard("flooded").then(
    () => {
      flooded = true;
    },
    () => undefined,
  );
  flooding.tell({ kind: "flood", actorId, calls: 1_500 });
  await flooding.heard("flooding");
  for (let call = 0; call < 10; call++) await actor.id();
  // A first-come, first-served order would answer the first of these calls after the last one of the flood.
  expect(flooded).toBe(false);
});

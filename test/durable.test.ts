/**
 * Tests durable actors under kill -9 of everything that they run on: their process, their node, the head and its Redis.
 */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Account } from "./support/account.js";
import { TestCluster } from "./support/test-cluster.js";
import { until } from "./support/until.js";

const source = { from: new URL("./support/account.ts", import.meta.url) };

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start({ workers: 2 });
});
afterAll(async () => {
  expect(await cluster?.stop()).toEqual([]);
});

const account = (name: string) =>
  cluster.client.actor(Account, source, { durable: true, name, resources: { cpu: 0.1 } }).spawn();

test("a method that throws has changed nothing; a state that is too large is refused with its size", async () => {
  const one = await account("plain");
  expect(await one.deposit(5)).toBe(5);
  await expect(one.refuse()).rejects.toThrow("refused");
  expect(await one.balance()).toEqual({ total: 5, ticks: 0 });
  await expect(one.fill(2_000_000)).rejects.toThrow(
    /the state of plain takes 20\d+ bytes, more than 1048576/,
  );
  expect(await one.deposit(1)).toBe(6);
  await one.kill();
});

test("state lies under the name: an actor created again goes on with it, until it is removed", async () => {
  const first = await account("kept");
  await first.deposit(7);
  await expect(cluster.client.removeDurable("kept")).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
  await first.kill();
  await until("it is dead", async () => (await first.info()).state === "dead");
  const second = await account("kept");
  expect(await second.deposit(1)).toBe(8);
  await second.kill();
  await until("it is dead", async () => (await second.info()).state === "dead");
  expect(await cluster.client.removeDurable("kept")).toBe(true);
  expect(await (await account("kept")).deposit(1)).toBe(1);
});

test("increments equal the calls, none lost and none twice, while everything is killed in turns", async () => {
  const one = (await account("counter")).with({ timeoutMs: 600_000 });
  await one.deposit(0);
  let sent = 1;
  let acknowledged = 1;
  let going = true;
  const errors: unknown[] = [];
  const load = Array.from({ length: 8 }, async () => {
    while (going) {
      sent += 1;
      await one.deposit(1).then(
        () => {
          acknowledged += 1;
        },
        (reason: unknown) => errors.push(reason),
      );
    }
  });
  const more = async (what: string) => {
    const before = acknowledged;
    await until(`calls go on after ${what}`, () => acknowledged > before + 20, {
      explain: () => `${acknowledged} of ${sent} acknowledged, errors ${errors.join("; ")}`,
    });
  };
  await more("the start");
  const { client } = cluster;
  const info = async () => (await client.actors()).find(({ name }) => name === "counter");
  process.kill((await info())?.pid ?? 0, "SIGKILL");
  await more("the actor's process was killed");
  process.kill((await client.info()).redisPid, "SIGKILL");
  await more("Redis was killed");
  cluster.head.kill("SIGKILL");
  await cluster.head.ended;
  await cluster.startHead();
  await more("the head was killed");
  const nodeId = (await info())?.nodeId;
  const pid = (await client.nodes()).find((node) => node.nodeId === nodeId)?.pid ?? 0;
  process.kill(pid, "SIGKILL");
  await more("its node was killed");
  going = false;
  await Promise.all(load);
  expect(errors).toEqual([]);
  expect(acknowledged).toBe(sent);
  expect(await one.balance()).toEqual({ total: acknowledged - 1, ticks: 0 });
});

test("timers fire after a restart, again and again or once, and each firing counts once", async () => {
  const path = join(cluster.dir, "ticks");
  const one = (await account("clock")).with({ timeoutMs: 600_000 });
  await one.remind("every", 200, true, path);
  await one.remind("once", 1, false, path);
  await until("they fire", async () => ((await one.balance())?.ticks ?? 0) >= 3);
  await one.kill({ restart: true });
  const before = (await one.balance())?.ticks ?? 0;
  await until("they fire after the restart", async () => ((await one.balance())?.ticks ?? 0) > before + 2);
  expect(await one.forget("every")).toBe(true);
  expect(await one.forget("once")).toBe(false);
  await one.kill();
});

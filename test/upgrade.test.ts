/**
 * Upgrades of clusters of real processes, under calls. The old version is the last commit of before protocols had numbers,
 * compiled from the history of the repository; in a clone without it the present version stands for it and speaks protocol 1
 * alone.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Cluster, connect } from "@palimpsest/client";
import { ownProtocols, protocolsText } from "@palimpsest/wire";
import { afterEach, expect, test } from "vitest";
import { CallLedger } from "./support/call-ledger.js";
import { until } from "./support/until.js";
import { type Installation, UpgradeCluster } from "./support/upgrade-cluster.js";

const { oldBuild } = (await import(new URL("../scripts/old-build.mjs", import.meta.url).href)) as {
  oldBuild: () => string | undefined;
};

const speaking = (protocols: string): Installation => ({
  environment: { PALIMPSEST_TEST_PROTOCOLS: protocols },
});
const present: Installation = {};
const ledger = { from: new URL("./support/call-ledger.ts", import.meta.url) };

let cluster: UpgradeCluster;
let client: Cluster | undefined;
afterEach(async () => {
  await client?.close();
  client = undefined;
  await cluster?.stop();
});

/** Starts a head and workers, and connects to them. */
async function begin(installed: Installation, workers: number): Promise<readonly [string, string]> {
  cluster = await UpgradeCluster.start(installed);
  const [first, second] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  await cluster.head("head-1", first);
  for (let index = 1; index <= workers; index++)
    await cluster.worker(`worker-${index}`, `${first},${second}`);
  return [first, second];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

/**
 * Calls an actor a hundred times per second until it is told to stop: without a pause the calls would compute for as long as
 * the upgrade waits. @returns how many calls were answered
 */
function calling(note: (call: number) => Promise<number>) {
  let stopped = false;
  const done = (async () => {
    let call = 0;
    while (!stopped) {
      expect(await note(call)).toBe(call);
      call++;
      await setTimeout(10);
    }
    return call;
  })();
  return {
    end: () => {
      stopped = true;
      return done;
    },
  };
}

test("a cluster of the version before is upgraded under calls, goes on after an interruption, and loses nothing (UPGRADE-2, UPGRADE-3, UPGRADE-4)", async () => {
  const old = oldBuild();
  const [first, second] = await begin(old === undefined ? speaking("1-1") : { program: old }, 2);
  client = await connect({ address: first, token: cluster.token, name: "calls" });
  const path = join(cluster.folder, "ledger");
  const actor = await client.actor(CallLedger, ledger, { maxRestarts: -1, maxTaskRetries: -1 }).spawn(path);
  const calls = calling((call) => actor.note(call));
  const where = ["--address", first];
  const planned = await cluster.run(["upgrade", "plan", ...where, "--json"], present);
  expect(planned.code, planned.stderr).toBe(1);
  expect(JSON.parse(planned.stdout)).toMatchObject({
    members: [
      { kind: "head", id: first, step: 1, protocols: { min: 1, max: 1 } },
      { kind: "node", step: 2, protocols: { min: 1, max: 1 } },
      { kind: "node", step: 3 },
    ],
    problems: [expect.stringContaining(`head ${first} has no standby`)],
  });

  cluster.installed = present;
  await cluster.head("head-2", second);
  const ready = new RegExp(`standby +${second} .*${protocolsText(ownProtocols())} +has this version`);
  // The head learns of a standby a moment after it listens.
  const shown = await until("the standby is listed", async () => {
    const plan = await cluster.run(["upgrade", "plan", ...where], present);
    return ready.test(plan.stdout) && plan;
  });
  expect(shown.stdout).toContain("3 processes to replace");
  // The head hands over. The supervisor does not bring a worker back, and the run ends.
  cluster.supervises = false;
  const both = ["--address", `${first},${second}`];
  const interrupted = await cluster.run(["upgrade", "run", ...both, "--wait", "2"], present);
  expect(interrupted.code).toBe(4);
  expect(interrupted.stderr).toMatch(/node node-\w+ on .* is not back after 2 s.*goes on where it was/s);
  expect((await client.heads()).find(({ leads }) => leads)).toMatchObject({
    address: second,
    protocols: ownProtocols(),
  });
  // The other worker waits for its turn.
  expect(cluster.ends.map(([name]) => name)).toEqual(["head-1", expect.stringMatching(/^worker-/)]);
  const left = await cluster.run(["upgrade", "plan", ...both], present);
  expect(left.stdout).toMatch(/1 +node +node-.*was drained; its successor is waited for/);
  cluster.restartAll();
  await until("the worker is back", async () => {
    const alive = await client?.nodes({ states: ["alive"] });
    return alive?.length === 2;
  });
  const finished = await cluster.run(["upgrade", "run", ...both], present);
  expect(finished.code, finished.stderr).toBe(0);
  expect(finished.stdout).toMatch(/1 of \d processes were replaced|2 of \d processes were replaced/);
  const nodes = await client.nodes({ states: ["alive"] });
  expect(nodes.map(({ protocols }) => protocols)).toEqual([ownProtocols(), ownProtocols()]);
  const again = await cluster.run(["upgrade", "run", ...both, "--json"], present);
  expect(JSON.parse(again.stdout)).toMatchObject({ replaced: [] });
  const answered = await calls.end();
  const ran = readFileSync(path, "utf8").trim().split("\n").map(Number);
  expect(new Set(ran).size).toBe(answered);
  expect(ran.length - answered, "calls that ran twice").toBe(0);
  expect(answered).toBeGreaterThan(10);
});

test("PROTOCOL-1, UPGRADE-1: what has no protocol in common is refused, with the method, before anything is touched", async () => {
  const [address] = await begin(speaking("1-2"), 0);
  cluster.installed = speaking("1-1");
  await cluster.worker("old", address);
  const where = ["--address", address];
  for (const protocols of ["2-3", "3-4"]) {
    const target = speaking(protocols);
    const refused = await cluster.run(
      ["upgrade", "run", ...where, "--restart-command", "touch touched"],
      target,
    );
    expect(refused.code).toBe(5);
    expect(refused.stderr).toMatch(
      new RegExp(
        `nothing was touched: .*node node-\\w+ speaks protocol 1, this installation protocols ${protocols[0]} to`,
      ),
    );
    expect(refused.stderr).toContain("lacks Head.ListDrivers");
  }
  // A worker and a program of a later version are told both ranges, and so is the head's user.
  const late = await cluster.run(
    ["worker", "join", ...where, "--node-dir", join(cluster.folder, "late")],
    speaking("3-4"),
  );
  expect(late.code).toBe(5);
  expect(late.stderr).toContain(
    "speaks protocols 3 to 4, the head protocols 1 to 2, and they have none in common",
  );
  const program = await cluster.run(["drain", "node-none", ...where], speaking("3-4"));
  expect(program.stderr).toMatch(
    /this program speaks protocols 3 to 4, the head at .* protocols 1 to 2, and they have none in common/,
  );
  const status = await cluster.run(["status", ...where], speaking("3-4"));
  expect(status.code, status.stderr).toBe(0);
  const found = await cluster.run(["list", "nodes", ...where, "--json"], speaking("2-3"));
  expect(JSON.parse(found.stdout)).toMatchObject([{ state: "alive", protocols: { min: 1, max: 1 } }]);
  expect(cluster.ends).toEqual([]);
});

test("a worker and a head that are to be started again end with the exit code 75", async () => {
  const [address] = await begin(present, 1);
  cluster.supervises = false;
  client = await connect({ address, token: cluster.token });
  const [node] = await client.nodes();
  await client.drain(node?.nodeId ?? "", { restart: true });
  await until("the worker has ended", () => cluster.ends.length === 1);
  await client.shutdown({ restart: true });
  await until("the head has ended", () => cluster.ends.length === 2);
  expect(cluster.ends).toEqual([
    ["worker-1", 75],
    ["head-1", 75],
  ]);
});

/**
 * Measures what a head's death costs, with real processes and the constants of production: two heads share one Redis
 * and the leader is stopped and continued later; Redis loses everything before the head is killed; and heads are killed
 * between an actor's start and the download of its bundle. Prints one table; with --json FILE it also writes it. It
 * takes about six minutes. Needs built code (`npx tsc -b packages/apps/cli`), redis-server and `ss`.
 *
 * Usage: npx tsx --conditions=@palimpsest/source bench/takeover.ts [--only takeover|flush|bundles] [--tls] [--json
 *   FILE]
 */
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { type Cluster, connect } from "@palimpsest/client";
import { newToken } from "@palimpsest/wire";
import { Redis } from "ioredis";
import { Command } from "../test/support/command.js";
import { until } from "../test/support/until.js";
import { WordCounter } from "../test/support/word-counter.js";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";

const flags = benchFlags({ only: undefined, tls: false, json: undefined });
const takeovers = 10;
const kills = 50;
const takeoverLimitMs = 10_000;
/** The bundle is large enough that a head can be killed in the middle of its download. */
const bundlePaddingBytes = 4 * 1024 * 1024;
const lookForDownloadMs = 15_000;
const writes = /"(?:set|hset|hdel|del|hmset|rename|xadd|zadd|sadd|rpush|lpush|expire|pexpire)"/i;

interface Row {
  readonly what: string;
  readonly result: string;
  readonly holds: boolean;
}

const folder = mkdtempSync(join(tmpdir(), "palimpsest-takeover-"));
const token = newToken();
const redisPort = await freePort();
const ports = [await freePort(), await freePort()] as const;
const redisUrl = `redis://127.0.0.1:${redisPort}`;
const address = ports.map((port) => `127.0.0.1:${port}`).join(",");
const source = { from: new URL("../test/support/word-counter.ts", import.meta.url) };
const certificates = (role: string) => (flags.tls ? join(folder, "certs", role) : "");

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const bound = server.address();
      server.close(() => resolve(bound !== null && typeof bound === "object" ? bound.port : 0));
    });
  });
}

function command(args: readonly string[], role: string): Command {
  const tls = flags.tls && role ? ["--tls", certificates(role)] : [];
  return Command.start([...args, ...tls], {
    cwd: folder,
    environment: { PALIMPSEST_TOKEN: token, XDG_STATE_HOME: join(folder, "state") },
  });
}

function startHead(index: 0 | 1): Command {
  const data = join(folder, `head-${index}`);
  return command(
    ["head", "start", "--redis", redisUrl, "--port", String(ports[index]), "--data-dir", data],
    "head",
  );
}

const leads = (head: Command) => head.output.includes("listens on");

/** Returns the local ports of this process's connections to Redis. */
function redisPortsOf(pid: number): Set<string> {
  const lines = execFileSync("ss", ["-Htnp", "dst", `127.0.0.1:${redisPort}`], { encoding: "utf8" });
  const own = lines.split("\n").filter((line) => line.includes(`pid=${pid},`));
  return new Set(own.map((line) => /:(\d+)\s+\S+\s+users/.exec(line)?.[1] ?? ""));
}

/** Counts what the connections of a process write, including writes from within scripts. */
async function writesOf(pid: number, during: () => Promise<void>): Promise<number> {
  // A plain socket is used, because ioredis takes the lines of scripts for replies to commands.
  const monitor = createConnection(redisPort, "127.0.0.1");
  monitor.write("MONITOR\r\n");
  const lines: { readonly source: string; readonly words: string }[] = [];
  createInterface(monitor).on("line", (line) => {
    const [, from, words] = /^\+[\d.]+ \[\d+ ([^\]]+)\] (.*)$/.exec(line) ?? [];
    if (from !== undefined && words !== undefined) lines.push({ source: from, words });
  });
  const own = redisPortsOf(pid);
  const look = setInterval(() => {
    for (const port of redisPortsOf(pid)) own.add(port);
  }, 100);
  await during();
  clearInterval(look);
  monitor.destroy();
  let written = 0;
  let caller = "";
  for (const { source: from, words } of lines) {
    // The writes of a script follow the line of the command that called it.
    if (from !== "lua") caller = from.slice(from.lastIndexOf(":") + 1);
    // A head that no longer leads announces itself and waits: the list of heads contains no state of the cluster.
    const [command = "", key = ""] = words.split(" ");
    if (own.has(caller) && writes.test(command) && !key.endsWith(':head:heads"')) written++;
  }
  return written;
}

async function states(cluster: Cluster): Promise<Map<string, string>> {
  const actors = await cluster.actors();
  return new Map(actors.map(({ actorId, incarnation, state }) => [actorId, `${incarnation} ${state}`]));
}

const seconds = (ms: number) => (ms / 1000).toFixed(1);

function medianAndWorst(values: readonly number[]): [number, number] {
  const sorted = values.toSorted((a, b) => a - b);
  return [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0];
}

async function takeover(): Promise<Row> {
  const tookMs: number[] = [];
  const ledMs: number[] = [];
  let written = 0;
  let changed = 0;
  for (let round = 0; round < takeovers; round++) {
    const first = heads.find(leads) as Command;
    const index = heads.indexOf(first) as 0 | 1;
    const other = heads[1 - index] as Command;
    const before = await states(client);
    first.kill("SIGSTOP");
    const stoppedAt = performance.now();
    await until("the standby leads", () => leads(other), { timeoutMs: 60_000 });
    const leadsAt = performance.now();
    // Only a leading head can answer this call, so it also measures how the driver finds the other head.
    await client.actors();
    tookMs.push(performance.now() - stoppedAt);
    ledMs.push(leadsAt - stoppedAt);
    await (await client.actor(WordCounter, source).spawn(0)).kill();
    written += await writesOf(first.pid, async () => {
      first.kill("SIGCONT");
      await Promise.race([first.ended, delay(10_000)]);
    });
    await counter.count("red");
    const after = await states(client);
    for (const [actorId, state] of before) if (after.get(actorId) !== state) changed++;
    if (first.running) first.kill("SIGKILL");
    await first.ended;
    heads[index] = startHead(index);
    await until("the restarted head waits", () => /waits|standby/i.test(heads[index]?.output ?? ""));
  }
  const [median, worst] = medianAndWorst(tookMs);
  const [medianLed, worstLed] = medianAndWorst(ledMs);
  return {
    what: `${takeovers} times the leading head stopped, another on the same Redis, the first continued`,
    result:
      `another leads after ${seconds(medianLed)} s, at most ${seconds(worstLed)}; ` +
      `a driver's call is answered after ${seconds(median)} s, at most ${seconds(worst)}; ` +
      `rows written by the first afterwards: ${written}; actors changed: ${changed}`,
    holds: worstLed <= takeoverLimitMs && worst <= takeoverLimitMs && written === 0 && changed === 0,
  };
}

async function flush(): Promise<Row> {
  const extra = await Promise.all(
    Array.from({ length: 10 }, () => client.actor(WordCounter, source).spawn(0)),
  );
  const pids = await Promise.all(extra.map(async (one) => (await one.place()).pid));
  const before = await states(client);
  const redis = new Redis(redisUrl);
  await redis.flushall();
  redis.disconnect();
  // The heads are killed at once, so that they have no time to notice the loss.
  for (const head of heads) head.kill("SIGKILL");
  await Promise.all(heads.map(({ ended }) => ended));
  heads[0] = startHead(0);
  heads[1] = startHead(1);
  const startedAt = performance.now();
  const again = await Promise.all(extra.map(async (one) => (await one.place()).pid));
  let now = new Map<string, string>();
  const known = async () => {
    now = await states(client);
    return now.size === before.size;
  };
  await until("every actor is known again", known, {
    timeoutMs: 60_000,
    explain: () => `before: ${JSON.stringify([...before])}, now: ${JSON.stringify([...now])}`,
  });
  const tookMs = performance.now() - startedAt;
  const after = await states(client);
  let changed = 0;
  for (const [actorId, state] of before) if (after.get(actorId) !== state) changed++;
  const moved = again.filter((pid, index) => pid !== pids[index]).length;
  await Promise.all(extra.map((one) => one.kill()));
  return {
    what: "FLUSHALL under running heads, which are then killed and restarted",
    result: `${before.size} actors known again after ${seconds(tookMs)} s; restarted: ${changed + moved}`,
    holds: changed + moved === 0,
  };
}

async function bundles(): Promise<Row> {
  const sources = join(folder, "sources");
  mkdirSync(sources);
  let alive = 0;
  let during = 0;
  for (let round = 0; round < kills; round++) {
    const file = join(sources, `held-${round}.mjs`);
    const padding = randomBytes(bundlePaddingBytes / 2).toString("hex");
    writeFileSync(
      file,
      `export class Held { padding() { return "${padding}".length; } async id() { return ${round}; } }\n`,
    );
    const { Held } = (await import(file)) as { Held: new () => { id(): Promise<number> } };
    const spawned = client.actor(Held, { from: new URL(`file://${file}`) }).spawn();
    void spawned.catch(() => undefined);
    const headIndex = heads.findIndex(leads) as 0 | 1;
    const downloading = () => partFiles().length > 0;
    const lookUntil = performance.now() + lookForDownloadMs;
    while (!downloading() && performance.now() < lookUntil) await new Promise((turn) => setImmediate(turn));
    if (downloading()) during++;
    heads[headIndex]?.kill("SIGKILL");
    await heads[headIndex]?.ended;
    heads[headIndex] = startHead(headIndex);
    const actor = await spawned.catch((reason: unknown) => {
      process.stdout.write(`round ${round}: ${String(reason)}\n`);
      return undefined;
    });
    if (actor && (await actor.id().catch(() => -1)) === round) alive++;
    await actor?.kill();
    rmSync(file);
  }
  return {
    what: `${kills} times the head killed after an actor's start`,
    result: `${during} times within the bundle's download; actors alive: ${alive}`,
    holds: alive === kills,
  };
}

function partFiles(): string[] {
  const bundleFolder = join(folder, "node", "bundles");
  if (!existsSync(bundleFolder)) return [];
  return readdirSync(bundleFolder).filter((name) => name.endsWith(".part"));
}

if (flags.tls) {
  const made = await command(["certs", "init", "--dir", join(folder, "certs")], "").ended;
  if (made.code !== 0) throw new Error(made.stderr);
}
const redis = spawn("redis-server", ["--port", String(redisPort), "--bind", "127.0.0.1", "--dir", folder], {
  stdio: "ignore",
});
const heads: Command[] = [startHead(0)];
await until("the first head leads", () => leads(heads[0] as Command), { timeoutMs: 30_000 });
heads.push(startHead(1));
const node = command(
  ["worker", "join", "--address", address, "--node-dir", join(folder, "node"), "--cpus", "64"],
  "node",
);
await until("the node joins", () => node.output.includes("joined"), { timeoutMs: 30_000 });
const client = await connect({ address, token, tls: certificates("driver"), name: "takeover" });
const counter = await client.actor(WordCounter, source).spawn(0);
await counter.count("red");

const rows: Row[] = [];
try {
  for (const [name, measure] of Object.entries({ takeover, flush, bundles })) {
    if (flags.only && flags.only !== name) continue;
    const row = await measure();
    rows.push(row);
    process.stdout.write(`${row.what}: ${row.result}\n`);
  }
} finally {
  await client.close().catch(() => undefined);
  for (const one of [node, ...heads]) one.kill("SIGTERM");
  await Promise.race([Promise.all([node, ...heads].map(({ ended }) => ended)), delay(15_000)]);
  for (const one of [node, ...heads]) if (one.running) one.kill("SIGKILL");
  // Redis writes its snapshots into the folder, so it must have ended before the folder is removed.
  redis.kill("SIGKILL");
  if (redis.exitCode === null && redis.signalCode === null) await once(redis, "exit");
  rmSync(folder, { recursive: true, force: true });
}
console.table(rows);
if (flags.json) writeResult(flags.json, { tls: flags.tls, rows, node: process.version });
process.exit(rows.length > 0 && rows.every(({ holds }) => holds) ? 0 : 1);

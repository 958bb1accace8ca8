import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@palimpsest/telemetry";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { until } from "../../../../../test/support/until.js";
import { checkExistingRedis, connectRedis } from "./redis-connection.js";

const lines: { readonly level: string; readonly msg: string }[] = [];
const logger = createLogger({
  component: "test",
  destination: { write: (line: string) => lines.push(JSON.parse(line)) } as never,
});
let server: ChildProcess;
let port = 0;
let folder = "";

async function freePort(): Promise<number> {
  const probe: Server = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

beforeAll(async () => {
  port = await freePort();
  folder = mkdtempSync(join(tmpdir(), "palimpsest-redis-"));
  const settings = ["--port", String(port), "--requirepass", "right", "--databases", "3"];
  const rest = ["--bind", "127.0.0.1", "--save", "", "--maxmemory-policy", "allkeys-lru"];
  server = spawn("redis-server", [...settings, ...rest], { stdio: "ignore", cwd: folder });
  await until("redis-server answers", async () => {
    const client = await connectRedis(`redis://:right@127.0.0.1:${port}`, logger);
    client.disconnect();
    return true;
  });
});
afterAll(() => {
  server?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

test("a database that exists is used, and one that does not is refused instead of database 0", async () => {
  const client = await connectRedis(`redis://:right@127.0.0.1:${port}/2`, logger);
  onTestFinished(() => {
    client.disconnect();
  });
  await client.set("where", "two");
  const other = new Redis(`redis://:right@127.0.0.1:${port}/2`);
  expect(await other.get("where")).toBe("two");
  other.disconnect();
  await expect(connectRedis(`redis://:right@127.0.0.1:${port}/99`, logger)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    rawMessage: expect.stringMatching(/DB index is out of range; name a database that the server has/),
  });
});

test.each([
  ["a wrong password", () => `redis://:wrong@127.0.0.1:${port}`, /WRONGPASS.*; check user and password/],
  ["no password", () => `redis://127.0.0.1:${port}`, /NOAUTH.*; check user and password/],
  ["a port where nobody listens", () => "redis://127.0.0.1:1", /ECONNREFUSED.*; start it/],
  [
    "a name that does not resolve",
    () => "redis://no-such-host.invalid",
    /(ENOTFOUND|EAI_AGAIN).*does not resolve/,
  ],
  ["TLS to a plain server", () => `rediss://:right@127.0.0.1:${port}`, /give redis:\/\/ if it serves no TLS/],
])("%s is told with its cause and fix", async (_, url, message) => {
  await expect(connectRedis(url(), logger)).rejects.toThrow(message);
});

test("settings with which data is lost are warned of", async () => {
  const client = await connectRedis(`redis://:right@127.0.0.1:${port}`, logger);
  onTestFinished(() => {
    client.disconnect();
  });
  lines.length = 0;
  await checkExistingRedis(client, logger);
  const told = lines.map(({ msg }) => msg).join("\n");
  expect(told).toContain("set maxmemory-policy to noeviction");
  expect(told).toContain("set appendonly to yes");
});

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createLogger } from "@palimpsest/telemetry";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { engineSettingsSchema } from "../recipe/engine-settings.js";
import { EngineServer } from "./engine-server.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const living = new AbortController().signal;
const policy = { folder: "/nowhere/policy", policyVersion: 1, weightsHash: "hash" };

/** A program of the recipe's: it writes its pid and port, then does what the source says, in which `port` is its port. */
function aServer(
  source: string,
  settings: object = {},
  { prepare, answerMs }: { readonly prepare?: object; readonly answerMs?: number } = {},
): EngineServer {
  const program = `
    const port = Number(process.argv[1]);
    const { appendFileSync } = require("node:fs");
    appendFileSync(${JSON.stringify(join(folder, "started"))}, process.pid + " " + port + "\\n");
    const serve = (status) => require("node:http").createServer((request, response) => {
      if (request.url === "/hang") {
        request.socket.destroy();
        request.socket.on("close", () => { for (;;); });
        return;
      }
      response.writeHead(status);
      response.end("{}");
    }).listen(port, "127.0.0.1");
    ${source}`;
  const start = {
    command: process.execPath,
    arguments: ["-e", program, "{port}", "{model}"],
    ...(prepare ? { prepare } : {}),
  };
  const engine = engineSettingsSchema.parse({ kind: "vllm", start, ...settings });
  const server = new EngineServer({
    engine,
    temperature: 1,
    place: 0,
    apiKey: undefined,
    environment: process.env,
    folder,
    ...(answerMs === undefined ? {} : { answerMs }),
    logger: createLogger({ component: "test", level: "silent" }),
  });
  onTestFinished(() => server.close());
  return server;
}

/** Process and port of every start whose line is complete: the file exists before its first line does. */
const started = () =>
  existsSync(join(folder, "started"))
    ? readFileSync(join(folder, "started"), "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => line.split(" ").map(Number))
    : [];
const alive = (pid = 0) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};
const until = (look: () => unknown) =>
  vi.waitFor(() => expect(look()).toBeTruthy(), { timeout: 600_000, interval: 20 });

it("a server that never becomes healthy is ended after its time, and the error says what it printed", async () => {
  const server = aServer(`console.log("loading weights"); serve(503);`, { startTimeoutMs: 3_000 });
  await expect(server.load(policy, living)).rejects.toThrow(
    // A busy machine may not have started it by then.
    /UNREACHABLE.*did not answer within startTimeoutMs 3000: .*it printed: (loading weights|nothing)/s,
  );
  expect(started().filter(([pid]) => alive(pid))).toEqual([]);
});

it("a server that dies at its start is told with its last words, and started again at the next try", async () => {
  const marker = join(folder, "tried");
  const server = aServer(`
    const { existsSync, writeFileSync } = require("node:fs");
    if (!existsSync(${JSON.stringify(marker)})) {
      writeFileSync(${JSON.stringify(marker)}, "");
      throw new Error("listen EADDRINUSE: address already in use 127.0.0.1:" + port);
    }
    serve(200);`);
  await expect(server.load(policy, living)).rejects.toThrow(/ended before it answered: .*EADDRINUSE/s);
  await server.load(policy, living);
  expect(started()).toHaveLength(2);
});

it("another program that answers at its port is not taken for it: nothing counts once it has ended", async () => {
  const server = aServer(`setInterval(() => {}, 1000);`);
  const loading = server.load(policy, living);
  await until(() => started().length === 1);
  const [[pid = 0, port] = []] = started();
  const other = createServer((_, response) => response.end("{}"));
  other.listen(port, "127.0.0.1");
  onTestFinished(() => {
    other.close();
  });
  await loading;
  await server.confirm(living);
  process.kill(pid, "SIGKILL");
  await vi.waitFor(() => expect(server.confirm(living)).rejects.toThrow(/has ended/), 600_000);
});

it("a server that hangs is started again, whether it takes weights by reload or not", async () => {
  const server = aServer("serve(200);", {}, { answerMs: 1_000 });
  await server.load(policy, living);
  await server.check(living);
  const [[pid = 0] = []] = started();
  // Runs, and answers nothing more.
  await fetch(`http://127.0.0.1:${started()[0]?.[1]}/hang`).catch(() => undefined);
  await server.confirm(living);
  await expect(server.check(living)).rejects.toThrow(/does not answer within/);
  await server.load({ ...policy, policyVersion: 2 }, living);
  expect(started()).toHaveLength(2);
  expect(alive(pid)).toBe(false);
  expect(server.sampler.policyVersion).toBe(2);
});

it("a program that is not there, or that cannot prepare its file, is named", async () => {
  const absent = aServer("", { start: { command: "no-such-server", arguments: ["{port}", "{model}"] } });
  await expect(absent.load(policy, living)).rejects.toThrow(/no-such-server ENOENT/);
  const prepare = {
    command: process.execPath,
    arguments: ["-e", "console.log('no config.json'); process.exit(1)"],
  };
  const unprepared = aServer("serve(200);", {}, { prepare });
  await expect(unprepared.load(policy, living)).rejects.toThrow(/prepare: .* failed: no config\.json/);
  expect(started()).toEqual([]);
});

it("a server that has died is started again from the file that was prepared, and a new version is prepared", async () => {
  const prepared = join(folder, "prepared");
  const source = `require("node:fs").appendFileSync(${JSON.stringify(prepared)}, process.argv[1] + "\\n")`;
  const prepare = { command: process.execPath, arguments: ["-e", source, "{model}"] };
  const server = aServer("serve(200);", { load: "restart" }, { prepare });
  await server.load(policy, living);
  await server.load(policy, living);
  await server.load({ ...policy, folder: "/nowhere/next", policyVersion: 2 }, living);
  expect(started()).toHaveLength(3);
  expect(readFileSync(prepared, "utf8")).toBe("/nowhere/policy\n/nowhere/next\n");
});

/**
 * Tests what a newcomer types first: one command that starts a cluster, programs that find it without any variable, and
 * programs that bring a cluster of their own.
 */
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { Command } from "../support/command.js";
import { commandLine, isAlive, markedProcesses, markName } from "../support/processes.js";
import { testFolder } from "../support/temporary-folder.js";
import { GivenUp, until } from "../support/until.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const hello = "examples/hello/main.ts";
const withTypes = ["--import", "tsx"];

/** A user with an empty home, and the processes that were started for them. */
function user() {
  const folder = testFolder();
  const started: Command[] = [];
  onTestFinished(async () => {
    for (const command of started) if (command.running) command.kill("SIGKILL");
    await until("nothing is left", () => markedProcesses(folder).length === 0);
  });
  return {
    folder,
    processes: () => markedProcesses(folder),
    /** Runs the command, or another program of node. */
    start(args: readonly string[], program?: readonly string[]): Command {
      const command = Command.start(args, {
        cwd: root,
        environment: { [markName]: folder, XDG_STATE_HOME: folder, TMPDIR: folder },
        ...(program ? { program } : {}),
      });
      started.push(command);
      return command;
    },
  };
}

/** Returns a port that nobody listens on at the moment. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Waits for the first line of standard output. */
async function firstLine(command: Command): Promise<string> {
  return await until("it prints a line", () => {
    if (!command.running && !command.output.includes("\n")) throw new GivenUp(command.output);
    return /^(.*)\n/.exec(command.output)?.[1];
  });
}

/** Runs programs that never call close(): they end when nothing of their own keeps them, and take their actors along. */
async function endByThemselves(someone: ReturnType<typeof user>): Promise<void> {
  const says = { timer: "timer\n", calls: "42 0 3000000\n", inherit: "", death: "dead\n" };
  const modules = Object.entries(says).map(async ([how, said]) => {
    const program = someone.start(["test/support/ending-program.ts", how], withTypes);
    const pid = await firstLine(program);
    // It waits for this.
    if (how === "death") process.kill(Number(pid), "SIGKILL");
    expect(await program.ended, how).toMatchObject({ code: 0, stdout: `${pid}\n${said}bye\n`, stderr: "" });
    await until(`the actor of ${how} ends with its program`, () => !isAlive(Number(pid)));
  });
  const text = `require("@palimpsest/client").connect().then(async (cluster) => {
    const from = ${JSON.stringify(new URL("../support/task-functions.ts", import.meta.url))};
    console.log(await cluster.task({ from, exportName: "double" })(21));
  });`;
  const script = someone.start(["-e", text], []).ended;
  expect(await script).toMatchObject({ code: 0, stdout: "42\n", stderr: "" });
  await Promise.all(modules);
}

test("`palimpsest dev` is found by README's program and by commands, tells a second one of itself, and takes all with it", async () => {
  const someone = user();
  const port = await freePort();
  const dev = someone.start(["dev", "--cpus", "2", "--port", `${port}`]);
  const line = await firstLine(dev);
  const link = new URL(/^dashboard {2}(\S+)$/.exec(line)?.[1] ?? "");
  expect((await fetch(link)).status).toBe(200);
  const token = new URLSearchParams(link.hash.split("?")[1]).get("token") ?? "";
  const signIn = await fetch(new URL("/api/sign-in", link), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  expect(signIn.status).toBe(200);

  const [program, status, second] = await Promise.all([
    someone.start([hello], withTypes).ended,
    someone.start(["status"]).ended,
    someone.start(["dev"]).ended,
  ]);
  expect(program).toMatchObject({ code: 0, stdout: "2\n1,4,9\n" });
  expect(status.stdout).toContain("nodes: 1 alive");
  const { address, pid } = JSON.parse(
    readFileSync(join(someone.folder, "palimpsest/dev/head/head.json"), "utf8"),
  );
  expect(address).toBe(`127.0.0.1:${port}`);
  expect(second.code).toBe(1);
  for (const part of ["runs already", address, `pid ${pid}`, link.origin])
    expect(second.stderr).toContain(part);

  await endByThemselves(someone);
  expect(await someone.start(["stop"]).ended).toMatchObject({ code: 0, stdout: "the cluster ends\n" });
  // That somebody asked for its end is no failure.
  const stopped = { code: 0, stdout: `${line}\n`, stderr: "the cluster was stopped from elsewhere\n" };
  expect(await dev.ended).toMatchObject(stopped);
  expect(someone.processes().map(commandLine)).toEqual([]);
  expect(existsSync(join(someone.folder, "palimpsest/dev"))).toBe(false);
  const lost = await someone.start([hello], withTypes).ended;
  expect(lost.code).toBe(1);
  expect(lost.stderr).toMatch(/no head runs on this machine .*palimpsest dev/);
});

test("`palimpsest dev` says by what its head was ended, and ends the Redis that this head had begun anew, too", async () => {
  const someone = user();
  const dev = someone.start(["dev", "--cpus", "1"]);
  await firstLine(dev);
  const head = join(someone.folder, "palimpsest/dev/head");
  const pidIn = (file: string) => Number(JSON.parse(readFileSync(join(head, file), "utf8")).pid);
  const first = pidIn("redis/redis.json");
  process.kill(first, "SIGKILL");
  const second = await until("the head has another Redis", () => {
    const pid = pidIn("redis/redis.json");
    return pid !== 0 && pid !== first ? pid : undefined;
  });
  process.kill(pidIn("head.json"), "SIGKILL");
  const { code, stderr } = await dev.ended;
  expect(code).toBe(4);
  expect(stderr).toMatch(/the head was ended by SIGKILL; /);
  await until("its Redis has ended", () => !isAlive(second));
  expect(someone.processes().map(commandLine)).toEqual([]);
});

test("`palimpsest dev -- PROGRAM` runs it against a cluster of its own and ends with its exit code", async () => {
  const someone = user();
  const program =
    "process.exit(process.env.PALIMPSEST_ADDRESS.startsWith('127.0.0.1:') ? Number(process.argv[1]) : 1)";
  const { code, stderr } = await someone.start([
    "dev",
    "--cpus",
    "1",
    "--",
    process.execPath,
    "-e",
    program,
    "7",
  ]).ended;
  expect({ code, stderr }).toEqual({ code: 7, stderr: "" });
  expect(someone.processes().map(commandLine)).toEqual([]);
});

test("a program's own cluster ends with it, whether it closes it or is killed (DEV-1)", async () => {
  const someone = user();
  const runs = (["close", "kill"] as const).map(async (how) => {
    const program = someone.start(["test/support/local-program.ts", how], withTypes);
    const { count, pids, cpus } = JSON.parse(await firstLine(program)) as {
      count: number;
      cpus: number;
      pids: number[];
    };
    expect({ count, cpus }).toEqual({ count: 1, cpus: 2 });
    expect(pids.length).toBe(4);
    if (how === "kill") {
      expect(pids.every(isAlive)).toBe(true);
      program.kill("SIGKILL");
    }
    const { code, signal } = await program.ended;
    expect({ code, signal }).toEqual(
      {
        close: { code: 0, signal: null },
        kill: { code: null, signal: "SIGKILL" },
      }[how],
    );
    if (how === "close") expect(pids.filter(isAlive).map(commandLine)).toEqual([]);
    await until(`nothing of ${how} is left`, () => !pids.some(isAlive), {
      explain: () => pids.filter(isAlive).map(commandLine).join("\n"),
    });
  });
  await Promise.all(runs);
});

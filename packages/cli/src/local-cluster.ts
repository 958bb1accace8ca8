import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "@palimpsest/client";
import { readHeadAddress, tokenPathOf } from "@palimpsest/head/files";
import { PalimpsestError } from "@palimpsest/wire";
import { cliEntry } from "./cli-entry.js";
import { redisVariables } from "./redis-flags.js";
import { tokenFileVariable } from "./token-source.js";

const startTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;
const lookMs = 50;

/**
 * A head and one worker on this machine, each in a process of its own, like those that a user would start in two
 * terminals.
 */
export class LocalCluster {
  readonly address: string;
  readonly token: string;
  readonly metricsAddress: string;
  readonly headDir: string;
  readonly #head: ChildProcess;
  readonly #worker: ChildProcess;

  private constructor(head: ChildProcess, worker: ChildProcess, facts: Facts, headDir: string) {
    this.#head = head;
    this.#worker = worker;
    this.address = facts.address;
    this.token = facts.token;
    this.metricsAddress = facts.metricsAddress;
    this.headDir = headDir;
  }

  /** @throws {PalimpsestError} UNAVAILABLE with the output of the process */
  static async start(dataDir: string, signal: AbortSignal): Promise<LocalCluster> {
    const headDir = join(dataDir, "head");
    const head = command(["head", "start", "--data-dir", headDir]);
    let worker: Started | undefined;
    try {
      const facts = await listening(head, headDir, signal);
      worker = command(
        [
          "worker",
          "join",
          "--pass-env",
          "*",
          "--address",
          facts.address,
          "--node-dir",
          join(dataDir, "node"),
        ],
        {
          PALIMPSEST_TOKEN: facts.token,
        },
      );
      await joined(worker, facts, signal);
      return new LocalCluster(head.child, worker.child, facts, headDir);
    } catch (reason) {
      worker?.child.kill("SIGKILL");
      await end(head.child);
      throw reason;
    }
  }

  get headPid(): number {
    return this.#head.pid ?? 0;
  }

  get workerPid(): number {
    return this.#worker.pid ?? 0;
  }

  /** Ends the worker, then the head with its Redis. */
  async stop(): Promise<void> {
    await end(this.#worker);
    await end(this.#head);
  }
}

interface Facts {
  readonly address: string;
  readonly token: string;
  readonly metricsAddress: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly said: () => string;
}

/** Removes the user's Redis and token file from the environment, because a temporary cluster has its own. */
const withoutRedis = Object.fromEntries(
  [...redisVariables, tokenFileVariable].map((name) => [name, undefined]),
);

function command(args: readonly string[], environment: Record<string, string> = {}): Started {
  // Each process gets a process group of its own, so that Ctrl-C in the terminal reaches only this process, which ends
  // the others in order.
  const child = spawn(process.execPath, [cliEntry, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: { ...process.env, ...withoutRedis, ...environment },
  });
  let text = "";
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString("utf8")).slice(-4000);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  return { child, said: () => text.trim() };
}

async function until(
  started: Started,
  what: string,
  signal: AbortSignal,
  look: () => Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + startTimeoutMs;
  while (!(await look())) {
    signal.throwIfAborted();
    if (started.child.exitCode !== null || started.child.signalCode !== null) {
      throw new PalimpsestError("UNAVAILABLE", `${what} ended while it started: ${started.said()}`);
    }
    if (performance.now() > deadline)
      throw new PalimpsestError(
        "UNAVAILABLE",
        `${what} did not start within ${startTimeoutMs} ms: ${started.said()}`,
      );
    await delay(lookMs, undefined, { signal });
  }
}

async function listening(head: Started, headDir: string, signal: AbortSignal): Promise<Facts> {
  await until(head, "the head", signal, async () => readHeadAddress(headDir)?.pid === head.child.pid);
  const { address, metricsAddress } = readHeadAddress(headDir) ?? { address: "", metricsAddress: "" };
  return { address, metricsAddress, token: readFileSync(tokenPathOf(headDir), "utf8").trim() };
}

async function joined(worker: Started, facts: Facts, signal: AbortSignal): Promise<void> {
  const cluster = await connect({ address: facts.address, token: facts.token, name: "local cluster" });
  try {
    await until(worker, "the worker", signal, async () =>
      (await cluster.nodes()).some((node) => node.state === "alive"),
    );
  } finally {
    await cluster.close();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
  await exited;
  clearTimeout(timer);
}

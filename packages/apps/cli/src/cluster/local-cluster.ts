import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@palimpsest/client";
import { delay } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";
import { readHeadAddress, tokenFileVariable, tokenPathOf } from "@palimpsest/wire/local-head";
import { cliEntry } from "../installation/cli-entry.js";
import { redisVariables } from "./redis-flags.js";

/** It only ends what hangs: a process that ends is noticed at once. */
const startTimeoutMs = 300_000;
const stopTimeoutMs = 15_000;
const lookMs = 50;
/** Characters that are shown of the last line of a process that has ended. */
const longestLine = 500;

export interface LocalClusterOptions {
  /** CPUs that its worker offers. Default: those of the machine. */
  readonly cpus?: number | undefined;
  /** Port of the head. Default: 0, a free one. */
  readonly port?: number;
  /** Port of the dashboard. Default: 0, a free one; null: no dashboard. */
  readonly dashboardPort?: number | null;
}

/**
 * A head and one worker on this machine, each in a process of its own, like those that a user would start in two
 * terminals. They end when this process does, however it ends.
 */
export class LocalCluster {
  readonly address: string;
  readonly token: string;
  readonly metricsAddress: string;
  /** host:port; empty if it is off. */
  readonly dashboardAddress: string;
  readonly headDir: string;
  /** Resolves when one of the two has ended without this process. */
  readonly ended: Promise<EndedProcess>;
  readonly #head: ChildProcess;
  readonly #worker: ChildProcess;

  private constructor(head: Started, worker: Started, facts: Facts, headDir: string) {
    this.#head = head.child;
    this.#worker = worker.child;
    this.address = facts.address;
    this.token = facts.token;
    this.metricsAddress = facts.metricsAddress;
    this.dashboardAddress = facts.dashboardAddress;
    this.headDir = headDir;
    const ended = (name: string, { child, said }: Started) =>
      once(child, "exit").then(([code, signal]): EndedProcess => {
        const how = signal === null ? `has ended with code ${code}` : `was ended by ${signal}`;
        const last = said().split("\n").at(-1)?.slice(0, longestLine);
        const text = `the ${name} ${how}; ${last ? `its last line: ${last}` : "it printed nothing"}`;
        return { text, wasAsked: code === 0 };
      });
    this.ended = Promise.race([ended("head", head), ended("worker", worker)]);
  }

  /** @throws {PalimpsestError} UNAVAILABLE with the output of the process */
  static async start(
    dataDir: string,
    signal: AbortSignal,
    { cpus, port = 0, dashboardPort = 0 }: LocalClusterOptions = {},
  ): Promise<LocalCluster> {
    const headDir = join(dataDir, "head");
    const page = dashboardPort === null ? ["--no-dashboard"] : ["--dashboard-port", `${dashboardPort}`];
    const head = command(["head", "start", "--data-dir", headDir, "--port", `${port}`, ...page]);
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
          ...(cpus === undefined ? [] : ["--cpus", `${cpus}`]),
        ],
        {
          PALIMPSEST_TOKEN: facts.token,
        },
      );
      await joined(worker, facts, signal);
      return new LocalCluster(head, worker, facts, headDir);
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

  /** Ends the worker, then the head with its Redis, which outlives a head that was killed. */
  async stop(): Promise<void> {
    await end(this.#worker);
    const wasKilled = this.#head.exitCode !== null || this.#head.signalCode !== null;
    await end(this.#head);
    if (!wasKilled) return;
    // Its Redis may be another one than at the start.
    const { ownRedisPid } = await import("@palimpsest/head");
    const redisPid = await ownRedisPid(this.headDir);
    if (redisPid !== undefined) process.kill(redisPid, "SIGTERM");
  }
}

export interface EndedProcess {
  /** Its name, how it ended, and what it printed last. */
  readonly text: string;
  /** Whether it ended in order, as `palimpsest stop` and `palimpsest drain` ask. */
  readonly wasAsked: boolean;
}

interface Facts {
  readonly address: string;
  readonly token: string;
  readonly metricsAddress: string;
  readonly dashboardAddress: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly said: () => string;
}

/** Removes what belongs to another cluster from the environment, because this one has its own. */
const withoutOthers = Object.fromEntries(
  [
    ...redisVariables,
    tokenFileVariable,
    "PALIMPSEST_ADDRESS",
    "PALIMPSEST_TOKEN",
    "PALIMPSEST_TLS",
    "PALIMPSEST_JOB_ID",
  ].map((name) => [name, undefined]),
);

function command(args: readonly string[], environment: Record<string, string> = {}): Started {
  // Each process gets a process group of its own, so that Ctrl-C in the terminal reaches only this process, which ends
  // the others in order.
  const child = spawn(process.execPath, [cliEntry, ...args, "--until-stdin-ends"], {
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
    env: { ...process.env, ...withoutOthers, ...environment },
  });
  child.stdin?.on("error", () => undefined);
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
    await delay(lookMs, signal);
    signal.throwIfAborted();
  }
}

async function listening(head: Started, headDir: string, signal: AbortSignal): Promise<Facts> {
  await until(head, "the head", signal, async () => readHeadAddress(headDir)?.pid === head.child.pid);
  const none = { address: "", metricsAddress: "", dashboardAddress: "" };
  const { address, metricsAddress, dashboardAddress } = readHeadAddress(headDir) ?? none;
  return {
    address,
    metricsAddress,
    dashboardAddress,
    token: readFileSync(tokenPathOf(headDir), "utf8").trim(),
  };
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

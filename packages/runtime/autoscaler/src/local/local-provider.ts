/**
 * Responsibility: provides nodes as processes of this machine, each of them `palimpsest worker join`, which outlive the
 * head that started them. Each name has a folder with the record of its process.
 *
 * Invariants:
 * - LOCAL-1. A name has at most one process, because its creator first claims its folder.
 * - LOCAL-2. A process is ended only while it is the node of that name.
 */

import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { delay } from "@palimpsest/std";
import { makeFolder } from "@palimpsest/std/files";
import { PalimpsestError } from "@palimpsest/wire";
import type { NodeTypeConfig } from "../config.js";
import { type Instance, instanceLabel, type NewInstance, type NodeProvider } from "../provider.js";
import type { ProviderContext } from "../provider-context.js";
import { claim, type InstanceRecord, isNodeProcess, readRecord, rewrite } from "./instance-record.js";

/** Milliseconds that a node has to end with its actors in an orderly way before it is killed. */
const stopGraceMs = 15_000;
const pollMs = 100;
/** A claim without a process that is older than this many milliseconds was left by a head that was killed. */
const claimMs = 10_000;

export class LocalProvider implements NodeProvider {
  readonly kind = "local";
  readonly #folder: string;
  readonly #context: ProviderContext;
  readonly #ending = new Map<string, Promise<void>>();

  constructor(folder: string, context: ProviderContext) {
    this.#folder = folder;
    this.#context = context;
  }

  async list(): Promise<readonly Instance[]> {
    if (!existsSync(this.#folder)) return [];
    const instances: Instance[] = [];
    for (const name of readdirSync(this.#folder)) {
      const record = readRecord(this.#path(name));
      if (record === undefined) continue;
      const state = await this.#stateOf(name, record);
      instances.push({ name, ...record, state, problem: state === "ended" ? "its process has ended" : "" });
    }
    return instances;
  }

  async create(instances: readonly NewInstance[]): Promise<void> {
    for (const { name, type } of instances) {
      makeFolder(this.#path(name), 0o700);
      const record = { pid: 0, nodeType: type.name, createdAtMs: Date.now() };
      // LOCAL-1
      if (!claim(this.#path(name), record)) continue;
      const pid = await this.#start(name, type);
      rewrite(this.#path(name), { ...record, pid });
    }
  }

  async terminate(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const record = readRecord(this.#path(name));
      if (record === undefined || this.#ending.has(name)) continue;
      const ending = this.#end(name, record).finally(() => this.#ending.delete(name));
      this.#ending.set(name, ending);
    }
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  async #stateOf(name: string, { pid, createdAtMs }: InstanceRecord): Promise<Instance["state"]> {
    if (this.#ending.has(name)) return "ending";
    if (pid === 0) return Date.now() - createdAtMs < claimMs ? "starting" : "ended";
    return (await isNodeProcess(pid, name)) ? "running" : "ended";
  }

  /** LOCAL-2 */
  async #end(name: string, { pid }: InstanceRecord): Promise<void> {
    const until = performance.now() + stopGraceMs;
    if (await isNodeProcess(pid, name)) process.kill(pid, "SIGTERM");
    while (await isNodeProcess(pid, name)) {
      if (performance.now() > until) process.kill(pid, "SIGKILL");
      await delay(pollMs);
    }
    rmSync(this.#path(name), { recursive: true, force: true });
  }

  #start(name: string, type: NodeTypeConfig): Promise<number> {
    const { command, address, token, tls } = this.#context;
    const folder = this.#path(name);
    const { cpu = 0, gpu = 0, memory = 0, ...resources } = type.resources;
    const labels = { ...type.labels, [instanceLabel]: name };
    const list = (record: Readonly<Record<string, string | number>>) =>
      Object.entries(record)
        .map(([key, value]) => `${key}=${value}`)
        .join(",");
    const args = [
      ...["worker", "join", "--address", address(), "--node-dir", join(folder, "node")],
      ...["--cpus", String(cpu), "--gpus", String(gpu), "--labels", list(labels)],
      ...(memory > 0 ? ["--memory", String(memory)] : []),
      ...(Object.keys(resources).length > 0 ? ["--resources", list(resources)] : []),
      ...(tls === "" ? [] : ["--tls", tls]),
    ];
    const [program = process.execPath, ...before] = command;
    const output = openSync(join(folder, "output.log"), "a", 0o600);
    return new Promise<number>((resolve, reject) => {
      const child = spawn(program, [...before, ...args], {
        // The process outlives the head, and Ctrl-C in the terminal does not reach it.
        detached: true,
        cwd: folder,
        env: { ...process.env, PALIMPSEST_TOKEN: token() },
        stdio: ["ignore", output, output],
      });
      child.once("error", (reason) => {
        rmSync(folder, { recursive: true, force: true });
        reject(
          new PalimpsestError(
            "UNAVAILABLE",
            `${program} cannot be started as node ${name}: ${reason.message}`,
          ),
        );
      });
      child.once("spawn", () => {
        child.unref();
        resolve(child.pid ?? 0);
      });
    }).finally(() => closeSync(output));
  }
}

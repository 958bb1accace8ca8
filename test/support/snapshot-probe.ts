import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { ActorContext } from "@palimpsest/client";

/** Does what a program may do with Node.js, in the process of an actor. */
export class Probe {
  #context: ActorContext | undefined;

  start(context: ActorContext): void {
    this.#context = context;
  }

  /** Returns the Node.js arguments with which this process was started; empty where the system does not report them. */
  arguments(): string {
    return process.platform === "linux" ? readFileSync("/proc/self/cmdline", "latin1") : "";
  }

  random(): readonly unknown[] {
    return [Math.random(), randomUUID(), process.pid];
  }

  /** Returns the difference between the clocks of this process, in milliseconds. */
  skewMs(): number {
    return Math.abs(performance.timeOrigin + performance.now() - Date.now());
  }

  async thread(): Promise<unknown> {
    const text = "const { parentPort } = require('node:worker_threads'); parentPort.postMessage(6 * 7);";
    const [answer] = await once(new Worker(text, { eval: true }), "message");
    return answer;
  }

  async forked(path: string): Promise<unknown> {
    const child = fork(path);
    const [answer] = await once(child, "message");
    child.kill();
    return answer;
  }

  async modules(folder: string): Promise<unknown> {
    const imported = (await import(`${folder}/imported.mjs`)) as { readonly name: string };
    const required: unknown = createRequire(`${folder}/x.js`)("./required.cjs");
    return [imported.name, required];
  }

  async clusterSize(): Promise<number | undefined> {
    const cluster = await this.#context?.connect();
    return (await cluster?.nodes())?.length;
  }

  fails(): never {
    throw new Error("as it should");
  }
}

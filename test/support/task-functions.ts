/** The functions that the tests run as tasks. */
import { appendFileSync, statSync } from "node:fs";
import { taskContext } from "@palimpsest/client";

export function double(value: number): number {
  return value * 2;
}

export async function pause(ms: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return process.pid;
}

export function pid(): number {
  return process.pid;
}

export function fail(text: string): never {
  throw new RangeError(text);
}

/** Records in the file that it began, and throws unless it is the attempt of that number. */
export function failUntil(attempt: number, path: string, text: string): number {
  return attempts(path) < attempt ? fail(text) : attempt;
}

/** Ends its process unless it is the attempt of that number. */
export function dieUntil(attempt: number, path: string): number {
  const begun = attempts(path);
  if (begun < attempt) process.kill(process.pid, "SIGKILL");
  return begun;
}

function attempts(path: string): number {
  appendFileSync(path, "x");
  return statSync(path).size;
}

/** Computes for this long without returning to the event loop. */
export function spin(ms: number): number {
  const endAt = Date.now() + ms;
  while (Date.now() < endAt);
  return process.pid;
}

export async function untilAborted(signal: AbortSignal, path: string): Promise<void> {
  appendFileSync(path, "begun ");
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  appendFileSync(path, "aborted");
}

export async function* count(to: number): AsyncGenerator<number> {
  for (let value = 0; value < to; value++) yield value;
}

/** Runs nested tasks, each of which waits for the next, and returns their depth. */
export async function depth(levels: number): Promise<number> {
  const cluster = await taskContext().connect();
  if (levels === 0) return 0;
  const next = cluster.task(depth, { from: new URL(import.meta.url) });
  return 1 + (await next(levels - 1));
}

export const notAFunction = 1;

/** Returns the node on which it runs. */
export function whereabouts(): string {
  return taskContext().nodeId;
}

/** Like `pause`, but returns the node. */
export async function pauseThere(ms: number): Promise<string> {
  const { nodeId } = taskContext();
  await new Promise((resolve) => setTimeout(resolve, ms));
  return nodeId;
}

/** Returns the nodes of a task and of its descendants. */
export async function descendants(levels: number): Promise<readonly string[]> {
  const { nodeId, connect } = taskContext();
  const cluster = await connect();
  if (levels === 0) return [nodeId];
  const resources = { cpu: 0.25 };
  const below = cluster.task(descendants, { from: new URL(import.meta.url) }, { resources });
  return [nodeId, ...(await below(levels - 1))];
}

/** Returns the groups of what a captured task spawns: an actor, and an actor that may be placed anywhere. */
export async function capturedActors(): Promise<readonly string[]> {
  const cluster = await taskContext().connect();
  const kind = cluster.actor(Child, { from: new URL(import.meta.url) }, { resources: { cpu: 0.1 } });
  const children = [await kind.spawn(), await kind.options({ strategy: "pack" }).spawn()];
  await Promise.all(children.map((child) => child.ready()));
  return await Promise.all(children.map(async (child) => (await child.info()).groupId));
}

export class Child {}

/** Returns a result that stays on the node that made it. */
export function large(bytes: number): Uint8Array {
  return new Uint8Array(bytes).fill(1);
}

/**
 * Responsibility: profiles a thread through an attached inspector: where its processor time goes, or which functions allocated
 * what is still in use.
 * Not responsible for: reaching the inspector, or the origin of the request.
 *
 * Invariants:
 * - PROFILE-1. A thread is sampled only while a profile is taken.
 * - PROFILE-2. A profile has at most `mostNodes` nodes. What smaller ones took is counted for their callers, so that nothing is lost.
 * This module has no imports, as stack.ts.
 */
import type { HeapProfiler, Profiler, Runtime } from "node:inspector";

/** Microseconds between two samples of the stack. */
const samplingIntervalUs = 1_000;
/** Bytes between two allocations that are sampled, on average. */
const heapIntervalBytes = 32_768;
const mostNodes = 5_000;
/** The longest name of a function, and address of its module. */
const mostNameChars = 500;

/** What is profiled. */
export interface ProfileOptions {
  /** `cpu`: milliseconds of the thread's time. `heap`: bytes that were allocated meanwhile and are still in use. */
  readonly kind: "cpu" | "heap";
  readonly durationMs: number;
}

/** A tree of calls in columns, as `Profile` of the protocol: a node's caller comes before it. */
export interface ProfileReading {
  readonly names: string[];
  readonly parents: number[];
  readonly functions: number[];
  readonly selfs: number[];
}

/** A function as it was called by those around it. */
export interface ProfiledCall {
  /** "function (url:line:column)". */
  readonly name: string;
  /** Milliseconds, or bytes of a heap, without what it called. */
  readonly self: number;
  readonly calls: readonly ProfiledCall[];
}

/** Returns the outermost calls of a profile in columns. */
export function callTree({ names, parents, functions, selfs }: ProfileReading): readonly ProfiledCall[] {
  const roots: ProfiledCall[] = [];
  const inside = parents.map((): ProfiledCall[] => []);
  for (const [at, parent] of parents.entries()) {
    const calls = inside[at] ?? [];
    const call = { name: names[functions[at] ?? 0] ?? "", self: selfs[at] ?? 0, calls };
    (inside[parent] ?? roots).push(call);
  }
  return roots;
}

/** An inspector's connection to one thread. */
export interface Profilee {
  command(method: string, params?: object): Promise<unknown>;
}

interface Node {
  readonly name: string;
  readonly children: readonly Node[];
  self: number;
}

/** @throws what the connection throws */
export async function readProfile(profilee: Profilee, options: ProfileOptions): Promise<ProfileReading> {
  const roots =
    options.kind === "cpu" ? await readTimes(profilee, options) : await readHeap(profilee, options);
  return inColumns(roots);
}

async function readTimes(profilee: Profilee, { durationMs }: ProfileOptions): Promise<readonly Node[]> {
  await profilee.command("Profiler.enable");
  await profilee.command("Profiler.setSamplingInterval", { interval: samplingIntervalUs });
  await profilee.command("Profiler.start");
  await elapsed(durationMs);
  const { profile } = (await profilee.command("Profiler.stop")) as Profiler.StopReturnType;
  await profilee.command("Profiler.disable");
  return timesOf(profile);
}

async function readHeap(profilee: Profilee, { durationMs }: ProfileOptions): Promise<readonly Node[]> {
  await profilee.command("HeapProfiler.startSampling", { samplingInterval: heapIntervalBytes });
  await elapsed(durationMs);
  const stopped = await profilee.command("HeapProfiler.stopSampling");
  const { profile } = stopped as HeapProfiler.StopSamplingReturnType;
  const nodeOf = ({ callFrame, selfSize, children }: HeapProfiler.SamplingHeapProfileNode): Node => ({
    name: nameOf(callFrame),
    self: selfSize,
    children: children.map(nodeOf),
  });
  return profile.head.children.map(nodeOf);
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** The time of a sample lasts until the next one. What the thread waited for events is left out. */
function timesOf({
  nodes,
  samples = [],
  timeDeltas = [],
  endTime,
  startTime,
}: Profiler.Profile): readonly Node[] {
  const us = new Map<number, number>();
  let at = startTime;
  for (const [i, id] of samples.entries()) {
    at += timeDeltas[i] ?? 0;
    const lasted = timeDeltas[i + 1] ?? Math.max(0, endTime - at);
    us.set(id, (us.get(id) ?? 0) + lasted);
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const nodeOf = (id: number): Node => {
    const found = byId.get(id);
    const children = (found?.children ?? []).map(nodeOf);
    return {
      name: found === undefined ? "" : nameOf(found.callFrame),
      self: (us.get(id) ?? 0) / 1000,
      children,
    };
  };
  const [root] = nodes;
  if (root === undefined) return [];
  return nodeOf(root.id).children.filter(({ name }) => name !== "(idle)");
}

function nameOf({ functionName, url, lineNumber, columnNumber }: Runtime.CallFrame): string {
  const name = (functionName || "(anonymous)").slice(0, mostNameChars);
  // A module may be its own address, as `data:` ones are: of a long one the beginning is told.
  return url === "" ? name : `${name} (${url.slice(0, mostNameChars)}:${lineNumber + 1}:${columnNumber + 1})`;
}

/** PROFILE-2. */
function inColumns(roots: readonly Node[]): ProfileReading {
  const totals = new Map<Node, number>();
  const totalOf = (node: Node): number => {
    const total = node.self + node.children.reduce((sum, child) => sum + totalOf(child), 0);
    totals.set(node, total);
    return total;
  };
  for (const root of roots) totalOf(root);
  const sorted = [...totals.values()].sort((a, b) => b - a);
  const least = sorted[mostNodes] ?? 0;
  const isKept = (node: Node) => (totals.get(node) ?? 0) > least;
  const names = new Map<string, number>();
  const reading: ProfileReading = { names: [], parents: [], functions: [], selfs: [] };
  const add = (node: Node, parent: number): void => {
    const known = names.get(node.name);
    const index = known ?? names.size;
    if (known === undefined) {
      names.set(node.name, index);
      reading.names.push(node.name);
    }
    const at = reading.parents.length;
    const left = node.children.filter((child) => !isKept(child));
    reading.parents.push(parent);
    reading.functions.push(index);
    reading.selfs.push(left.reduce((sum, child) => sum + (totals.get(child) ?? 0), node.self));
    for (const child of node.children) if (isKept(child)) add(child, at);
  };
  for (const root of roots) if (isKept(root)) add(root, -1);
  return reading;
}

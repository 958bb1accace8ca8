/** Profiles as files that Chrome's DevTools and speedscope open, too: .cpuprofile and .heapprofile. */
import * as z from "zod";
import { type ProcessPhases, type ProfileKind, processPhasesSchema } from "../api/profiles.js";
import type { CallTree, ProfiledProcess } from "./call-tree.js";

/** A profile with what is known about it. */
export interface Profile {
  readonly kind: ProfileKind;
  readonly processes: readonly ProfiledProcess[];
  /** Milliseconds since the epoch; 0 if the file does not say. */
  readonly startedAtMs: number;
  readonly seconds: number;
  /** What could not be profiled, and why. */
  readonly problems: readonly string[];
  readonly phases: readonly ProcessPhases[];
}

/** The most calls of a file that is read, and how deep they may be. V8 keeps 256 at most. */
const mostCalls = 1_000_000;
const deepest = 1_000;

/** Returns the text of a .cpuprofile, or of a .heapprofile, with a process under the root for each profile. */
export function profileFile({ kind, processes, ...facts }: Profile): string {
  const root: CallTree = {
    name: "(root)",
    self: 0,
    calls: processes.map(({ title, pid, calls }) => ({ name: `${title}, pid ${pid}`, self: 0, calls })),
  };
  const profile = kind === "cpu" ? cpuProfile(root) : heapProfile(root);
  // Other programs ignore the field that is ours.
  return `${JSON.stringify({ ...profile, palimpsest: facts })}\n`;
}

function cpuProfile(root: CallTree): object {
  const nodes: object[] = [];
  const samples: number[] = [];
  const timeDeltas: number[] = [];
  let id = 0;
  // Samples follow in the order of the tree, one for each node, so that equal calls stand side by side.
  const add = ({ name, self, calls }: CallTree): number => {
    const own = ++id;
    const node = { id: own, callFrame: frameOf(name), hitCount: Math.round(self), children: [] as number[] };
    nodes.push(node);
    if (self > 0) {
      samples.push(own);
      timeDeltas.push(Math.round(self * 1000));
    }
    for (const call of calls) node.children.push(add(call));
    return own;
  };
  add(root);
  const lastedUs = timeDeltas.reduce((sum, delta) => sum + delta, 0);
  // A sample lasts until the next one, so the times stand one later, and one more sample ends the last.
  return { nodes, startTime: 0, endTime: lastedUs, samples: [...samples, 1], timeDeltas: [0, ...timeDeltas] };
}

function heapProfile(root: CallTree): object {
  let id = 0;
  const nodeOf = ({ name, self, calls }: CallTree): object => ({
    callFrame: frameOf(name),
    selfSize: self,
    id: ++id,
    children: calls.map(nodeOf),
  });
  return { head: nodeOf(root), samples: [] };
}

function frameOf(name: string): object {
  const [, functionName = name, url = "", line = "0", column = "0"] =
    /^(.*) \((.*):(\d+):(\d+)\)$/.exec(name) ?? [];
  return { functionName, scriptId: "0", url, lineNumber: Number(line) - 1, columnNumber: Number(column) - 1 };
}

const frameSchema = z.object({
  functionName: z.string(),
  url: z.string().default(""),
  lineNumber: z.number().default(-1),
  columnNumber: z.number().default(-1),
});
const cpuSchema = z.object({
  nodes: z
    .array(z.object({ id: z.number(), callFrame: frameSchema, children: z.array(z.number()).default([]) }))
    .min(1)
    .max(mostCalls),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
  startTime: z.number().default(0),
  endTime: z.number().default(0),
});
const heapNodeSchema = z.object({
  callFrame: frameSchema,
  selfSize: z.number(),
  children: z.array(z.unknown()).default([]),
});
const heapSchema = z.object({ head: z.unknown() });
const factsSchema = z.object({
  startedAtMs: z.number().default(0),
  seconds: z.number().default(0),
  problems: z.array(z.string()).default([]),
  phases: z.array(processPhasesSchema).default([]),
});

/**
 * Returns the profile in a file that `profileFile` or another program wrote.
 * @param value what its JSON says
 * @param title of the only process of a file of another program
 * @throws {Error} that names what is wrong
 */
export function profileOf(value: unknown, title: string): Profile {
  const isHeap = typeof value === "object" && value !== null && "head" in value;
  const calls = isHeap
    ? heapCalls(checked(heapSchema, value, title).head, title)
    : cpuCalls(checked(cpuSchema, value, title), title);
  const facts = typeof value === "object" && value !== null && "palimpsest" in value ? value.palimpsest : {};
  return {
    kind: isHeap ? "heap" : "cpu",
    processes: processesOf(calls, title),
    ...checked(factsSchema, facts, `${title}: palimpsest`),
  };
}

function processesOf(calls: readonly CallTree[], title: string): readonly ProfiledProcess[] {
  const processes = calls.map(({ name, self, calls: inner }) => {
    const [, own, pid] = /^(.*), pid (\d+)$/.exec(name) ?? [];
    return own === undefined || self > 0 ? undefined : { title: own, pid: Number(pid), calls: inner };
  });
  const found = processes.filter((one) => one !== undefined);
  if (found.length === calls.length && found.length > 0) return found;
  return [{ title, pid: 0, calls: calls.filter(({ name }) => name !== "(idle)") }];
}

function nameOf({ functionName, url, lineNumber, columnNumber }: z.infer<typeof frameSchema>): string {
  const name = functionName || "(anonymous)";
  return url === "" ? name : `${name} (${url}:${lineNumber + 1}:${columnNumber + 1})`;
}

/** As `timesOf` of wire's profile.ts: the time of a sample lasts until the next one. */
function cpuCalls(profile: z.infer<typeof cpuSchema>, title: string): readonly CallTree[] {
  const { nodes, samples, timeDeltas, startTime, endTime } = profile;
  const us = new Map<number, number>();
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index] ?? 0;
    const lasted = timeDeltas[index + 1] ?? Math.max(0, endTime - at);
    us.set(id, (us.get(id) ?? 0) + lasted);
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const treeOf = (id: number, depth: number): CallTree => {
    const node = byId.get(id);
    if (node === undefined || depth > deepest)
      throw new Error(
        `${title}: nodes: ${node ? `are deeper than ${deepest}, or a circle` : `have no id ${id}`}`,
      );
    byId.delete(id);
    return {
      name: nameOf(node.callFrame),
      self: Math.max(0, us.get(id) ?? 0) / 1000,
      calls: node.children.map((child) => treeOf(child, depth + 1)),
    };
  };
  return treeOf(nodes[0]?.id ?? 0, 0).calls;
}

function heapCalls(head: unknown, title: string): readonly CallTree[] {
  let count = 0;
  const treeOf = (value: unknown, depth: number): CallTree => {
    if (++count > mostCalls || depth > deepest)
      throw new Error(`${title}: head: has more than ${mostCalls} calls, or is deeper than ${deepest}`);
    const { callFrame, selfSize, children } = checked(heapNodeSchema, value, `${title}: head`);
    return {
      name: nameOf(callFrame),
      self: Math.max(0, selfSize),
      calls: children.map((child) => treeOf(child, depth + 1)),
    };
  };
  return treeOf(head, 0).calls;
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw new Error(`${what}: ${path}${issue?.message}; give a .cpuprofile or .heapprofile`);
}

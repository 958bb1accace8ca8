/** Profiles of several processes as trees of calls: merged, bounded, summed by function, and laid out as frames. */

/** A function as it was called by those around it. */
export interface CallTree {
  /** "function (url:line:column)". */
  readonly name: string;
  /** Milliseconds, or bytes of a heap, without what it called. */
  readonly self: number;
  readonly calls: readonly CallTree[];
}

export interface ProfiledProcess {
  readonly title: string;
  readonly pid: number;
  /** The outermost functions. */
  readonly calls: readonly CallTree[];
}

export interface FunctionCost {
  readonly name: string;
  /** Milliseconds or bytes, without what the function called. */
  readonly self: number;
  /** With it; a function that calls itself is counted once. */
  readonly total: number;
}

/** A call as a bar of a flame graph. */
export interface Frame {
  readonly name: string;
  readonly self: number;
  readonly total: number;
  readonly depth: number;
  /** Where its bar starts, in the unit of `total`, from the left edge of the whole. */
  readonly start: number;
  /** Index of its caller; -1 for the outermost. */
  readonly parent: number;
  /** Index after those of all that it called, which follow it. */
  readonly end: number;
}

/** Returns what each function took over all processes, the largest share of its own first. */
export function functionCosts(processes: readonly Pick<ProfiledProcess, "calls">[]): readonly FunctionCost[] {
  const costs = new Map<string, { self: number; total: number; open: number }>();
  const add = ({ name, self, calls }: CallTree): number => {
    const cost = costs.get(name) ?? { self: 0, total: 0, open: 0 };
    costs.set(name, cost);
    cost.open += 1;
    const total = calls.reduce((sum, call) => sum + add(call), self);
    cost.open -= 1;
    cost.self += self;
    if (cost.open === 0) cost.total += total;
    return total;
  };
  for (const { calls } of processes) for (const call of calls) add(call);
  return [...costs].map(([name, { self, total }]) => ({ name, self, total })).sort((a, b) => b.self - a.self);
}

/** Returns the calls with those of equal names, from the same callers, as one. */
export function mergedCalls(calls: readonly CallTree[]): readonly CallTree[] {
  const byName = new Map<string, CallTree[]>();
  for (const call of calls) {
    const same = byName.get(call.name);
    if (same === undefined) byName.set(call.name, [call]);
    else same.push(call);
  }
  return [...byName].map(([name, same]) => ({
    name,
    self: same.reduce((sum, { self }) => sum + self, 0),
    calls: mergedCalls(same.flatMap((call) => call.calls)),
  }));
}

/** Keeps about as many of the largest calls over all processes. What smaller ones took counts for their callers, or is one call. */
export function largestCalls<Process extends ProfiledProcess>(
  processes: readonly Process[],
  most: number,
): readonly Process[] {
  const totals = new Map<CallTree, number>();
  const totalOf = (call: CallTree): number => {
    const total = call.calls.reduce((sum, inner) => sum + totalOf(inner), call.self);
    totals.set(call, total);
    return total;
  };
  for (const { calls } of processes) for (const call of calls) totalOf(call);
  if (totals.size <= most) return processes;
  const least = [...totals.values()].sort((a, b) => b - a)[most] ?? 0;
  const isKept = (call: CallTree) => (totals.get(call) ?? 0) > least;
  const sumOf = (calls: readonly CallTree[]) => calls.reduce((sum, call) => sum + (totals.get(call) ?? 0), 0);
  const kept = ({ name, self, calls }: CallTree): CallTree => ({
    name,
    self: self + sumOf(calls.filter((call) => !isKept(call))),
    calls: calls.filter(isKept).map(kept),
  });
  return processes.map((process) => {
    const rest = sumOf(process.calls.filter((call) => !isKept(call)));
    const small = rest > 0 ? [{ name: "(small calls)", self: rest, calls: [] }] : [];
    return { ...process, calls: [...process.calls.filter(isKept).map(kept), ...small] };
  });
}

/** Returns the bars of a flame graph, each before what it called, the largest calls to the left. */
export function framesOf(root: CallTree): readonly Frame[] {
  const frames: { -readonly [Field in keyof Frame]: Frame[Field] }[] = [];
  const add = ({ name, self, calls, total }: Summed, depth: number, start: number, parent: number): void => {
    const at = frames.length;
    const frame = { name, self, total, depth, start, parent, end: 0 };
    frames.push(frame);
    let from = start;
    for (const inner of calls) {
      add(inner, depth + 1, from, at);
      from += inner.total;
    }
    frame.end = frames.length;
  };
  add(summed(root), 0, 0, -1);
  return frames;
}

interface Summed extends CallTree {
  readonly total: number;
  /** The largest first. */
  readonly calls: readonly Summed[];
}

function summed({ name, self, calls: given }: CallTree): Summed {
  const calls = given.map(summed);
  if (calls.length > 1) calls.sort((a, b) => b.total - a.total);
  let total = self;
  for (const call of calls) total += call.total;
  return { name, self, calls, total };
}

/** The parts of a function's name. The url is empty for native code, and relative to its package in a bundle. */
export function nameParts(name: string): {
  readonly title: string;
  readonly url: string;
  readonly line: number;
} {
  const [, title = name, url = "", line = "0"] = /^(.*) \((.*):(\d+):\d+\)$/.exec(name) ?? [];
  return { title, url: url.replace(/^app:/, ""), line: Number(line) };
}

/** Whose code a function is. */
export type CodeOwner = "yours" | "palimpsest" | "packages" | "node" | "native";

export function ownerOf(name: string): CodeOwner {
  const { url } = nameParts(name);
  if (url === "") return "native";
  if (url.startsWith("node:")) return "node";
  if (/(^|\/)(node_modules\/@palimpsest|packages\/(runtime|learning|apps))\//.test(url)) return "palimpsest";
  return /(^|\/)node_modules\//.test(url) ? "packages" : "yours";
}

/** Responsibility: profiles of several processes as one: what each function took in all, and files that Chrome's DevTools and speedscope open. */
import type { ProcessProfile, ProfiledCall } from "@palimpsest/client";

export interface FunctionCost {
  readonly name: string;
  /** Milliseconds or bytes, without what the function called. */
  readonly self: number;
  /** With it; a function that calls itself is counted once. */
  readonly total: number;
}

/** Returns what each function took over all processes, the largest share of its own first. */
export function functionCosts(profiles: readonly ProcessProfile[]): readonly FunctionCost[] {
  const costs = new Map<string, { self: number; total: number }>();
  const add = ({ name, self, calls }: ProfiledCall, callers: ReadonlySet<string>): number => {
    const within = new Set(callers).add(name);
    const total = calls.reduce((sum, call) => sum + add(call, within), self);
    const cost = costs.get(name) ?? { self: 0, total: 0 };
    costs.set(name, cost);
    cost.self += self;
    if (!callers.has(name)) cost.total += total;
    return total;
  };
  for (const { calls } of profiles) for (const call of calls) add(call, new Set());
  return [...costs].map(([name, cost]) => ({ name, ...cost })).sort((a, b) => b.self - a.self);
}

/** Returns the text of a .cpuprofile, or of a .heapprofile, with a process under the root for each profile. */
export function profileFile(profiles: readonly ProcessProfile[], kind: "cpu" | "heap"): string {
  const root: ProfiledCall = {
    name: "(root)",
    self: 0,
    calls: profiles.map(({ title, pid, calls }) => ({ name: `${title}, pid ${pid}`, self: 0, calls })),
  };
  return `${JSON.stringify(kind === "cpu" ? cpuProfile(root) : heapProfile(root))}\n`;
}

function cpuProfile(root: ProfiledCall): object {
  const nodes: object[] = [];
  const samples: number[] = [];
  const timeDeltas: number[] = [];
  let id = 0;
  // Samples follow in the order of the tree, one for each node, so that equal calls stand side by side.
  const add = ({ name, self, calls }: ProfiledCall): number => {
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

function heapProfile(root: ProfiledCall): object {
  let id = 0;
  const nodeOf = ({ name, self, calls }: ProfiledCall): object => ({
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

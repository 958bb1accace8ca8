/** The order in which a reduction's graph lets its entries stand beside the state, whatever runs first. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { NodeProto } from "../base/graph-protos.js";
import type { Program } from "./emit-program.js";
import { emitReduction } from "./emit-reduction.js";

function graphOf(sizes: readonly number[], windowBytes: number, replicas: number): readonly NodeProto[] {
  const names = sizes.map((_, entry) => `entry${entry}`);
  const variables = Array.from(
    { length: replicas },
    (_, replica) => new Map(names.map((name) => [name, `state${replica}/${name}`])),
  );
  const program: Program = {
    nodes: [],
    functions: [],
    callees: new Map(),
    xla: true,
    gpu: true,
    halfProducts: false,
    halves: new Set(),
    shapes: new Map(),
    inPlace: new Map(),
    continued: new Map(),
    adamSteps: new Map(),
    variables: variables[0] ?? new Map(),
    replicas: variables,
  };
  const entries = names.map((name, entry) => ({ name, bytes: sizes[entry] ?? 0 }));
  emitReduction(program, "gradients", entries, windowBytes);
  return program.nodes;
}

const inputsOf = ({ input }: NodeProto) => input.map((name) => name.replace("^", ""));

/**
 * Runs a graph, of what is ready always what `choose` picks, but for assignments, which wait until nothing else is ready: the most
 * that can stand at once. A sum is ready once all replicas have begun it.
 * @returns the most bytes of one replica between read and assignment, and the nodes that have run
 */
function mostStanding(
  nodes: readonly NodeProto[],
  sizes: readonly number[],
  choose: (count: number) => number,
) {
  const done = new Set<string>();
  const entryOf = ({ input }: NodeProto) => /^(state\d+)\/entry(\d+)$/.exec(input[0] ?? "");
  const standing = new Map<string, number>();
  let most = 0;
  const sums = new Map<string, NodeProto[]>();
  const sumOf = ({ attr }: NodeProto) => String(attr["shared_name"]?.s);
  for (const node of nodes)
    if (node.op === "NcclAllReduce") sums.set(sumOf(node), [...(sums.get(sumOf(node)) ?? []), node]);
  const isFed = (node: NodeProto) =>
    inputsOf(node).every((name) => done.has(name) || name.startsWith("state"));
  const isReady = (node: NodeProto) => {
    if (done.has(node.name) || !isFed(node)) return false;
    return (sums.get(sumOf(node)) ?? []).every(isFed);
  };
  for (;;) {
    const ready = nodes.filter(isReady);
    const first = ready.filter(({ op }) => op !== "AssignVariableOp");
    const among = first.length > 0 ? first : ready;
    const node = among[choose(among.length)];
    if (node === undefined) return { most, done };
    const [, replica = "", entry = ""] = entryOf(node) ?? [];
    const sign = { ReadVariableOp: 1, AssignVariableOp: -1 }[node.op] ?? 0;
    standing.set(replica, (standing.get(replica) ?? 0) + sign * (sizes[Number(entry)] ?? 0));
    most = Math.max(most, ...standing.values());
    done.add(node.name);
  }
}

it("no more stands than the window, or one larger entry, and every sum is reached (JIT-REDUCE-2, JIT-REDUCE-1)", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 14 });
  const picks = fc.infiniteStream(fc.nat());
  fc.assert(
    fc.property(
      sizes,
      fc.integer({ min: 1, max: 250 }),
      fc.integer({ min: 2, max: 3 }),
      picks,
      (given, window, replicas, pick) => {
        const nodes = graphOf(given, window, replicas);
        const { most, done } = mostStanding(nodes, given, (count) => (pick.next().value ?? 0) % count);
        expect(most).toBeLessThanOrEqual(Math.max(window, ...given));
        expect(done.size).toBe(nodes.length);
      },
    ),
    { numRuns: 60 },
  );
});

it("entries that fit in the window together wait for nothing", () => {
  const sizes = [40, 30, 30, 50, 60, 10];
  const { most } = mostStanding(graphOf(sizes, 100, 2), sizes, () => 0);
  expect(most).toBe(100);
  const reads = graphOf(sizes, 1000, 2).filter(({ op }) => op === "ReadVariableOp");
  expect(reads.every(({ input }) => input.length === 1)).toBe(true);
});

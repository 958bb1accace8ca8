import type { Loop, Operation, Value } from "../trace/value.js";

/*
 * Which operations a function's results need. A loop computes only what is used of it: carries, slices, rows and
 * captures that nobody needs are left out, and with them the operations of the body that compute them. A scan with a
 * gradient relies on this: it records everything that a backward pass could need, and only what is needed is emitted.
 */

/** The needed parts of one scope. */
export interface Live {
  readonly operations: Set<Operation>;
  readonly loops: Map<Operation, LoopUse>;
}

/** The needed parts of one loop; numbers are indices into the loop's lists. */
export interface LoopUse extends Live {
  readonly carries: Set<number>;
  readonly xs: Set<number>;
  readonly ys: Set<number>;
  readonly captures: Set<Value>;
}

/** The state of walking one scope. */
interface Walk {
  readonly live: Live;
  readonly inLoop?: LoopWalk;
}

interface LoopWalk {
  readonly operation: Operation;
  readonly loop: Loop;
  readonly use: LoopUse;
  readonly outer: Walk;
  readonly carries: ReadonlyMap<Value, number>;
  readonly xs: ReadonlyMap<Value, number>;
  readonly captures: ReadonlySet<Value>;
}

type Pending = [walk: Walk, value: Value | undefined][];

/** Returns the operations that the given values of a function's outermost scope need. */
export function liveness(values: Iterable<Value>): Live {
  const root: Walk = { live: { operations: new Set(), loops: new Map() } };
  const walks = new Map<LoopUse, Walk>();
  const pending: Pending = [...values].map((value) => [root, value]);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [walk, value] = next;
    if (value === undefined) continue;
    if (walk.inLoop !== undefined && fromOutside(walk.inLoop, walk, value, pending)) continue;
    if (value.origin.kind !== "operation") continue;
    const { operation, output } = value.origin;
    const isNew = !walk.live.operations.has(operation);
    walk.live.operations.add(operation);
    if (operation.loop !== undefined) {
      const inner = loopWalk(walk, operation, operation.loop, walks);
      const carries = operation.loop.carryResults.length;
      if (output < carries) needCarry(inner, output, pending);
      else needRow(inner, output - carries, pending);
    } else if (isNew) for (const input of operation.inputs) pending.push([walk, input]);
  }
  return root.live;
}

/** Counts the needed operations, those of loop bodies and of called bodies once. */
export function liveCount(live: Live): number {
  let count = live.operations.size;
  const callees = new Set([...live.operations].flatMap(({ callee }) => callee ?? []));
  for (const { results } of callees) count += liveCount(liveness(results));
  for (const use of live.loops.values()) count += liveCount(use);
  return count;
}

/** Returns the needed state entries and inputs, in the order of the trace. */
export function sources(live: Live, results: Iterable<Value>): Value[] {
  const found = new Set<Value>();
  const add = (value: Value): void => {
    if (value.origin.kind === "input" || value.origin.kind === "state") found.add(value);
  };
  for (const operation of live.operations) {
    const use = live.loops.get(operation);
    if (operation.loop === undefined || use === undefined) operation.inputs.forEach(add);
    else neededInputs(operation, operation.loop, use).forEach(add);
  }
  for (const value of results) add(value);
  return [...found];
}

function neededInputs(
  { inputs }: Operation,
  { carryArguments, sliceArguments }: Loop,
  use: LoopUse,
): Value[] {
  const carries = carryArguments.length;
  return inputs.filter((value, index) => {
    if (index < carries) return use.carries.has(index);
    if (index < carries + sliceArguments.length) return use.xs.has(index - carries);
    return use.captures.has(value);
  });
}

function loopWalk(outer: Walk, operation: Operation, loop: Loop, walks: Map<LoopUse, Walk>): Walk {
  const known = outer.live.loops.get(operation);
  const walked = known === undefined ? undefined : walks.get(known);
  if (walked !== undefined) return walked;
  const use: LoopUse = {
    operations: new Set(),
    loops: new Map(),
    carries: new Set(),
    xs: new Set(),
    ys: new Set(),
    captures: new Set(),
  };
  outer.live.loops.set(operation, use);
  const walk: Walk = {
    live: use,
    inLoop: {
      operation,
      loop,
      use,
      outer,
      carries: new Map(loop.carryArguments.map((value, index) => [value, index])),
      xs: new Map(loop.sliceArguments.map((value, index) => [value, index])),
      captures: new Set(loop.captures),
    },
  };
  walks.set(use, walk);
  return walk;
}

/** Marks what a body is given instead of computing it; returns whether the value is such a one. */
function fromOutside(inLoop: LoopWalk, walk: Walk, value: Value, pending: Pending): boolean {
  const { operation, loop, use, outer, carries, xs, captures } = inLoop;
  const carry = carries.get(value);
  if (carry !== undefined) {
    needCarry(walk, carry, pending);
    return true;
  }
  const slice = xs.get(value);
  if (slice !== undefined) {
    if (!use.xs.has(slice)) pending.push([outer, operation.inputs[loop.carryArguments.length + slice]]);
    use.xs.add(slice);
    return true;
  }
  if (value.scope === loop.body) return false;
  // Small constants are not captures: they are emitted again inside.
  if (captures.has(value) && !use.captures.has(value)) {
    use.captures.add(value);
    pending.push([outer, value]);
  }
  return true;
}

function needCarry(walk: Walk, index: number, pending: Pending): void {
  const { inLoop } = walk;
  if (inLoop === undefined || inLoop.use.carries.has(index)) return;
  inLoop.use.carries.add(index);
  pending.push([walk, inLoop.loop.carryResults[index]], [inLoop.outer, inLoop.operation.inputs[index]]);
}

function needRow(walk: Walk, index: number, pending: Pending): void {
  const { inLoop } = walk;
  if (inLoop === undefined || inLoop.use.ys.has(index)) return;
  inLoop.use.ys.add(index);
  pending.push([walk, inLoop.loop.sliceResults[index]]);
}

import type { NodeTypeConfig } from "./config.js";
import type { Member } from "./fleet.js";

/** This many nodes may always be starting at once. */
const leastStarting = 5;

/**
 * Returns the part of a plan that is started now. Nodes missing to the minimum are always started; beyond that no more
 * may be starting than `speed` times the running ones, or leastStarting.
 */
export function limitLaunches(
  launch: ReadonlyMap<string, number>,
  types: readonly NodeTypeConfig[],
  members: readonly Member[],
  speed: number,
): ReadonlyMap<string, number> {
  const inState = (state: Member["state"]) => members.filter((member) => member.state === state);
  const starting = inState("starting").length;
  let left = Math.max(leastStarting, Math.ceil(speed * inState("running").length)) - starting;
  const limited = new Map<string, number>();
  for (const { name, minNodes } of types) {
    const wanted = launch.get(name) ?? 0;
    const there = members.filter(({ instance }) => instance.nodeType === name).length;
    const forMinimum = Math.min(wanted, Math.max(0, minNodes - there));
    const more = Math.max(0, Math.min(wanted - forMinimum, left));
    left -= more;
    if (forMinimum + more > 0) limited.set(name, forMinimum + more);
  }
  return limited;
}

/** Which node may follow one that was drained, since Pods and machines of a cloud come back under other host names. */
import { instanceLabel } from "@palimpsest/autoscaler";
import type { NodeInfo } from "@palimpsest/client";
import { formatBytes } from "../display/bytes.js";

/** Machines of one kind find a little more or less memory. */
const leastMemory = 0.95;

/** Returns the name of the autoscaler's instance that the node is. */
export function instanceOf({ labels }: NodeInfo): string | undefined {
  return labels[instanceLabel];
}

/** Whether the autoscaler, and not a person or a supervisor, started the node. */
export function isAutoscaled(node: NodeInfo): boolean {
  return instanceOf(node) !== undefined;
}

/**
 * Describes what a successor of the node has.
 * @param newHosts whether processes come back under other host names
 */
export function successorText(drained: NodeInfo, newHosts: boolean): string {
  const { hostname, total, labels } = drained;
  if (isAutoscaled(drained)) return "the autoscaler to start what requests need";
  if (!newHosts) return `a new node on ${hostname}`;
  const kept = Object.entries(labels).filter(([, value]) => value !== hostname);
  const offers = offersOf(total).map(([name, quantity]) => `${amountText(name, quantity)} ${name}`);
  return `a new node on ${hostname}, or elsewhere with at least ${offers.join(", ")}${
    kept.length === 0 ? "" : ` and the labels ${kept.map((label) => label.join("=")).join(",")}`
  }`;
}

/**
 * Returns why a node that joined is not the successor of the one that was drained; empty if it is.
 * @param ranUntilMs the time of the drained node's last heartbeat, by the head's clock
 * @param newHosts whether processes come back under other host names
 */
export function whyNoSuccessor(
  drained: NodeInfo,
  ranUntilMs: number,
  joined: NodeInfo,
  newHosts: boolean,
): string {
  const why = whyUnlike(drained, joined, newHosts);
  const isEarly = joined.hostname !== drained.hostname && joined.joinedAtMs <= ranUntilMs;
  return why === "" && isEarly ? `while node ${drained.nodeId} still ran` : why;
}

/** A drained node is not waited for any more when it has been away for that long: it was given up. */
const givenUpMs = 3_600_000;

/** Returns the nodes that have left to be started again, and which no like node has followed. */
export function awaitedNodes(nodes: readonly NodeInfo[], newHosts: boolean): NodeInfo[] {
  // By the head's clock.
  const nowMs = Math.max(...nodes.map(({ lastHeartbeatMs }) => lastHeartbeatMs));
  return nodes.filter((left) => {
    if (left.state !== "dead" || !left.isRestarting || nowMs - left.lastHeartbeatMs > givenUpMs) return false;
    return !nodes.some(
      (node) =>
        node.joinedAtMs > left.lastHeartbeatMs &&
        whyNoSuccessor(left, left.lastHeartbeatMs, node, newHosts) === "",
    );
  });
}

/** Returns why a node does not do the work of the one that was drained; empty if it does. */
export function whyUnlike(drained: NodeInfo, joined: NodeInfo, newHosts: boolean): string {
  if (isAutoscaled(joined) !== isAutoscaled(drained))
    return isAutoscaled(joined) ? "from the autoscaler" : "without the autoscaler";
  if (joined.hostname === drained.hostname) return "";
  if (!newHosts && !isAutoscaled(drained))
    return "and follows only with --new-hosts, for workers that come back under other host names";
  const offers = offersOf(drained.total).flatMap(([name, quantity]) => {
    const offered = joined.total[name] ?? 0;
    const enough = offered >= quantity * (name === "memory" ? leastMemory : 1);
    return enough ? [] : `${amountText(name, offered)} ${name} instead of ${amountText(name, quantity)}`;
  });
  const labels = Object.entries(drained.labels).flatMap(([key, value]) => {
    const has = joined.labels[key];
    // Such a label is the machine's name, or the instance's, and differs.
    return has === value || value === drained.hostname || key === instanceLabel
      ? []
      : has === undefined
        ? `no label ${key}=${value}`
        : `label ${key}=${has} instead of ${value}`;
  });
  const lacks = [...offers, ...labels];
  return lacks.length === 0 ? "" : `with ${lacks.join(", ")}`;
}

function offersOf(total: NodeInfo["total"]): (readonly [name: string, quantity: number])[] {
  return Object.entries(total).filter(([, quantity]) => quantity > 0);
}

const amountText = (name: string, quantity: number) =>
  name === "memory" ? formatBytes(quantity) : String(quantity);

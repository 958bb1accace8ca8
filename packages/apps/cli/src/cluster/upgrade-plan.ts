/**
 * Responsibility: what an upgrade to this installation's version takes: which processes are replaced, in which order,
 * and what forbids it.
 * Not responsible for: replacing them (upgrade-run.ts).
 *
 * Invariants:
 * - UPGRADE-1. An upgrade is refused before anything is touched if some process of the cluster has no protocol in common
 *   with this version, or if this version could not read the state.
 * - UPGRADE-2. What has this version already is left alone, so that an upgrade that was interrupted goes on where it was. A
 *   node that it has drained and whose successor is not there is a part of the plan.
 */
import type { DriverInfo, HeadInfo, NodeInfo } from "@palimpsest/client";
import { meetProtocols, PalimpsestError, type ProtocolRange } from "@palimpsest/wire";
import { awaitedNodes, isAutoscaled } from "./successor.js";

/** A version of the software as processes of a cluster say it. */
export interface Build {
  readonly version: string;
  readonly protocols: ProtocolRange;
}

export interface Target extends Build {
  readonly rowVersion: number;
}

type MemberKind = "standby" | "head" | "node" | "driver";

/** A process of the cluster. */
export interface Member extends Build {
  readonly kind: MemberKind;
  /** The node's or session's id, or the head's address. */
  readonly id: string;
  /** Name or address of its machine; empty if it is not known. */
  readonly host: string;
  /** Its place in the order; undefined if nothing is done with it. */
  readonly step: number | undefined;
  readonly note: string;
}

export interface UpgradePlan {
  readonly members: readonly Member[];
  /** Why it is refused; empty if it is not. */
  readonly problems: readonly string[];
}

export interface ClusterMembers {
  readonly heads: readonly HeadInfo[];
  /** Those that are dead, too. */
  readonly nodes: readonly NodeInfo[];
  /** Undefined if the head is too old to list them. */
  readonly drivers: readonly DriverInfo[] | undefined;
}

export function isAt(target: Build, { version, protocols }: Build): boolean {
  const { min, max } = target.protocols;
  return version === target.version && protocols.min === min && protocols.max === max;
}

/**
 * Makes the plan: standbys first, then the head that leads, by a standby that takes over, then the nodes.
 * @param canRestart whether a command restarts processes, so that a head without a standby can be replaced
 * @param newHosts whether workers may come back under other host names
 */
export function upgradePlan(
  cluster: ClusterMembers,
  target: Target,
  canRestart: boolean,
  newHosts: boolean,
): UpgradePlan {
  const there = cluster.nodes.filter(({ state }) => state !== "dead");
  const areMore = there.some((node) => !isAt(target, node));
  // The autoscaler starts nodes for requests: what it has to start matters only before another one is drained.
  const awaited = awaitedNodes(cluster.nodes, newHosts).filter(
    (node) => !isAt(target, node) && (areMore || !isAutoscaled(node)),
  );
  const found = [
    ...cluster.heads
      .filter(({ leads, isReachable }) => !leads && isReachable)
      .map((head) => ofHead(head, "standby")),
    ...cluster.heads.filter(({ leads }) => leads).map((head) => ofHead(head, "head")),
    ...[...awaited, ...there].map(ofNode),
  ];
  let step = 0;
  const members: Member[] = found.map((member) => ({
    ...member,
    step: isAt(target, member) ? undefined : ++step,
    note: isAt(target, member)
      ? "has this version"
      : awaited.some(({ nodeId }) => member.kind === "node" && nodeId === member.id)
        ? "was drained; its successor is waited for"
        : howReplaced[member.kind],
  }));
  for (const { sessionId, name, version, protocols } of cluster.drivers ?? [])
    members.push({
      ...{ kind: "driver", id: sessionId, host: name, version, protocols, step: undefined },
      note: isAt(target, { version, protocols }) ? "has this version" : "keeps running; its user upgrades it",
    });
  const problems = [
    ...members.flatMap((member) => mismatch(member, target)),
    ...cluster.heads.filter(({ rowVersion }) => rowVersion > target.rowVersion).map(newerRows(target)),
  ];
  const [head] = members.filter(({ kind }) => kind === "head");
  if (head?.step !== undefined && !canRestart && !members.some(({ kind }) => kind === "standby"))
    problems.push(
      `head ${head.id} has no standby that could take over: start one with this version (\`palimpsest head start --redis …\`), or give --restart-command`,
    );
  return { members, problems };
}

const howReplaced: Readonly<Record<MemberKind, string>> = {
  standby: "is restarted",
  head: "hands over to a standby",
  node: "is drained and restarted",
  driver: "",
};

const newerRows = (target: Target) => (head: HeadInfo) =>
  `head ${head.address} writes rows of version ${head.rowVersion}, and version ${target.version} reads up to ${target.rowVersion}: use a newer version`;

/** UPGRADE-1 */
function mismatch({ kind, id, protocols }: Member, target: Target): string[] {
  try {
    meetProtocols(
      { what: `${kind} ${id}`, protocols },
      { what: "this installation", protocols: target.protocols },
    );
    return [];
  } catch (reason) {
    return [PalimpsestError.from(reason).rawMessage];
  }
}

function ofHead({ address, version, protocols }: HeadInfo, kind: "head" | "standby") {
  return { kind, id: address, host: address.slice(0, address.lastIndexOf(":")), version, protocols };
}

function ofNode({ nodeId, hostname, version, protocols }: NodeInfo) {
  return { kind: "node", id: nodeId, host: hostname, version, protocols } as const;
}

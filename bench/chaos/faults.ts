/**
 * The faults of the bench. Each is injected, held for a while and healed. Faults overlap in time, but not on one
 * target.
 */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { ChaosCluster } from "./cluster.js";
import type { Host } from "./host.js";

/** Returns numbers in [0, 1), the same ones for the same seed. */
export type Random = () => number;

export interface Injected {
  /** The target that was hit, for the log. */
  readonly target: string;
  readonly holdMs: number;
  readonly heal: () => void;
}

export interface Fault {
  readonly kind: string;
  /** Resolves with undefined when there is nothing to hit at this moment. */
  inject(cluster: ChaosCluster, random: Random): Promise<Injected | undefined>;
}

const nothing = () => undefined;

function pick<T>(from: readonly T[], random: Random): T | undefined {
  return from[Math.floor(random() * from.length)];
}

/** Log-uniform between the bounds: most holds are short, some are long. */
function between(lowMs: number, highMs: number, random: Random): number {
  return Math.round(lowMs * (highMs / lowMs) ** random());
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Returns undefined when another fault holds this target already; the end of that fault releases it. */
function claim(
  cluster: ChaosCluster,
  target: string,
  strike: () => Omit<Injected, "target"> | undefined,
): Injected | undefined {
  if (cluster.struck.has(target)) return undefined;
  const injected = strike();
  if (injected === undefined) return undefined;
  cluster.struck.add(target);
  const heal = () => {
    cluster.struck.delete(target);
    injected.heal();
  };
  return { target, holdMs: injected.holdMs, heal };
}

function killActor(role: string): Fault {
  return {
    kind: `kill -9 ${role} actor`,
    async inject(cluster, random) {
      const actor = pick(await cluster.actors(role), random);
      if (actor === undefined) return undefined;
      signalAll([actor.pid], "SIGKILL");
      return { target: actor.actorId, holdMs: 0, heal: nothing };
    },
  };
}

function stopActor(role: string): Fault {
  return {
    kind: `SIGSTOP ${role} actor`,
    async inject(cluster, random) {
      const actor = pick(await cluster.actors(role), random);
      if (actor === undefined) return undefined;
      return claim(cluster, actor.actorId, () => {
        signalAll([actor.pid], "SIGSTOP");
        const heal = () => signalAll([actor.pid], "SIGCONT");
        return { holdMs: between(1_000, 60_000, random), heal };
      });
    },
  };
}

function partition(kind: string, choose: (cluster: ChaosCluster, random: Random) => Host | undefined): Fault {
  return {
    kind,
    async inject(cluster, random) {
      const host = choose(cluster, random);
      return (
        host &&
        claim(cluster, `${host.name}'s cable`, () => ({
          holdMs: between(1_000, 20_000, random),
          heal: host.cut(),
        }))
      );
    },
  };
}

/** Freezes every process of a host, as when a virtual machine is paused. */
function pauseHost(kind: string, choose: (cluster: ChaosCluster, random: Random) => Host | undefined): Fault {
  return {
    kind,
    async inject(cluster, random) {
      const host = choose(cluster, random);
      return (
        host &&
        claim(cluster, host.name, () => {
          const pids = host.processes();
          signalAll(pids, "SIGSTOP");
          return { holdMs: between(1_000, 60_000, random), heal: () => signalAll(pids, "SIGCONT") };
        })
      );
    },
  };
}

function fullDisk(kind: string, folder: (cluster: ChaosCluster, random: Random) => string): Fault {
  return {
    kind,
    async inject(cluster, random) {
      const path = folder(cluster, random);
      const filler = join(path, "filler");
      return claim(cluster, `disk of ${basename(path)}`, () => {
        try {
          execFileSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=1M"], { stdio: "ignore" });
        } catch {
          // dd ends with an error when the disk is full, which is its purpose here.
        }
        return { holdMs: between(2_000, 15_000, random), heal: () => rmSync(filler, { force: true }) };
      });
    },
  };
}

const anyNode = (cluster: ChaosCluster, random: Random) => pick(cluster.nodes, random)?.host;
const leader = (cluster: ChaosCluster) => cluster.heads[cluster.leader()]?.host;

export const faults: readonly Fault[] = [
  killActor("rollout"),
  killActor("reward"),
  killActor("learner"),
  stopActor("rollout"),
  stopActor("learner"),
  {
    kind: "kill -9 head",
    async inject(cluster) {
      const head = cluster.heads[cluster.leader()];
      head?.signal("SIGKILL");
      return { target: head?.host.name ?? "", holdMs: 0, heal: nothing };
    },
  },
  {
    kind: "kill -9 node",
    async inject(cluster, random) {
      const node = pick(cluster.nodes, random);
      node?.signal("SIGKILL");
      return { target: node?.host.name ?? "", holdMs: 0, heal: nothing };
    },
  },
  {
    kind: "kill -9 Redis",
    async inject(cluster) {
      cluster.redis.signal("SIGKILL");
      return { target: "redis", holdMs: 0, heal: nothing };
    },
  },
  pauseHost("SIGSTOP head", leader),
  pauseHost("SIGSTOP node with its actors", anyNode),
  pauseHost("SIGSTOP driver", (cluster) => cluster.driver.host),
  partition("partition of a node", anyNode),
  partition("partition of the head", leader),
  {
    kind: "5 % loss everywhere",
    async inject(cluster, random) {
      return claim(cluster, "all hosts", () => {
        const heals = cluster.hosts.map((host) => host.loseSome(5));
        const heal = () => {
          for (const one of heals) one();
        };
        return { holdMs: between(5_000, 20_000, random), heal };
      });
    },
  },
  // Sockets are thawed only when everything has found new connections; until then they stay open and silent.
  {
    kind: "frozen sockets to Redis",
    async inject(cluster, random) {
      const host = anyNode(cluster, random);
      const { host: address, port } = cluster.redisAddress;
      return (
        host &&
        claim(cluster, `${host.name}'s sockets`, () => {
          const heal = host.freezeConnections(address, port);
          return heal && { holdMs: 40_000, heal };
        })
      );
    },
  },
  fullDisk("full disk of a node", (cluster, random) =>
    join(cluster.folder, pick(["node-1", "node-2"], random) ?? "node-1"),
  ),
  fullDisk("full disk of the run", (cluster) => join(cluster.folder, "run")),
];

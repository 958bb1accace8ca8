/** The faults of the bench: each is injected, held for a while, and taken back. */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { ChaosCluster } from "./cluster.js";
import type { Host } from "./host.js";

/** Gives numbers of [0, 1), the same ones for the same seed. */
export type Random = () => number;

export interface Injected {
  /** What was hit, for the log. */
  readonly target: string;
  readonly holdMs: number;
  readonly heal: () => void;
}

export interface Fault {
  readonly kind: string;
  /** Undefined when there is nothing to hit at this moment. */
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
      signalAll([actor.pid], "SIGSTOP");
      const heal = () => signalAll([actor.pid], "SIGCONT");
      return { target: actor.actorId, holdMs: between(1_000, 60_000, random), heal };
    },
  };
}

function onHost(
  kind: string,
  choose: (cluster: ChaosCluster, random: Random) => Host | undefined,
  use: (host: Host, cluster: ChaosCluster, random: Random) => number | undefined,
): Fault {
  return {
    kind,
    async inject(cluster, random) {
      const host = choose(cluster, random);
      if (host === undefined) return undefined;
      const holdMs = use(host, cluster, random);
      return holdMs === undefined ? undefined : { target: host.name, holdMs, heal: () => host.heal() };
    },
  };
}

/** Every process of a host stands still, as when a virtual machine is paused. */
function pauseHost(kind: string, choose: (cluster: ChaosCluster, random: Random) => Host | undefined): Fault {
  return {
    kind,
    async inject(cluster, random) {
      const host = choose(cluster, random);
      if (host === undefined) return undefined;
      const pids = host.processes();
      signalAll(pids, "SIGSTOP");
      const heal = () => signalAll(pids, "SIGCONT");
      return { target: host.name, holdMs: between(1_000, 60_000, random), heal };
    },
  };
}

function fullDisk(kind: string, folder: (cluster: ChaosCluster, random: Random) => string): Fault {
  return {
    kind,
    async inject(cluster, random) {
      const path = folder(cluster, random);
      const filler = join(path, "filler");
      try {
        execFileSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=1M"], { stdio: "ignore" });
      } catch {
        // dd ends with an error when the disk is full, which is its purpose here.
      }
      return {
        target: path.slice(path.lastIndexOf("/") + 1),
        holdMs: between(2_000, 15_000, random),
        heal: () => rmSync(filler, { force: true }),
      };
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
  onHost("partition of a node", anyNode, (host, _cluster, random) => {
    host.cut();
    return between(1_000, 20_000, random);
  }),
  onHost("partition of the head", leader, (host, _cluster, random) => {
    host.cut();
    return between(1_000, 20_000, random);
  }),
  {
    kind: "5 % loss everywhere",
    async inject(cluster, random) {
      for (const host of cluster.hosts) host.loseSome(5);
      const heal = () => {
        for (const host of cluster.hosts) host.heal();
      };
      return { target: "all hosts", holdMs: between(5_000, 20_000, random), heal };
    },
  },
  // Never thawed before everything has found a new connection: the sockets stay open and silent.
  onHost("frozen sockets to Redis", anyNode, (host, cluster) => {
    const { host: address, port } = cluster.redisAddress;
    return host.freezeConnections(address, port) > 0 ? 40_000 : undefined;
  }),
  fullDisk("full disk of a node", (cluster, random) =>
    join(cluster.folder, pick(["node-1", "node-2"], random) ?? "node-1"),
  ),
  fullDisk("full disk of the run", (cluster) => join(cluster.folder, "run")),
];

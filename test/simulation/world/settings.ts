/** Of the simulated cluster: a slow one, so that hours pass quickly. Times in milliseconds. */
export interface WorldSettings {
  /** 1: a head with a Redis of its own; 2: a leader and a standby over one Redis. */
  readonly heads: number;
  readonly nodes: number;
  readonly drivers: number;
  readonly cpusOfNode: number;
  /** How long faults and operations go on, and how long the cluster then has to come to rest. */
  readonly activeMs: number;
  readonly calmMs: number;
  /** From here on operations and faults are idleFactor times as rare. */
  readonly busyMs: number;
  readonly idleFactor: number;
  readonly operationEveryMs: number;
  readonly faultEveryMs: number;
  readonly callTimeoutMs: number;
  readonly actorStartTimeoutMs: number;
  readonly headAwayLimitMs: number;
  readonly head: {
    readonly leaseMs: number;
    readonly heartbeatIntervalMs: number;
    readonly nodeTimeoutMs: number;
    readonly recoveryGraceMs: number;
    readonly ownerGraceMs: number;
    readonly actorStopGraceMs: number;
    readonly maxDeadActors: number;
  };
}

const minute = 60_000;

export const slowCluster: WorldSettings = {
  heads: 1,
  nodes: 3,
  drivers: 2,
  cpusOfNode: 6,
  activeMs: 20 * minute,
  calmMs: 10 * minute,
  busyMs: 20 * minute,
  idleFactor: 15,
  operationEveryMs: 10_000,
  faultEveryMs: 45_000,
  callTimeoutMs: 2 * minute,
  actorStartTimeoutMs: 5 * minute,
  headAwayLimitMs: 30 * minute,
  head: {
    leaseMs: minute,
    heartbeatIntervalMs: 10_000,
    nodeTimeoutMs: 50_000,
    recoveryGraceMs: minute,
    ownerGraceMs: minute,
    actorStopGraceMs: 2_000,
    // So few that rows are removed, too.
    maxDeadActors: 12,
  },
};

/** Two heads, with the product's own lease. Peers of two heads probe them, so that an hour has many more events. */
export const pairedCluster: WorldSettings = {
  ...slowCluster,
  heads: 2,
  head: { ...slowCluster.head, leaseMs: 5_000 },
};

/** One head, and two and a half idle hours after the busy minutes. */
export const idleCluster: WorldSettings = { ...slowCluster, activeMs: 170 * minute };

/** The cluster of a seed: every fourth one has a standby. */
export function settingsOf(seed: number, long = false): WorldSettings {
  if (seed % 4 === 3) return pairedCluster;
  return long ? idleCluster : slowCluster;
}

/** Of the simulated cluster: a slow one, so that hours pass quickly. Times in milliseconds. */
export interface WorldSettings {
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
  /** Whether Redis may lose rows that it has acknowledged. */
  readonly redisLoses: boolean;
  readonly head: {
    readonly heartbeatIntervalMs: number;
    readonly nodeTimeoutMs: number;
    readonly recoveryGraceMs: number;
    readonly ownerGraceMs: number;
    readonly actorStopGraceMs: number;
  };
}

const minute = 60_000;

export const slowCluster: WorldSettings = {
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
  redisLoses: false,
  head: {
    heartbeatIntervalMs: 10_000,
    nodeTimeoutMs: 50_000,
    recoveryGraceMs: minute,
    ownerGraceMs: minute,
    actorStopGraceMs: 2_000,
  },
};

/** The same with two and a half idle hours after the busy minutes. */
export const idleCluster: WorldSettings = { ...slowCluster, activeMs: 170 * minute };

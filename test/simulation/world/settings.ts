/** Settings of the simulated cluster, which is slow, so that hours pass quickly. Times are in milliseconds. */
export interface WorldSettings {
  /** 1: a head with its own Redis; 2: a leader and a standby over one Redis. */
  readonly heads: number;
  readonly nodes: number;
  readonly drivers: number;
  readonly cpusOfNode: number;
  /** How long faults and operations continue, and how long the cluster then has to come to rest. */
  readonly activeMs: number;
  readonly calmMs: number;
  /** After this time operations and faults are idleFactor times as rare. */
  readonly busyMs: number;
  readonly idleFactor: number;
  readonly operationEveryMs: number;
  readonly faultEveryMs: number;
  readonly callTimeoutMs: number;
  readonly actorStartTimeoutMs: number;
  readonly headAwayLimitMs: number;
  readonly sharedProcessBlockMs: number;
  readonly objectStoreBytes: number;
  /** How many bytes of objects a node may spill to its disk; 0 if it spills none. */
  readonly objectSpillBytes: number;
  /** How often a node asks which holders of its objects have ended. */
  readonly objectHolderCheckMs: number;
  /** Whether drivers put values, pass references on and run tasks for references, which causes many more events. */
  readonly values: boolean;
  /** Whether drivers also use durable actors, light actors and meshes. */
  readonly kinds: boolean;
  /** Whether the head has quotas, and drivers give priorities, weights and scopes. */
  readonly shares: boolean;
  /** Whether machines get another version of the software while the cluster works. */
  readonly versions: boolean;
  /** The time between two checks of the head's tables. */
  readonly checkEveryMs: number;
  readonly head: {
    readonly leaseMs: number;
    readonly heartbeatIntervalMs: number;
    readonly nodeTimeoutMs: number;
    readonly recoveryGraceMs: number;
    readonly ownerGraceMs: number;
    readonly sessionLeaseMs: number;
    readonly actorStopGraceMs: number;
    readonly maxDeadActors: number;
  };
}

/** The port of every node's object service, so that a restarted node is found at the address of the previous one. */
export const objectsPort = 7077;

const minute = 60_000;

const slowCluster: WorldSettings = {
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
  sharedProcessBlockMs: 15_000,
  objectStoreBytes: 2_500_000,
  objectSpillBytes: 0,
  objectHolderCheckMs: minute,
  values: false,
  kinds: false,
  shares: false,
  versions: false,
  checkEveryMs: 20_000,
  head: {
    leaseMs: minute,
    heartbeatIntervalMs: 10_000,
    nodeTimeoutMs: 50_000,
    recoveryGraceMs: minute,
    ownerGraceMs: minute,
    sessionLeaseMs: 2 * minute,
    actorStopGraceMs: 2_000,
    // The limit is so low that rows are removed, too.
    maxDeadActors: 12,
  },
};

/** Two heads with the product's own lease. Peers of two heads probe them, so an hour has many more events. */
const pairedCluster: WorldSettings = {
  ...slowCluster,
  heads: 2,
  head: { ...slowCluster.head, leaseMs: 5_000 },
};

/**
 * One head, and twelve quiet hours after the busy minutes, in which operations and faults are 15 times as rare:
 * about 48 operations of drivers and five faults an hour. Heartbeats and renewals are half as frequent as in the busy
 * cluster, so that an hour has half as many events.
 */
export const idleCluster: WorldSettings = {
  ...slowCluster,
  activeMs: 740 * minute,
  headAwayLimitMs: 60 * minute,
  objectHolderCheckMs: 3 * minute,
  checkEveryMs: minute,
  head: {
    ...slowCluster.head,
    leaseMs: 3 * minute,
    heartbeatIntervalMs: 20_000,
    nodeTimeoutMs: 100_000,
    sessionLeaseMs: 4 * minute,
  },
};

/** Stores so small that most objects with leases have been spilled at some time. */
const spilling = { objectStoreBytes: 250_000, objectSpillBytes: 1_500_000 };

/** Returns the settings of a seed with values. */
export function valuesOf(seed: number): WorldSettings {
  return { ...settingsOf(seed), values: true };
}

/** Returns the settings of a seed with actors of every kind. */
export function kindsOf(seed: number): WorldSettings {
  return { ...settingsOf(seed), kinds: true };
}

/** Returns the settings of a seed with quotas, priorities and scopes. */
export function sharesOf(seed: number): WorldSettings {
  // The quotas together are more than the cluster has, so that priorities matter.
  return { ...settingsOf(seed), shares: true, cpusOfNode: 4 };
}

/** Returns the settings of a seed whose machines get other versions: short, so that many fit into an hour. */
export function versionsOf(seed: number): WorldSettings {
  const { head, ...settings } = settingsOf(seed);
  return {
    ...{
      ...settings,
      versions: true,
      nodes: 2,
      activeMs: 4 * minute,
      busyMs: 4 * minute,
      calmMs: 6 * minute,
    },
    head: { ...head, nodeTimeoutMs: 30_000, recoveryGraceMs: 30_000, ownerGraceMs: 30_000 },
  };
}

/** Returns the settings of a seed with quotas and values, which need more bytes than the quotas allow: short ones, too. */
export function sharesAndValuesOf(seed: number): WorldSettings {
  const settings = { ...sharesOf(seed), values: true };
  return {
    ...settings,
    activeMs: 4 * minute,
    busyMs: 4 * minute,
    calmMs: 6 * minute,
    operationEveryMs: 5_000,
  };
}

/** The quotas of the head in runs with them. */
export const simulatedQuotas = {
  namespaces: { default: { cpu: 11 }, side: { cpu: 3 } },
  jobs: { "*": { cpu: 2 } },
};

/** The quotas in runs with values, too, of which there are more than these allow. */
export const simulatedObjectQuotas = {
  namespaces: { default: { cpu: 11, objectBytes: 600_000 }, side: { cpu: 3, objectBytes: 250_000 } },
  jobs: { "*": { cpu: 2, objectBytes: 150_000 } },
};

/** Returns the settings of a seed: every fourth one has a standby, and in every seventh one nodes spill to disk. */
export function settingsOf(seed: number, long = false): WorldSettings {
  const cluster = seed % 4 === 3 ? pairedCluster : long ? idleCluster : slowCluster;
  return seed % 7 === 0 ? { ...cluster, ...spilling } : cluster;
}

/** Returns the settings of a seed whose nodes spill to disk, whichever seed it is. */
export function spillsOf(seed: number): WorldSettings {
  return { ...settingsOf(seed), ...spilling };
}

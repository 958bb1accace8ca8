/** At most `max` leases of this scope at a time in the cluster, as the request sees it. */
export interface Scope {
  readonly name: string;
  readonly max: number;
}

/** For whom a request is made: what decides its turn, and the limits that its lease counts against. */
export interface Claim {
  /** Requests of a higher priority go first. Default: 0. */
  readonly priority: number;
  /** Requests of one key share what their key's weight is worth. The empty key is that of all requests without one. */
  readonly fairnessKey: string;
  /** The weight of the key, of which the latest request decides. Greater than 0. */
  readonly weight: number;
  /** Names of the quotas that the lease's resources count against. */
  readonly quotas: readonly string[];
  readonly scope?: Scope | undefined;
}

/** The claim of a request that makes none. */
export const noClaim: Claim = { priority: 0, fairnessKey: "", weight: 1, quotas: [] };

/** Returns the same text for claims that decide the same. */
export function claimKeyOf({ priority, fairnessKey, weight, quotas, scope }: Claim): string {
  return JSON.stringify([priority, fairnessKey, weight, quotas, scope?.name, scope?.max]);
}

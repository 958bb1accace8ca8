/**
 * Responsibility: for whom a request or lease is, from its job, namespace and scope: its turn, and the limits that it
 * counts against.
 * Not responsible for: counting (the scheduler's ledger does).
 *
 * Invariants:
 * - CLAIMS-1. What a job spawns has its job's priority and fairness key, over restarts of the head, too: both follow
 *   from rows in the store.
 * - CLAIMS-2. A lease within a bundle counts for its scope alone, because its bundle counts for the quotas and the share.
 * - CLAIMS-3. Requests of jobs that set nothing have no claim, so that their order is that of their age.
 */
import { type Claim, noClaim, type Quantities, type Scope } from "@palimpsest/scheduler";
import { type Actor, defaultNamespace } from "../tables/actor.js";
import type { Submission } from "../tables/job.js";
import type { Lease } from "../tables/node-leases.js";
import type { GroupSpec } from "../tables/placement-group.js";
import type { QuotaConfig } from "./config.js";

export interface ClaimsDeps {
  readonly quotas: QuotaConfig;
  readonly jobs: { submission(jobId: string): Submission | undefined };
  readonly actors: { get(actorId: string): Pick<Actor, "spec"> | undefined };
  readonly groups: { get(groupId: string): { readonly spec: GroupSpec } | undefined };
}

/** What a claim follows from. */
export interface Claimant {
  readonly jobId: string;
  /** Empty for the default one. */
  readonly namespace: string;
  readonly scope?: Scope | undefined;
}

const forEach = "*";

/** The resource by which a quota limits what is stored in the nodes' object stores. No lease takes it. */
const objectBytes = "objectBytes";

export class Claims {
  readonly #deps: ClaimsDeps;

  constructor(deps: ClaimsDeps) {
    this.#deps = deps;
  }

  /** Returns what a quota allows, by the name that claims have for it. */
  quota(name: string): Quantities | undefined {
    const [kind = "", whose = ""] = name.split(" ");
    const all = kind === "job" ? this.#deps.quotas.jobs : this.#deps.quotas.namespaces;
    return Object.hasOwn(all, whose) ? all[whose] : all[forEach];
  }

  /** Whether any quota limits bytes of objects. */
  get limitObjects(): boolean {
    const { namespaces, jobs } = this.#deps.quotas;
    return [namespaces, jobs].some((all) => Object.values(all).some((quota) => objectBytes in quota));
  }

  /** Returns how many bytes of objects the quota of that name allows; undefined when it does not limit them. */
  maxObjectBytes(name: string): number | undefined {
    return this.quota(name)?.[objectBytes];
  }

  /** Returns the names of the quotas against which objects of this claimant count. */
  ofObjects({ jobId, namespace }: Claimant): readonly string[] {
    return quotaNames(jobId, namespace).filter((name) => this.maxObjectBytes(name) !== undefined);
  }

  /** Returns the claim of a request that takes its resources from a node. */
  of({ jobId, namespace, scope }: Claimant): Claim {
    const quotas = quotaNames(jobId, namespace).filter((name) => this.quota(name) !== undefined);
    const submission = jobId === "" ? undefined : this.#deps.jobs.submission(jobId);
    const { priority = 0, weight = 0, firstAttempt = "" } = submission ?? {};
    const fairnessKey = submission?.fairnessKey || (weight > 0 ? firstAttempt || jobId : "");
    if (quotas.length === 0 && priority === 0 && fairnessKey === "" && scope === undefined) return noClaim;
    const full = scope && { ...scope, name: namespace === "" ? scope.name : `${namespace}/${scope.name}` };
    return { priority, fairnessKey, weight: weight || 1, quotas, scope: full };
  }

  /** Returns the claim of a request that takes its resources from a bundle (CLAIMS-2). */
  inBundle(claimant: Claimant): Claim {
    const claim = this.of(claimant);
    return claim.quotas.length === 0 ? claim : { ...claim, quotas: [] };
  }

  ofGroup({ jobId, namespace }: Pick<GroupSpec, "jobId" | "namespace">): Claim {
    return this.of({ jobId, namespace });
  }

  /** Returns the claim of a lease, and the quantities that count. */
  ofLease(name: string, { quantities, within }: Lease): readonly [Claim, Quantities] {
    const { actors, groups } = this.#deps;
    const [kind = "", id = ""] = name.split(/[/#]/);
    if (kind === "driver") return [this.of({ jobId: id, namespace: "" }), quantities];
    if (kind === "bundle") {
      const group = groups.get(id);
      return [group ? this.ofGroup(group.spec) : noClaim, quantities];
    }
    const spec = actors.get(id)?.spec;
    if (spec === undefined) return [noClaim, quantities];
    return within === "" ? [this.of(spec), quantities] : [this.inBundle(spec), {}];
  }
}

function quotaNames(jobId: string, namespace: string): readonly string[] {
  return [`namespace ${namespace || defaultNamespace}`, ...(jobId === "" ? [] : [`job ${jobId}`])];
}

/** Planted bugs of quotas and scopes; see planted-bugs.ts. */
import { HeadBug, type PlantedBug } from "./planted-bugs.js";
import { ObjectStoreBug } from "./planted-object-bugs.js";
import { sharesAndValuesOf, sharesOf } from "./world/settings.js";

export const plantedShareBugs: readonly PlantedBug[] = [
  {
    name: "quotas are not asked",
    breaks: "QUOTA-2",
    settings: sharesOf,
    make: () =>
      new HeadBug(({ ledger }) => {
        const blocking = ledger.blocking.bind(ledger);
        ledger.blocking = (claim, resources) => blocking({ ...claim, quotas: [] }, resources);
      }),
  },
  {
    name: "scopes are not asked",
    breaks: "QUOTA-2",
    settings: sharesOf,
    make: () =>
      new HeadBug(({ ledger }) => {
        const blocking = ledger.blocking.bind(ledger);
        ledger.blocking = (claim, resources) => blocking({ ...claim, scope: undefined }, resources);
      }),
  },
  {
    name: "placement groups count in the default namespace",
    breaks: "QUOTA-2",
    settings: sharesOf,
    make: () =>
      new HeadBug(({ claims }) => {
        const ofGroup = claims.ofGroup.bind(claims);
        claims.ofGroup = (spec) => ofGroup({ ...spec, namespace: "" });
      }),
  },
  {
    name: "leases of an earlier head do not count",
    breaks: "QUOTA-1, QUOTA-2",
    settings: sharesOf,
    make: () =>
      new HeadBug(({ ledger, nodes }) => {
        for (const { nodeId } of nodes.all())
          for (const name of nodes.leasesOn(nodeId).keys()) ledger.giveBack(`${nodeId} ${name}`);
      }),
  },
  {
    name: "what a lost node had leased still counts",
    breaks: "QUOTA-1",
    settings: sharesOf,
    make: () =>
      new HeadBug(({ ledger, nodes }) => {
        const giveBack = ledger.giveBack.bind(ledger);
        ledger.giveBack = (lease) => {
          const [nodeId = ""] = lease.split(" ");
          if (nodes.get(nodeId)?.state !== "SUSPECT") giveBack(lease);
        };
      }),
  },
  {
    name: "what a task that waits lends still counts",
    breaks: "QUOTA-1",
    settings: sharesOf,
    make: () =>
      new HeadBug(({ ledger }) => {
        const take = ledger.take.bind(ledger);
        const known = new Set<string>();
        ledger.take = (lease, claim, quantities) => {
          if (!known.has(lease)) take(lease, claim, quantities);
          known.add(lease);
        };
      }),
  },
  {
    name: "an actor in a bundle counts beside the bundle",
    breaks: "CLAIMS-2, QUOTA-1",
    settings: sharesOf,
    make: () =>
      new HeadBug(({ claims }) => {
        const ofLease = claims.ofLease.bind(claims);
        claims.ofLease = (name, lease) => ofLease(name, { ...lease, within: "" });
      }),
  },
  {
    name: "nobody is woken when a limit has room again",
    breaks: "QUOTA-3, PLACEMENT-2",
    settings: sharesOf,
    make: () =>
      new HeadBug(({ ledger }) => {
        ledger.park = () => undefined;
      }),
  },
  {
    name: "what did not say so is stopped for others",
    breaks: "PREEMPT-3, ACTOR-10",
    settings: sharesOf,
    make: () =>
      new HeadBug(({ lifecycle, actors }) => {
        lifecycle.preempt = () => {
          for (const { spec, state } of actors.all())
            if (state === "ALIVE" && !spec.preemptible && lifecycle.move(spec.actorId, "planted"))
              return true;
          return false;
        };
      }),
  },
  {
    name: "a new head grants bytes before its nodes have said what they have",
    breaks: "OBJECTQUOTA-1",
    settings: sharesAndValuesOf,
    make: () =>
      new HeadBug(({ objectQuotas }) => {
        objectQuotas.isComplete = () => true;
      }),
  },
  {
    name: "a node does not return the bytes that it does not use",
    breaks: "NODEQUOTA-3",
    settings: sharesAndValuesOf,
    make: () =>
      new ObjectStoreBug(({ quotas }) => {
        quotas.beat = () => undefined;
      }),
  },
  {
    name: "a node stores without asking for bytes",
    breaks: "NODEQUOTA-1",
    settings: sharesAndValuesOf,
    make: () =>
      new ObjectStoreBug(({ quotas }) => {
        quotas.take = (holder, sizeBytes) => {
          quotas.charge(holder, sizeBytes);
          return undefined;
        };
      }),
  },
  {
    name: "a byte of each write is not given back",
    breaks: "NODEQUOTA-1",
    settings: sharesAndValuesOf,
    make: () =>
      new ObjectStoreBug(({ quotas }) => {
        const charge = quotas.charge.bind(quotas);
        quotas.giveBack = (holder, sizeBytes) => charge(holder, 1 - sizeBytes);
      }),
  },
];

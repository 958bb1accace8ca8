/** Planted bugs of placement groups; see planted-bugs.ts. */
import { HeadBug, type PlantedBug, StoreBug } from "./planted-bugs.js";

export const plantedGroupBugs: readonly PlantedBug[] = [
  {
    name: "bundles are not leased",
    breaks: "PGROUP-1, ACTOR-3",
    make: () =>
      new HeadBug((plane) => {
        plane.nodes.reserveBundle = () => undefined;
      }),
  },
  {
    name: "every group is packed, whatever its strategy",
    breaks: "PGROUP-2",
    make: () =>
      new HeadBug((plane) => {
        const create = plane.groups.create.bind(plane.groups);
        plane.groups.create = (spec) => create({ ...spec, strategy: "PACK" });
      }),
  },
  {
    name: "bundles stay where a node was",
    breaks: "PGROUP-3",
    make: () =>
      new HeadBug((plane) => {
        plane.groupTable.onNode = () => [];
      }),
  },
  {
    name: "actors outlive the group that they are in",
    breaks: "PGROUP-4",
    make: () => new HeadBug((plane) => plane.groups.onRemoved(() => undefined)),
  },
  {
    name: "what lies in a bundle is given back with it",
    breaks: "ACTOR-3, NODE-2",
    make: () =>
      new HeadBug((plane) => {
        const release = plane.nodes.release.bind(plane.nodes);
        plane.nodes.release = (nodeId, name) => {
          for (const [inner, { within }] of plane.nodes.leasesOn(nodeId))
            if (within === name) release(nodeId, inner);
          release(nodeId, name);
        };
      }),
  },
  {
    name: "groups outlive their owners",
    breaks: "PGROUP-6",
    make: () =>
      new HeadBug((plane) => {
        plane.groups.ownerEnded = () => undefined;
      }),
  },
  {
    name: "groups are not written",
    breaks: "JOURNAL-2",
    make: () =>
      new StoreBug((store, writes) => store.write(writes.filter(({ table }) => table !== "groups"))),
  },
];

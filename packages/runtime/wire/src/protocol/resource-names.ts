/** A resource that every node has, besides those that an operator names. */
export type OwnResource = "cpu" | "gpu" | "memory";

/** Names under which users and other systems have the resources of every node. */
const meant: ReadonlyMap<string, OwnResource> = new Map([
  ...["cpu", "cpus", "numcpus"].map((name) => [name, "cpu"] as const),
  ...["gpu", "gpus", "numgpus"].map((name) => [name, "gpu"] as const),
  ...["memory", "mem", "memorybytes"].map((name) => [name, "memory"] as const),
]);

/** Returns the resource of every node that a name means, whatever its case and its underscores. */
export function ownResource(name: string): OwnResource | undefined {
  return meant.get(name.toLowerCase().replace(/[-_\s]/g, ""));
}

/**
 * Says what is wrong with the name of a resource in a request: as a resource of its own it would be waited for without
 * an end. Returns undefined for a good name.
 */
export function resourceNameProblem(name: string): string | undefined {
  const own = ownResource(name);
  if (own === undefined || own === name) return undefined;
  return `did you mean ${own}? A resource of your own needs another name`;
}

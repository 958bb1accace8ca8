/** Names of instances. Each node type has as many names as it may have nodes. */

/** Returns "CLUSTER-TYPE-3" in lower case, as Kubernetes requires of names. */
function slotName(clusterName: string, nodeType: string, slot: number): string {
  const cluster = clusterName
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "-")
    .slice(0, 24)
    .replace(/^-+|-+$/g, "");
  return `${cluster || "cluster"}-${nodeType}-${slot}`;
}

/** Returns the first `count` names of the type that are not taken. */
export function freeSlots(
  clusterName: string,
  type: { readonly name: string; readonly maxNodes: number },
  taken: ReadonlySet<string>,
  count: number,
): string[] {
  const free: string[] = [];
  for (let slot = 0; slot < type.maxNodes && free.length < count; slot++) {
    const name = slotName(clusterName, type.name, slot);
    if (!taken.has(name)) free.push(name);
  }
  return free;
}

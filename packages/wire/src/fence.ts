import * as proto from "@palimpsest/wire/protocol";

/**
 * Whether no two processes of the actor may ever run at once. Without a choice of its own a detached or named actor
 * needs that: others find it by its name and believe it to be the only one.
 */
export function needsFence({
  fence,
  detached,
  name,
}: Pick<proto.ActorSpec.$Properties, "fence" | "detached" | "name">): boolean {
  if (!fence) return Boolean(detached) || Boolean(name);
  return fence === proto.Fence.FENCE_LEASE;
}

import * as proto from "@palimpsest/wire/protocol";

/**
 * Returns whether two processes of the actor must never run at once. Unless the option says otherwise, that holds for a
 * detached or named actor: others find it by its name and assume that it is the only one.
 */
export function needsFence({
  fence,
  detached,
  name,
}: Pick<proto.ActorSpec.$Properties, "fence" | "detached" | "name">): boolean {
  if (!fence) return Boolean(detached) || Boolean(name);
  return fence === proto.Fence.FENCE_LEASE;
}

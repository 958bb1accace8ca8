import type { PortRange } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

/** Returns the ports in which a process listens; undefined means any. */
export function portsOf({ firstPort, lastPort }: proto.ActorProcessStart.$Properties): PortRange | undefined {
  return firstPort && lastPort ? { first: firstPort, last: lastPort } : undefined;
}

import type { Metadata } from "@grpc/grpc-js";

const actorIdKey = "palimpsest-actor-id";
const incarnationKey = "palimpsest-incarnation";
const programKey = "palimpsest-program";

/** The actor's process that a stream of calls is meant for. Ports are reused: an address alone may be another's. */
export interface Addressee {
  readonly actorId: string;
  readonly incarnation: number;
}

/** What the opening of the stream carries. */
export function addresseeMetadata(
  { actorId, incarnation }: Addressee,
  callerId = "",
): Readonly<Record<string, string>> {
  const caller = callerId === "" ? {} : { [programKey]: callerId };
  return { [actorIdKey]: actorId, [incarnationKey]: String(incarnation), ...caller };
}

/** Who says that it opened the stream: for lists of calls, it proves nothing. Empty when it does not say. */
export function callerNamed(metadata: Metadata): string {
  return String(metadata.get(programKey)[0] ?? "").slice(0, 100);
}

/** The addressee in a stream's opening; an empty actorId when it names none. */
export function addresseeOf(metadata: Metadata): Addressee {
  const actorId = metadata.get(actorIdKey)[0] ?? "";
  return { actorId: String(actorId), incarnation: Number(metadata.get(incarnationKey)[0] ?? 0) };
}

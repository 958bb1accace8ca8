import type { Metadata } from "@grpc/grpc-js";

const actorIdKey = "palimpsest-actor-id";
const incarnationKey = "palimpsest-incarnation";
const programKey = "palimpsest-program";

/**
 * The actor process that a stream of calls is meant for. Ports are reused, so an address alone may by now belong to
 * another process.
 */
export interface Addressee {
  readonly actorId: string;
  readonly incarnation: number;
}

/** The metadata that names the addressee when a stream is opened. */
export function addresseeMetadata(
  { actorId, incarnation }: Addressee,
  callerId = "",
): Readonly<Record<string, string>> {
  const caller = callerId === "" ? {} : { [programKey]: callerId };
  return { [actorIdKey]: actorId, [incarnationKey]: String(incarnation), ...caller };
}

/**
 * The name that the opener of the stream gave itself, or "" when it gave none. It proves nothing and is used only in
 * lists of calls.
 */
export function callerNamed(metadata: Metadata): string {
  return String(metadata.get(programKey)[0] ?? "").slice(0, 100);
}

/** The addressee that a stream was opened for. Its actorId is "" when the stream names none. */
export function addresseeOf(metadata: Metadata): Addressee {
  const actorId = metadata.get(actorIdKey)[0] ?? "";
  return { actorId: String(actorId), incarnation: Number(metadata.get(incarnationKey)[0] ?? 0) };
}

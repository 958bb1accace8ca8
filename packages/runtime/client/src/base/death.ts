import {
  type ErrorCode,
  type ErrorDetails,
  errorFromProto,
  lastWords,
  located,
  PalimpsestError,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

/** Names an actor in messages: "reward actor-12ab" or "actor counter (actor-12ab)". */
export function actorTitle(info: proto.ActorInfo.$Properties): string {
  const id = info.spec?.actorId ?? "";
  const kind = info.spec?.role || "actor";
  const { name, namespace } = info.spec ?? {};
  const fullName = name && namespace ? `${namespace}/${name}` : name;
  return fullName ? `${kind} ${fullName} (${id})` : `${kind} ${id}`;
}

/** Returns the facts of a death certificate, as an error's details carry them. */
export function certificateDetails(
  info: proto.ActorInfo.$Properties,
  others: ErrorDetails = {},
): ErrorDetails {
  const details: Record<string, string | number> = {
    ...others,
    actorId: info.spec?.actorId ?? "",
    incarnation: info.incarnation ?? 0,
  };
  const certificate = info.certificate;
  if (!certificate) return details;
  details["reason"] = certificate.reason ?? "";
  if (certificate.exitCode != null) details["exitCode"] = certificate.exitCode;
  if (certificate.startedCalls != null) details["startedCalls"] = certificate.startedCalls;
  if (certificate.preempted) details["preempted"] = 1;
  if (certificate.signal) details["signal"] = certificate.signal;
  if (certificate.nodeId) details["nodeId"] = certificate.nodeId;
  if (certificate.ownerId) details["ownerId"] = certificate.ownerId;
  if (certificate.pid) details["pid"] = certificate.pid;
  if (certificate.diedAtMs) details["diedAtMs"] = certificate.diedAtMs;
  if (certificate.lastHeartbeatMs) details["lastHeartbeatMs"] = certificate.lastHeartbeatMs;
  const stderr = certificate.lastStderrLines ?? [];
  // A printed error has its message, which says the same in one line; this is for programs.
  if (stderr.length > 0) Object.defineProperty(details, "lastStderr", { value: stderr.join("\n") });
  return details;
}

/** Errors that tell of code that has not run, which is another thing than the death of an actor. */
const unbegun: ReadonlySet<ErrorCode> = new Set(["ENVIRONMENT_FAILED", "IMPORT_FAILED"]);

/** Returns the error of a process whose code has not run, which its tasks and callers get in place of its death. */
export function neverBegun(error: unknown): PalimpsestError | undefined {
  return error instanceof PalimpsestError && unbegun.has(error.code) ? error : undefined;
}

/**
 * Returns ACTOR_DIED with the certificate in its details; its cause is the error that the constructor threw, if it
 * did. Returns ENVIRONMENT_FAILED or IMPORT_FAILED if none of the actor's code has run.
 */
export function diedError(info: proto.ActorInfo.$Properties): PalimpsestError {
  const reason = located(info.certificate?.reason || "its death certificate is not known");
  const cause = info.constructorError ? errorFromProto(info.constructorError) : undefined;
  const own = neverBegun(cause);
  // An error that is the cause has said it already.
  const words = cause ? "" : located(lastWords(info.certificate?.lastStderrLines ?? []));
  const last = words === "" ? "" : `; its last words: ${words}`;
  return new PalimpsestError(own?.code ?? "ACTOR_DIED", `${actorTitle(info)} died: ${reason}${last}`, {
    details: certificateDetails(info, cause?.details),
    cause: own?.cause ?? cause,
  });
}

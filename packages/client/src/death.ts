import { errorFromProto, PalimpsestError } from "@palimpsest/wire";
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
export function certificateDetails(info: proto.ActorInfo.$Properties): Record<string, string> {
  const details: Record<string, string> = {
    actorId: info.spec?.actorId ?? "",
    incarnation: String(info.incarnation ?? 0),
  };
  const certificate = info.certificate;
  if (!certificate) return details;
  details["reason"] = certificate.reason ?? "";
  if (certificate.exitCode != null) details["exitCode"] = String(certificate.exitCode);
  if (certificate.startedCalls != null) details["startedCalls"] = String(certificate.startedCalls);
  if (certificate.signal) details["signal"] = certificate.signal;
  if (certificate.nodeId) details["nodeId"] = certificate.nodeId;
  if (certificate.ownerId) details["ownerId"] = certificate.ownerId;
  if (certificate.pid) details["pid"] = String(certificate.pid);
  if (certificate.diedAtMs) details["diedAtMs"] = String(certificate.diedAtMs);
  if (certificate.lastHeartbeatMs) details["lastHeartbeatMs"] = String(certificate.lastHeartbeatMs);
  const stderr = certificate.lastStderrLines ?? [];
  if (stderr.length > 0) details["lastStderr"] = stderr.join("\n");
  return details;
}

const maxLastWords = 5;
/** Matches the line in which Node.js names an error, such as "TypeError [ERR_X]: x is not a number". */
const header = /^(?:Uncaught |\[)?[A-Za-z_$][\w$.]*(?:Error|Exception|Rejection)\b[^(]*(?:: |$)/;

/** Returns the lines that begin with the last error, because its frames alone do not say what happened. */
function lastWords(lines: readonly string[]): readonly string[] {
  const at = lines.findLastIndex((line) => header.test(line));
  return at < 0 ? lines.slice(-maxLastWords) : lines.slice(at, at + maxLastWords);
}

/**
 * Returns ACTOR_DIED with the certificate in its details; its cause is the error that the constructor threw, if it
 * did. Returns ENVIRONMENT_FAILED if the actor's environment could not be created, so that none of its code has run.
 */
export function diedError(info: proto.ActorInfo.$Properties): PalimpsestError {
  const reason = info.certificate?.reason || "its death certificate is not known";
  const words = lastWords(info.certificate?.lastStderrLines ?? []);
  const tail = words.length > 0 ? `\nlast lines of its standard error:\n  ${words.join("\n  ")}` : "";
  const cause = info.constructorError ? errorFromProto(info.constructorError) : undefined;
  const code = cause?.code === "ENVIRONMENT_FAILED" ? cause.code : "ACTOR_DIED";
  return new PalimpsestError(code, `${actorTitle(info)} died: ${reason}${tail}`, {
    details: { ...cause?.details, ...certificateDetails(info) },
    ...(cause ? { cause } : {}),
  });
}

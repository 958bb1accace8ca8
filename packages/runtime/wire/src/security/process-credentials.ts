/**
 * Responsibility: sends credentials from a node to the processes that it starts, over their channels.
 * Not responsible for: the certificates' files, which the node reads.
 *
 * Invariants:
 * - PROCESS-CREDENTIALS-1. A certificate that cannot be used blocks nothing else: a process takes the tokens and the
 *   revocations that arrive with it, and keeps its previous certificate.
 */
import type { ProcessCredentials } from "@palimpsest/wire/protocol";
import { PalimpsestError } from "../base/error.js";
import { tokenRoles } from "../protocol/access.js";
import { Credentials, type Grant } from "./credentials.js";
import { type TlsIdentity, tlsIdentity } from "./tls.js";

export function processCredentials(
  grant: Grant,
  tls: TlsIdentity | undefined,
): ProcessCredentials.$Properties {
  return {
    token: grant.token,
    accepted: grant.accepted.map(({ role, digest, remainingMs }) => ({
      role,
      digest,
      // 0 means that there is no limit, so a token that has just expired is sent with 1 ms left.
      remainingMs: Number.isFinite(remainingMs) ? Math.max(1, Math.round(remainingMs)) : 0,
    })),
    ...(tls ? { ca: tls.ca, certificate: tls.cert, key: tls.key, revokedSerials: [...tls.revoked] } : {}),
  };
}

/** Decodes what a node sent. @throws {PalimpsestError} INVALID_ARGUMENT */
function grantOf(message: ProcessCredentials.$Properties): Grant {
  const accepted = (message.accepted ?? []).map(({ role, digest, remainingMs }) => {
    const known = tokenRoles.find((name) => name === role);
    if (known === undefined)
      throw new PalimpsestError("INVALID_ARGUMENT", `the grant names the unknown token role "${role}"`);
    return {
      role: known,
      digest: digest ?? new Uint8Array(),
      remainingMs: remainingMs || Number.POSITIVE_INFINITY,
    };
  });
  return { token: message.token ?? "", accepted };
}

/** Creates the credentials of a process that a node has started. */
export function credentialsOf(message: ProcessCredentials.$Properties): Credentials {
  return new Credentials(grantOf(message), { tls: identityIn(message) });
}

/**
 * Takes the credentials that a node sends later: after a rotation, a renewal or a revocation.
 * @param onProblem called when the certificate cannot be used (PROCESS-CREDENTIALS-1)
 * @throws {PalimpsestError} INVALID_ARGUMENT
 */
export function adoptCredentials(
  credentials: Credentials,
  message: ProcessCredentials.$Properties,
  onProblem: (reason: unknown) => void,
): void {
  credentials.adopt(grantOf(message));
  try {
    const tls = identityIn(message);
    if (tls) credentials.replaceTls(tls);
  } catch (reason) {
    const { tls } = credentials;
    if (tls) credentials.replaceTls({ ...tls, revoked: new Set(message.revokedSerials) });
    onProblem(reason);
  }
}

function identityIn({ ca, certificate, key, revokedSerials }: ProcessCredentials.$Properties) {
  if (!ca?.length) return undefined;
  const pem = { ca, cert: certificate ?? new Uint8Array(), key: key ?? new Uint8Array() };
  return tlsIdentity(pem, "this process", { revoked: revokedSerials ?? [] });
}

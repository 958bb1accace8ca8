/**
 * Responsibility: decides for every call, in one place, whether it is admitted: by credentials, role, rate, message size
 * and protocol (PROTOCOL-1).
 * Not responsible for: which roles a method requires (services.ts, access.ts), or what a handler checks of its own
 * request.
 *
 * Invariants:
 * - AUTHORIZATION-1. A method without an access entry is refused to everybody.
 * - AUTHORIZATION-2. Under TLS a call needs a certificate of the cluster and a token, and both roles must allow it. The
 *   only exception is a head that follows the cluster's token, which has no token because it is asking for it.
 * - AUTHORIZATION-3. What a handler reads about its caller is the result of this check alone, never metadata that the
 *   caller sent.
 * - AUTHORIZATION-4. A refused call reaches no handler, and its message is not read.
 */
import type { PeerCertificate } from "node:tls";
import {
  Metadata,
  ResponderBuilder,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from "@grpc/grpc-js";
import { type ErrorCode, PalimpsestError } from "../base/error.js";
import { codeOfGrpcStatus, toGrpcError } from "../failures/status.js";
import { type Access, type Role, type TokenRole, tokenMayCall } from "../protocol/access.js";
import { meetProtocols, ownProtocols, protocolsKey, protocolsOf } from "../protocol/protocol-range.js";
import type { Credentials, TokenHolder } from "./credentials.js";
import type { RateLimit } from "./rate-limit.js";
import { roleOfPeer, type TlsIdentity } from "./tls.js";

const callerKey = "palimpsest-caller";

/** The authenticated caller of a method. */
export interface Caller {
  /** "none" when the token is unknown and the certificate alone was sufficient. */
  readonly tokenRole: TokenRole | "none";
  /** Identifies the token without revealing it. */
  readonly tokenId: string;
  /** True when the caller's token has been replaced and is still accepted during its grace period. */
  readonly superseded: boolean;
  /** Role and name of the caller's certificate; undefined without TLS. */
  readonly certificate: { readonly role: Role; readonly name: string } | undefined;
}

/** One decision, for the audit log: a call that was refused, or an audited call that has ended. */
export interface CallRecord {
  readonly method: string;
  /** host:port of the caller's end of the connection. */
  readonly peer: string;
  /** Undefined when the caller's token is unknown. */
  readonly caller: Caller | undefined;
  /** "OK", or the error code with which the call was answered. */
  readonly outcome: "OK" | ErrorCode;
  readonly refused: boolean;
}

export interface AuthorizationOptions {
  readonly credentials: Credentials;
  /** Returns the requirements of a method, by its path. Undefined refuses the method. */
  readonly accessOf: (path: string) => Access | undefined;
  readonly rate: RateLimit;
  readonly onCall: (record: CallRecord) => void;
  /** Called with the credentials of each admitted call. */
  readonly onAdmitted?: (peer: string, proof: Proof) => void;
  /**
   * Called for a call that can revoke its own token. The returned function is called when the call has been answered.
   */
  readonly onRefusing?: (peer: string) => () => void;
}

export interface Proof {
  readonly authorization: string;
  /** Serial number of the certificate; undefined without TLS. */
  readonly serial: string | undefined;
}

/** Takes the place of a request that was not decoded. */
export class UnreadableMessage {
  readonly error: PalimpsestError;

  constructor(error: PalimpsestError) {
    this.error = error;
  }
}

/** Returns the caller that a server has admitted. Handlers use it. */
export function callerOf(call: { readonly metadata: Metadata }): Caller {
  const text = call.metadata.get(callerKey)[0];
  if (typeof text !== "string")
    throw new PalimpsestError("INTERNAL", "the call has no caller: it has not passed authorization");
  return JSON.parse(text) as Caller;
}

/** Returns true when the caller may only read. */
export function isReader(caller: Caller): boolean {
  return caller.tokenRole === "reader" || caller.certificate?.role === "reader";
}

/** Builds the metadata of a call that a test or a process makes to itself. */
export function metadataOfCaller(caller: Caller): Metadata {
  const metadata = new Metadata();
  metadata.set(callerKey, JSON.stringify(caller));
  return metadata;
}

export function authorization(options: AuthorizationOptions): ServerInterceptor {
  const { credentials, accessOf, rate, onCall, onAdmitted, onRefusing } = options;
  return ({ path, responseStream }, call) => {
    const access = accessOf(path);
    const peer = call.getPeer();
    let caller: Caller | undefined;
    let answered: (() => void) | undefined;
    const refuse = (error: PalimpsestError) => {
      onCall({ method: path, peer, caller, outcome: error.code, refused: true });
      call.sendStatus(toGrpcError(error));
    };
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        try {
          const certificate = call.getAuthContext().sslPeerCertificate;
          caller = identifyCaller(credentials, headerOf(metadata), certificate, access);
          permit(path, access, caller);
          if (access?.lasts) meetCaller(path, metadata.get(protocolsKey)[0]);
          if (access?.rated && !rate.take(peer)) throw tooMany(path);
          onAdmitted?.(peer, {
            authorization: String(metadata.get("authorization")[0]),
            serial: credentials.tls && certificate?.serialNumber.toUpperCase(),
          });
          if (access?.refusing) answered = onRefusing?.(peer);
          metadata.set(callerKey, JSON.stringify(caller));
          if (access?.audited && responseStream)
            onCall({ method: path, peer, caller, outcome: "OK", refused: false });
        } catch (reason) {
          refuse(PalimpsestError.from(reason));
          return;
        }
        next(metadata);
      })
      .withOnReceiveMessage((message: unknown, next) => {
        if (message instanceof UnreadableMessage) refuse(message.error);
        else next(message);
      })
      // Every end of a call is reported here. For an answered call this is after its status was handed to HTTP/2.
      .withOnCancel(() => answered?.())
      .build();
    const responder = new ResponderBuilder().withStart((next) => next(listener));
    if (access?.audited && !responseStream) {
      responder.withSendStatus((sent, next) => {
        onCall({
          method: path,
          peer,
          caller,
          outcome: sent.code === status.OK ? "OK" : codeOfGrpcStatus(sent.code),
          refused: false,
        });
        next(sent);
      });
    }
    return new ServerInterceptingCall(call, responder.build());
  };
}

/**
 * Identifies the caller of a connection that carries no gRPC calls.
 * @throws {PalimpsestError} UNAUTHENTICATED, PERMISSION_DENIED
 */
export function callerWith(
  credentials: Credentials,
  what: string,
  access: Access,
  proof: { readonly authorization: string; readonly certificate: PeerCertificate | undefined },
): Caller {
  const caller = identifyCaller(credentials, proof.authorization, proof.certificate, access);
  permit(what, access, caller);
  return caller;
}

function headerOf(metadata: Metadata): string | undefined {
  const given = metadata.get("authorization")[0];
  return typeof given === "string" ? given : undefined;
}

/**
 * Identifies the caller by its authorization header and, under TLS, its certificate.
 * @throws {PalimpsestError} UNAUTHENTICATED
 */
export function identifyCaller(
  credentials: Credentials,
  header: string | undefined,
  peer: PeerCertificate | undefined,
  access: Access | undefined,
): Caller {
  const { tls } = credentials;
  if (tls !== undefined && access?.certificateSuffices) {
    const certificate = holderOf(peer, tls);
    const { role = "none", tokenId = "", superseded = true } = credentials.identify(header) ?? {};
    return { tokenRole: role, tokenId, superseded, certificate };
  }
  const { role, tokenId, superseded } = tokenHolder(credentials, header);
  const certificate = tls && holderOf(peer, tls);
  return { tokenRole: role, tokenId, superseded, certificate };
}

/** @throws {PalimpsestError} UNAUTHENTICATED */
export function holderOf(
  peer: PeerCertificate | undefined,
  { revoked }: Pick<TlsIdentity, "revoked">,
): { readonly role: Role; readonly name: string } {
  if (peer !== undefined && revoked.has(peer.serialNumber?.toUpperCase())) {
    throw new PalimpsestError(
      "UNAUTHENTICATED",
      `the client's certificate is revoked (serial ${peer.serialNumber}): issue another one with \`palimpsest certs issue\``,
    );
  }
  const role = roleOfPeer(peer);
  if (role !== undefined) return { role, name: String(peer?.subject.CN ?? "") };
  throw new PalimpsestError(
    "UNAUTHENTICATED",
    "the client's certificate has no role of the cluster in its OU: issue one with `palimpsest certs issue`",
  );
}

/** @throws {PalimpsestError} UNAUTHENTICATED */
export function tokenHolder(credentials: Credentials, authorization: string | undefined): TokenHolder {
  const holder = credentials.identify(authorization);
  if (holder) return holder;
  throw new PalimpsestError(
    "UNAUTHENTICATED",
    authorization === undefined
      ? "the authorization metadata is missing: pass the cluster's token with --token or PALIMPSEST_TOKEN"
      : "the token is not this cluster's: use that of the head's token file, whose path `palimpsest head start` prints",
  );
}

/** What serves the methods of a service. */
const servers: Readonly<Record<string, string>> = {
  ActorHost: "the actor",
  Head: "the head",
  NodeLink: "the head",
  Objects: "the node",
};

/** @throws {PalimpsestError} PROTOCOL_MISMATCH */
export function meetCaller(path: string, header: unknown, protocols = ownProtocols()): void {
  const [, service = "", method = ""] = /([^./]+)\/(.+)$/.exec(path) ?? [];
  meetProtocols(
    { what: `the caller of ${service}.${method}`, protocols: protocolsOf(header) },
    { what: servers[service] ?? "this process", protocols },
  );
}

/** @throws {PalimpsestError} PERMISSION_DENIED */
export function permit(path: string, access: Access | undefined, caller: Caller): void {
  const { tokenRole, certificate } = caller;
  if (access !== undefined) {
    const certified = certificate === undefined || access.roles.includes(certificate.role);
    const vouched = certificate !== undefined && access.certificateSuffices;
    if (certified && (vouched || (tokenRole !== "none" && tokenMayCall(tokenRole, access)))) return;
  }
  const who = certificate ? `a certificate with role ${certificate.role}` : `the ${tokenRole} token`;
  const wanted = access ? `it is for ${access.roles.join(", ")}` : "this server grants it to nobody";
  throw new PalimpsestError("PERMISSION_DENIED", `${who} may not call ${path}: ${wanted}`);
}

export function tooMany(path: string): PalimpsestError {
  return new PalimpsestError(
    "LIMIT_EXCEEDED",
    `this connection calls ${path} and similar methods too often: wait one second and call again`,
    { retryable: true },
  );
}

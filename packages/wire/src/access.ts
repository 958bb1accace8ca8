/** Which roles there are, and what a caller needs to use a method. */

/** Roles of certificates. The subject's OU names the role, its CN names the holder. */
export const roles = ["head", "node", "driver", "actor", "reader"] as const;
export type Role = (typeof roles)[number];

/**
 * The cluster's own token has every right; the tokens derived from it have one role each. "caller" is derived from the
 * token of each program and is all that an actor sees of its callers: it is good for calls of actors, and nothing else.
 */
export const tokenRoles = ["cluster", "driver", "actor", "reader", "caller"] as const;
export type TokenRole = (typeof tokenRoles)[number];

export function isRole(text: unknown): text is Role {
  return roles.some((role) => role === text);
}

/** What a method asks of its callers. A server refuses every call of a method that has none. */
export interface Access {
  /** Roles that may call it, of the certificate as well as of the token. */
  readonly roles: readonly Role[];
  /** Longest request message; a longer one is answered LIMIT_EXCEEDED. */
  readonly maxRequestBytes: number;
  /**
   * True when it changes what the cluster runs or tells a secret: each call of it makes a line in the audit log, a unary
   * one when it is answered, a stream when it is let in.
   */
  readonly audited: boolean;
  /** True when calls of one connection are limited in rate: the unary methods of the control plane. */
  readonly rated: boolean;
  /** True when the token of the role "caller" is enough. */
  readonly calls: boolean;
  /** True when a call of it may have the caller's own token refused: its answer is sent before the connection is cut. */
  readonly refusing: boolean;
  /** True when under TLS a certificate of one of the roles is enough, whatever the token. */
  readonly certificateSuffices: boolean;
}

const MiB = 1024 * 1024;
const control = {
  maxRequestBytes: 4 * MiB,
  audited: false,
  rated: true,
  calls: false,
  refusing: false,
  certificateSuffices: false,
} as const;
const programs: readonly Role[] = ["driver", "actor"];

/** Longest message of any kind, requests and responses. */
export const maxMessageBytes = 32 * MiB;

export const access = {
  /** Reads the state of the cluster: lists, one job or actor, logs, health. */
  read: { ...control, roles },
  /** Used by programs, changes only what is theirs. */
  use: { ...control, roles: programs },
  /** Used by programs, with a message that carries values or bytes. */
  carry: { ...control, roles: programs, maxRequestBytes: maxMessageBytes, rated: false },
  /** Calls of an actor. */
  call: { ...control, roles: programs, maxRequestBytes: maxMessageBytes, rated: false, calls: true },
  /** A stream of requests, each of which is let in as a call of its own. */
  requests: { ...control, roles, maxRequestBytes: maxMessageBytes, rated: false },
  /** Changes what the cluster runs. */
  change: { ...control, roles: programs, audited: true },
  /** Creates an actor: its arguments travel in the request. */
  create: { ...control, roles: programs, audited: true, maxRequestBytes: maxMessageBytes },
  /** Changes the cluster itself: people and their programs, never an actor. */
  administer: { ...control, roles: ["driver"], audited: true },
  /** Replaces the token. */
  replace: { ...control, roles: ["driver"], audited: true, refusing: true },
  /**
   * Follows the cluster's token: standby heads, which have missed a rotation when they come. Everybody sends their token
   * to whoever has a head's certificate, so it is as good as the token.
   */
  follow: { ...control, roles: ["head"], audited: true, certificateSuffices: true },
  /** The node's own stream and what a node needs of the head. */
  node: { ...control, roles: ["node"], maxRequestBytes: maxMessageBytes, rated: false },
  /** Bytes of objects and bundles, between nodes and for programs. */
  bytes: { ...control, roles: ["node", ...programs], rated: false },
  /** Lets go of objects: programs, and nodes for theirs. */
  free: { ...control, roles: ["node", ...programs], rated: false },
} satisfies Record<string, Access>;

/** Methods of services that are not Palimpsest's own, by path. */
export const standardMethods: Readonly<Record<string, Access>> = {
  "/grpc.health.v1.Health/Check": access.read,
  "/grpc.health.v1.Health/List": access.read,
  "/grpc.health.v1.Health/Watch": access.read,
  "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo": access.read,
  "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": access.read,
};

/** True when the role of a token is enough for a method. */
export function tokenMayCall(role: TokenRole, wanted: Access): boolean {
  if (role === "caller") return wanted.calls;
  return role === "cluster" || wanted.roles.includes(role);
}

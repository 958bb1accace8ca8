/** Defines the roles of a cluster and the requirements of each method on its callers. */

/** Roles of certificates. The subject's OU names the role and its CN names the process or person that owns it. */
export const roles = ["head", "node", "driver", "actor", "reader"] as const;
/** The roles of certificates and tokens. */
export type Role = (typeof roles)[number];

/**
 * Roles of tokens. The cluster's own token has every right; the tokens derived from it have one role each. A token of
 * the role "caller" is derived from the token of each program and is all that an actor sees of its callers, because it
 * allows calls of actors and nothing else.
 */
export const tokenRoles = ["cluster", "driver", "actor", "reader", "caller"] as const;
/** The roles that a token can have. */
export type TokenRole = (typeof tokenRoles)[number];

export function isRole(text: unknown): text is Role {
  return roles.some((role) => role === text);
}

/** The requirements of a method on its callers. A server refuses every call of a method that has no such entry. */
export interface Access {
  /** Roles that may call the method. Both the certificate and the token must have one of them. */
  readonly roles: readonly Role[];
  /** The largest request message in bytes. A larger request is answered LIMIT_EXCEEDED. */
  readonly maxRequestBytes: number;
  /**
   * True when the method changes what the cluster runs or reveals a secret. Each call is then recorded in the audit
   * log: a unary call when it is answered, a stream when it is admitted.
   */
  readonly audited: boolean;
  /** True when the calls of one connection are limited in rate, as for the unary methods of the control plane. */
  readonly rated: boolean;
  /** True when a token of the role "caller" is sufficient. */
  readonly calls: boolean;
  /**
   * True when a call of the method can revoke the caller's own token. The answer is then sent before the connection is
   * closed.
   */
  readonly refusing: boolean;
  /**
   * True when the call begins something that lasts, for which both processes must have a protocol in common
   * (protocol-range.ts). Other calls work as long as their method is served.
   */
  readonly lasts: boolean;
  /** True when, under TLS, a certificate of one of the roles is sufficient whatever the token is. */
  readonly certificateSuffices: boolean;
}

const MiB = 1024 * 1024;
const control = {
  maxRequestBytes: 4 * MiB,
  audited: false,
  rated: true,
  calls: false,
  refusing: false,
  lasts: false,
  certificateSuffices: false,
} as const;
const programs: readonly Role[] = ["driver", "actor"];

/** The largest message of any kind in bytes, for requests and responses. */
export const maxMessageBytes = 32 * MiB;

export const access = {
  /** Methods that read the state of the cluster: lists, one job or actor, logs, health. */
  read: { ...control, roles },
  /** Methods for programs that change only what belongs to the caller. */
  use: { ...control, roles: programs },
  /** As `use`, for messages that carry values or bytes. */
  carry: { ...control, roles: programs, maxRequestBytes: maxMessageBytes, rated: false },
  /** As `carry`, for the streams of a program that stay open. */
  live: { ...control, roles: programs, maxRequestBytes: maxMessageBytes, rated: false, lasts: true },
  /** Methods that call an actor. */
  call: {
    ...control,
    roles: programs,
    maxRequestBytes: maxMessageBytes,
    rated: false,
    calls: true,
    lasts: true,
  },
  /** A stream of requests. Each request on it is authorized as a call of its own. */
  requests: { ...control, roles, maxRequestBytes: maxMessageBytes, rated: false },
  /** Methods that change what the cluster runs. */
  change: { ...control, roles: programs, audited: true },
  /** Methods that create an actor. Its arguments travel in the request, so the request may be large. */
  create: { ...control, roles: programs, audited: true, maxRequestBytes: maxMessageBytes },
  /** As `change`, for a request of which all is stored with the head's own state, so it must be small. */
  describe: { ...control, roles: programs, audited: true, maxRequestBytes: 64 * 1024 },
  /** Methods that change the cluster itself. People and their programs may call them, actors may not. */
  administer: { ...control, roles: ["driver"], audited: true },
  /** Methods that replace the cluster's token. */
  replace: { ...control, roles: ["driver"], audited: true, refusing: true },
  /**
   * Methods with which a standby head follows the cluster's token, of which it may have missed a rotation. A head's
   * certificate is sufficient, because every process sends its token to the owner of such a certificate anyway.
   */
  follow: { ...control, roles: ["head"], audited: true, lasts: true, certificateSuffices: true },
  /** The node's own stream, and the other methods that a node calls at the head. */
  node: { ...control, roles: ["node"], maxRequestBytes: maxMessageBytes, rated: false, lasts: true },
  /** Methods that transfer the bytes of objects and bundles, between nodes and to programs. */
  bytes: { ...control, roles: ["node", ...programs], rated: false },
  /** Methods that release objects. Programs and nodes may release their own. */
  free: { ...control, roles: ["node", ...programs], rated: false },
} satisfies Record<string, Access>;

/** Access to the methods of services that are not Palimpsest's own, such as health and reflection, by path. */
export const standardMethods: Readonly<Record<string, Access>> = {
  "/grpc.health.v1.Health/Check": access.read,
  "/grpc.health.v1.Health/List": access.read,
  "/grpc.health.v1.Health/Watch": access.read,
  "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo": access.read,
  "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": access.read,
};

/** Returns true when the role of a token is sufficient for a method. */
export function tokenMayCall(role: TokenRole, wanted: Access): boolean {
  if (role === "caller") return wanted.calls;
  return role === "cluster" || wanted.roles.includes(role);
}

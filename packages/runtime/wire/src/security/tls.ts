/** One process's identity under mutual TLS: the cluster's CA, and a certificate that names a role and an owner. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { createSecureContext, createServer, type PeerCertificate, type SecureContext } from "node:tls";
import { ChannelCredentials } from "@grpc/grpc-js";
import { reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "../base/error.js";
import { isRole, type Role, roles } from "../protocol/access.js";
import type { ChannelKind } from "../protocol/channel-kind.js";

const longestHandshakeMs = 600_000;

/** Names of the three files in an identity's folder. */
export const tlsFiles = { ca: "ca.crt", cert: "tls.crt", key: "tls.key" } as const;

/** Name of the file next to them with the serial numbers of revoked certificates, one per line. */
export const revokedFile = "revoked.txt";

/** Every certificate of a cluster carries this name, so that `server_name: palimpsest` matches each metrics page. */
export const commonServerName = "palimpsest";

/** A process's certificate and key, with its role and what it trusts. */
export interface TlsIdentity {
  /** The cluster's CA as PEM. */
  readonly ca: Buffer;
  /** This process's certificate as PEM. */
  readonly cert: Buffer;
  /** This process's private key as PEM. */
  readonly key: Buffer;
  readonly role: Role;
  /** Name of the owner, for people. */
  readonly name: string;
  /** Serial numbers of revoked certificates of the CA, in upper-case hexadecimal. */
  readonly revoked: ReadonlySet<string>;
}

export interface TlsOptions {
  readonly revoked?: Iterable<string>;
  /** When true, an expired certificate is read too, so that it can be renewed. */
  readonly expired?: boolean;
}

const serversOfKind: Readonly<Record<ChannelKind, readonly Role[]>> = {
  control: ["head"],
  calls: ["actor"],
  bulk: ["head", "node"],
};

/**
 * Reads ca.crt, tls.crt and tls.key from a folder made by `palimpsest certs init`.
 * @throws {PalimpsestError} CONFIG_INVALID naming the file and the fix
 */
export function loadTls(folder: string, options: TlsOptions = {}): TlsIdentity {
  const read = (name: string) => {
    try {
      return readFileSync(join(folder, name));
    } catch (cause) {
      throw invalid(`${join(folder, name)} cannot be read (${reasonText(cause)})`, cause);
    }
  };
  const pem = { ca: read(tlsFiles.ca), cert: read(tlsFiles.cert), key: read(tlsFiles.key) };
  return tlsIdentity(pem, folder, { ...options, revoked: readRevoked(folder) });
}

/** Builds an identity from PEM texts. @throws {PalimpsestError} CONFIG_INVALID when they do not belong together */
export function tlsIdentity(
  pem: { readonly ca: Uint8Array; readonly cert: Uint8Array; readonly key: Uint8Array },
  source: string,
  { expired = false, revoked = [] }: TlsOptions = {},
): TlsIdentity {
  const [ca, cert, key] = [Buffer.from(pem.ca), Buffer.from(pem.cert), Buffer.from(pem.key)];
  let certificate: X509Certificate;
  let fits: boolean;
  try {
    certificate = new X509Certificate(cert);
    fits =
      certificate.verify(new X509Certificate(ca).publicKey) &&
      certificate.checkPrivateKey(createPrivateKey(key));
  } catch (cause) {
    throw invalid(`the certificate of ${source} cannot be used`, cause);
  }
  if (!fits) throw invalid(`the certificate, key and CA of ${source} do not belong together`);
  if (!expired && new Date(certificate.validTo).getTime() < Date.now()) {
    throw invalid(`the certificate of ${source} expired at ${certificate.validTo}`);
  }
  const role = fieldOf(certificate.subject, "OU");
  if (!isRole(role))
    throw invalid(
      `the certificate of ${source} has ${JSON.stringify(role)} in its OU, which is not a role (${roles.join(", ")})`,
    );
  return { ca, cert, key, role, name: fieldOf(certificate.subject, "CN") ?? "", revoked: new Set(revoked) };
}

/** Returns the role that a peer's certificate names; undefined when it names none or several. */
export function roleOfPeer(certificate: PeerCertificate | undefined): Role | undefined {
  const unit: unknown = certificate?.subject?.OU;
  return isRole(unit) ? unit : undefined;
}

/**
 * Reads the serial numbers in a folder's list; empty when there is no list. @throws {PalimpsestError} CONFIG_INVALID
 */
export function readRevoked(folder: string): string[] {
  const path = join(folder, revokedFile);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "")
    .map((line) => {
      if (/^[0-9a-f]+$/i.test(line)) return line.toUpperCase();
      throw invalid(
        `${path}: ${JSON.stringify(line)} is not a serial number: write one per line in hexadecimal digits`,
      );
    });
}

/**
 * Creates the credentials of a channel. The server must present a certificate of the cluster with a role that serves
 * this kind.
 * @param current returns the identity at each handshake, because certificates are replaced while a channel lives
 * @param endsWithWork see Network.endsWithWork
 */
export function channelCredentials(
  current: () => TlsIdentity | undefined,
  kind: ChannelKind,
  endsWithWork = false,
): ChannelCredentials {
  const credentials = credentialsOf(current, kind);
  return endsWithWork ? withoutHold(credentials) : credentials;
}

/**
 * The library keeps the process running while a stream is open on a connection, by ref() of its session, which is that of
 * the socket. A program has such streams as long as it is connected.
 */
function withoutHold(credentials: ChannelCredentials): ChannelCredentials {
  const create = credentials._createSecureConnector.bind(credentials);
  credentials._createSecureConnector = (...target) => {
    const connector = create(...target);
    const connect = connector.connect.bind(connector);
    connector.connect = async (socket) => {
      const connected = await connect(socket);
      connected.socket.unref();
      connected.socket.ref = () => connected.socket;
      return connected;
    };
    return connector;
  };
  return credentials;
}

function credentialsOf(current: () => TlsIdentity | undefined, kind: ChannelKind): ChannelCredentials {
  if (current() === undefined) return ChannelCredentials.createInsecure();
  let made: { readonly of: TlsIdentity; readonly context: unknown } | undefined;
  const context: SecureContext = {
    // node:tls reads this property for each connection.
    get context(): unknown {
      const tls = current();
      if (tls !== undefined && made?.of !== tls) {
        made = { of: tls, context: createSecureContext(contextOf(tls)).context };
      }
      return made?.context;
    },
  };
  return ChannelCredentials.createFromSecureContext(context, {
    checkServerIdentity: (host, certificate) =>
      checkServer(host, certificate, serversOfKind[kind], current()?.revoked),
  });
}

/**
 * Creates the server's end of TLS. It returns a function that takes incoming sockets, and calls back with each one that
 * has finished its handshake with a certificate of the cluster. Without an identity it calls back with the socket
 * unchanged.
 * @param current returns the identity at each connection, because certificates are renewed while a server lives
 * @param protocols the protocols that a client may name (ALPN)
 */
export function encrypted(
  current: () => TlsIdentity | undefined,
  onSecure: (socket: Socket) => void,
  protocols: readonly string[] = ["h2"],
): (socket: Socket) => void {
  let tls = current();
  if (tls === undefined) return onSecure;
  const server = createServer({
    ...contextOf(tls),
    requestCert: true,
    rejectUnauthorized: true,
    ALPNProtocols: [...protocols],
    // The server's gate closes handshakes that hang, without counting time during which this process computes.
    handshakeTimeout: longestHandshakeMs,
  });
  server.on("secureConnection", (socket) => {
    socket.on("error", () => socket.destroy());
    onSecure(socket);
  });
  return (socket) => {
    socket.on("error", () => socket.destroy());
    const next = current();
    if (next !== undefined && next !== tls) {
      tls = next;
      server.setSecureContext(contextOf(next));
    }
    server.emit("connection", socket);
  };
}

/** The options of node:tls for either side of a connection with this identity. */
export function contextOf({ ca, cert, key }: TlsIdentity): {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly minVersion: "TLSv1.3";
} {
  return { ca, cert, key, minVersion: "TLSv1.3" };
}

/**
 * A check for node:tls: returns an error unless the server's certificate has one of the roles. Host names are not
 * checked, because processes move between hosts.
 */
export function checkServer(
  host: string,
  certificate: PeerCertificate,
  expected: readonly Role[],
  revoked: ReadonlySet<string> = new Set(),
): Error | undefined {
  if (revoked.has(certificate.serialNumber?.toUpperCase())) {
    return new Error(`the certificate of ${host} is revoked (serial ${certificate.serialNumber})`);
  }
  const role = roleOfPeer(certificate);
  if (role !== undefined && expected.includes(role)) return undefined;
  return new Error(
    `the certificate of ${host} has the role ${role ?? "(none)"}, not ${expected.join(" or ")}`,
  );
}

function fieldOf(subject: string, field: string): string | undefined {
  const values = subject.split("\n").filter((line) => line.startsWith(`${field}=`));
  return values.length === 1 ? values[0]?.slice(field.length + 1) : undefined;
}

function invalid(message: string, cause?: unknown): PalimpsestError {
  return new PalimpsestError(
    "CONFIG_INVALID",
    `${message}: make certificates with \`palimpsest certs init\` or \`palimpsest certs issue\` and pass the folder with --tls`,
    cause === undefined ? {} : { cause },
  );
}

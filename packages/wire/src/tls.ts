/** One process's identity under mutual TLS: the cluster's CA, and a certificate that names a role and a holder. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { createSecureContext, createServer, type PeerCertificate, type SecureContext } from "node:tls";
import { ChannelCredentials } from "@grpc/grpc-js";
import { isRole, type Role } from "./access.js";
import { PalimpsestError } from "./error.js";
import type { ChannelKind } from "./network.js";

const longestHandshakeMs = 600_000;

/** Names of the three files of an identity's folder. */
export const tlsFiles = { ca: "ca.crt", cert: "tls.crt", key: "tls.key" } as const;

/** Beside them: the serial numbers of certificates that nobody is to believe any more, one per line. */
export const revokedFile = "revoked.txt";

/** Every certificate of a cluster carries this name, so that `server_name: palimpsest` fits each metrics page. */
export const commonServerName = "palimpsest";

export interface TlsIdentity {
  /** PEM of the cluster's CA. */
  readonly ca: Buffer;
  /** PEM of the own certificate. */
  readonly cert: Buffer;
  /** PEM of the own private key. */
  readonly key: Buffer;
  readonly role: Role;
  /** Name of the holder, for people. */
  readonly name: string;
  /** Serial numbers, in hexadecimal capitals, of certificates of the CA that are refused. */
  readonly revoked: ReadonlySet<string>;
}

export interface TlsOptions {
  readonly revoked?: Iterable<string>;
  /** True: one that is not valid any more is read too, for whoever renews it. */
  readonly expired?: boolean;
}

const serversOfKind: Readonly<Record<ChannelKind, readonly Role[]>> = {
  control: ["head"],
  calls: ["actor"],
  bulk: ["head", "node"],
};

/**
 * Reads ca.crt, tls.crt and tls.key of a folder made by `palimpsest certs init`.
 * @throws {PalimpsestError} CONFIG_INVALID that names the file and the fix
 */
export function loadTls(folder: string, options: TlsOptions = {}): TlsIdentity {
  const read = (name: string) => {
    try {
      return readFileSync(join(folder, name));
    } catch (cause) {
      throw invalid(`${join(folder, name)} cannot be read`, cause);
    }
  };
  const pem = { ca: read(tlsFiles.ca), cert: read(tlsFiles.cert), key: read(tlsFiles.key) };
  return tlsIdentity(pem, folder, { ...options, revoked: readRevoked(folder) });
}

/** An identity of PEM texts. @throws {PalimpsestError} CONFIG_INVALID when they do not belong together */
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
    throw invalid(`the certificate of ${source} was valid until ${certificate.validTo}`);
  }
  const role = fieldOf(certificate.subject, "OU");
  if (!isRole(role))
    throw invalid(`the certificate of ${source} names the role ${JSON.stringify(role)} (its OU)`);
  return { ca, cert, key, role, name: fieldOf(certificate.subject, "CN") ?? "", revoked: new Set(revoked) };
}

/** The role that a peer's certificate names; undefined when it names none, or several. */
export function roleOfPeer(certificate: PeerCertificate | undefined): Role | undefined {
  const unit: unknown = certificate?.subject?.OU;
  return isRole(unit) ? unit : undefined;
}

/** The serial numbers in a folder's list; none when there is no list. @throws {PalimpsestError} CONFIG_INVALID */
export function readRevoked(folder: string): string[] {
  const path = join(folder, revokedFile);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "")
    .map((line) => {
      if (/^[0-9a-f]+$/i.test(line)) return line.toUpperCase();
      throw invalid(`${path}: ${JSON.stringify(line)} is no serial number in hexadecimal digits`);
    });
}

/**
 * Credentials of a channel: the server must hold a certificate of the cluster with a role that serves this kind.
 * @param current what holds at the moment of each handshake: certificates are replaced while a channel lives
 */
export function channelCredentials(
  current: () => TlsIdentity | undefined,
  kind: ChannelKind,
): ChannelCredentials {
  if (current() === undefined) return ChannelCredentials.createInsecure();
  let made: { readonly of: TlsIdentity; readonly context: unknown } | undefined;
  const context: SecureContext = {
    // node:tls reads this property at each connection.
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
 * The server's end of TLS: returns what takes the sockets that come, and calls back with each that has ended its
 * handshake with a certificate of the cluster. Without an identity it calls back with the socket as it came.
 * @param current the identity at the moment of each connection: certificates are renewed while a server lives
 * @param protocols what a client may name (ALPN)
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
    // The server's gate ends handshakes that hang: it does not count time in which this process computes.
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

/** Options of node:tls for either side of a connection of this identity. */
export function contextOf({ ca, cert, key }: TlsIdentity): {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly minVersion: "TLSv1.3";
} {
  return { ca, cert, key, minVersion: "TLSv1.3" };
}

/** For node:tls: an error unless the server's certificate names one of the roles. Processes move, so names do not count. */
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
    `${message}: make certificates with \`palimpsest certs init\` or \`palimpsest certs issue\` and give the folder with --tls`,
    cause === undefined ? {} : { cause },
  );
}

/**
 * Creates the certificates of a cluster: a CA of its own, and certificates that name a role (OU) and an owner (CN).
 * Only `palimpsest certs` and tests load this file, because no running process of a cluster needs the CA's key.
 */
// The certificate library injects its parts with decorators, which require this import to come first.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { isIP } from "node:net";
import * as x509 from "@peculiar/x509";
import type { Role } from "../protocol/access.js";
import { commonServerName, type TlsIdentity } from "./tls.js";

const keyAlgorithm = { name: "ECDSA", namedCurve: "P-256" } as const;
const signing = { name: "ECDSA", hash: "SHA-256" } as const;
const dayMs = 86_400_000;
/** Clocks of machines differ, so a new certificate is valid from a little before it was made. */
const backdatedMs = 5 * 60_000;

/** A certificate and its key, in PEM. */
export interface Pem {
  readonly cert: string;
  readonly key: string;
}

/** For whom a certificate is, and for how many days. */
export interface CertificateRequest {
  readonly role: Role;
  /** Name of the owner, shown to people and in the audit log. */
  readonly name: string;
  /** Host names and addresses for clients that check them. Processes of the cluster check the role instead. */
  readonly hosts?: readonly string[];
  readonly days: number;
}

x509.cryptoProvider.set(webcrypto);

/** Creates a new CA and returns its certificate and key as PEM. */
export async function makeAuthority(name: string, days: number): Promise<Pem> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: subjectOf({ CN: name, O: "palimpsest" }),
    ...validity(days),
    signingAlgorithm: signing,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: certificate.toString("pem"), key: await keyPem(keys.privateKey) };
}

/** Issues a certificate signed by the CA. */
export async function issueCertificate(authority: Pem, request: CertificateRequest): Promise<Pem> {
  const issuer = new x509.X509Certificate(authority.cert);
  const signingKey = await importKey(authority.key);
  const keys = await newKeys();
  const names = [commonServerName, ...(request.hosts ?? [])];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: subjectOf({ CN: request.name, OU: request.role, O: "palimpsest" }),
    issuer: issuer.subjectName,
    ...validity(request.days),
    signingAlgorithm: signing,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([
        x509.ExtendedKeyUsage.clientAuth,
        ...(serves(request.role) ? [x509.ExtendedKeyUsage.serverAuth] : []),
      ]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) ? "ip" : "dns", value })),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: certificate.toString("pem"), key: await keyPem(keys.privateKey) };
}

/** Returns the identity made of a certificate and its CA, without files. */
export function identityOf(authority: Pick<Pem, "cert">, pem: Pem, role: Role, name: string): TlsIdentity {
  return {
    ca: Buffer.from(authority.cert),
    cert: Buffer.from(pem.cert),
    key: Buffer.from(pem.key),
    role,
    name,
    revoked: new Set(),
  };
}

/** Returns false for drivers and readers, which only connect: their certificates must not pass for a server's. */
function serves(role: Role): boolean {
  return role === "head" || role === "node" || role === "actor";
}

function subjectOf(fields: Readonly<Record<string, string>>): string {
  return new x509.Name(Object.entries(fields).map(([field, value]) => ({ [field]: [value] }))).toString();
}

function serial(): string {
  const bytes = Buffer.from(webcrypto.getRandomValues(new Uint8Array(16)));
  // X.509 requires a serial number that is positive and not zero.
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString("hex");
}

function validity(days: number): { readonly notBefore: Date; readonly notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - backdatedMs), notAfter: new Date(now + days * dayMs) };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ["sign", "verify"]);
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const [bytes] = x509.PemConverter.decode(pem);
  return webcrypto.subtle.importKey("pkcs8", bytes as ArrayBuffer, keyAlgorithm, false, ["sign"]);
}

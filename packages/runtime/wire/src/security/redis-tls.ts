/**
 * TLS to the Redis that a head runs itself. Its CA travels in the fragment of the URL, so that every process with the
 * URL can verify the server.
 */
import { checkServer, type TlsIdentity } from "./tls.js";

const caField = "#ca=";

/** Returns the rediss:// URL with the CA that verifies its server. */
export function redisUrlWithCa(url: string, { ca }: Pick<TlsIdentity, "ca">): string {
  return `${url}${caField}${ca.toString("base64url")}`;
}

/**
 * Returns the options for ioredis that go with the URL. For a URL with a CA they require the server to have a head's
 * certificate of that CA.
 */
export function redisTlsOptions(url: string): {
  readonly tls?: { readonly ca: Buffer; readonly checkServerIdentity: CheckServerIdentity };
} {
  const at = url.indexOf(caField);
  if (at < 0) return {};
  const ca = Buffer.from(url.slice(at + caField.length), "base64url");
  return {
    tls: { ca, checkServerIdentity: (host, certificate) => checkServer(host, certificate, ["head"]) },
  };
}

type CheckServerIdentity = (
  host: string,
  certificate: Parameters<typeof checkServer>[1],
) => Error | undefined;

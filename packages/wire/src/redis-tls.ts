/** TLS to the Redis that a head runs itself. Its CA travels in the fragment of the URL, to those who may have the URL. */
import { checkServer, type TlsIdentity } from "./tls.js";

const caField = "#ca=";

/** The rediss:// URL with the CA that its server is to be checked by. */
export function redisUrlWithCa(url: string, { ca }: Pick<TlsIdentity, "ca">): string {
  return `${url}${caField}${ca.toString("base64url")}`;
}

/** Options for ioredis beside the URL: for a URL with a CA, that the server must hold a head's certificate of it. */
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

import { z } from "zod";
import type { EngineErrorCode } from "./error.js";

/** Why there was no connection, what to do, and whether another attempt may help. */
export interface ConnectionFailure {
  readonly why: string;
  readonly fix: string;
  readonly retryable: boolean;
  /** Default: UNREACHABLE. */
  readonly code?: EngineErrorCode;
}

const causeSchema = z.looseObject({
  code: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  cause: z.unknown().optional(),
});

const untrusted =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|CERT_UNTRUSTED|CERT_REJECTED|INVALID_CA|CERT_CHAIN_TOO_LONG)$/;

/** A compressed reply that is cut has another code, and may be whole the next time. */
const notPacked = /^(Z_DATA_ERROR|ERR_+(BROTLI_DECODER_ERROR|ERROR_FORMAT)\w*|ZSTD_error_prefix_unknown)$/;

/**
 * Says why a request reached no server. What no repetition changes is told from what may pass: certificates, names that
 * do not exist, and servers that speak another protocol stay as they are.
 * @param reason what fetch threw
 * @param proxy the proxy that was asked, if there was one
 * @param begun whether a part of the reply had come
 */
export function connectionFailure(
  reason: unknown,
  host: string,
  proxy: string | undefined,
  begun: boolean,
): ConnectionFailure {
  const { code, message } = deepest(reason);
  const via = proxy === undefined ? "" : ` through the proxy ${proxy}`;
  const final = (why: string, fix: string) => ({ why: `${why}${via}`, fix, retryable: false });
  if (code !== undefined && untrusted.test(code))
    return final(
      `its certificate is not trusted here (${code})`,
      "set NODE_EXTRA_CA_CERTS to the PEM file of the authority that signed it",
    );
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return final(
      `its certificate is for another name than ${host} (${code})`,
      "use the name in its certificate",
    );
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return final(`its certificate is not valid today (${code})`, "renew it, or set this machine's clock");
  if (code?.startsWith("CERT_"))
    return final(`its certificate is refused (${code})`, "give the server a valid one");
  if (code === "ENOTFOUND")
    return final(`the name ${host} does not exist (${code})`, "check its spelling, and this machine's DNS");
  if (code?.startsWith("ERR_SSL_") || code === "EPROTO")
    return final(`it does not speak TLS as asked (${code})`, "use http:// if it is a plain server");
  // The library has codes for some of what is not HTTP.
  if (code?.startsWith("HPE_") || message.includes("does not match the HTTP/1.1 protocol"))
    return final(`it does not answer in HTTP (${code ?? message})`, "use https:// if it has a certificate");
  if (code === "UND_ERR_HEADERS_OVERFLOW")
    return {
      ...final(
        `the headers of its reply are longer than 16 KiB (${code})`,
        "let the server, or what stands before it, send fewer or shorter headers",
      ),
      code: "BAD_REPLY",
    };
  if (code !== undefined && notPacked.test(code))
    return {
      ...final(
        `its reply is not compressed as its content-encoding says (${code})`,
        "let the server, or what stands before it, compress the reply or send it without this header",
      ),
      code: "BAD_REPLY",
    };
  if (message === "bad port")
    return final(
      "web clients never ask this port, because other services have it (bad port)",
      "let the server listen on another port, such as 8000",
    );
  if (begun)
    return {
      why: `the server${via} closed the connection in the middle of its reply (${code ?? message})`,
      fix: "repeat the request; if it happens again, the server's log says why",
      retryable: true,
    };
  const refused = /Proxy response \((\d+)\)/.exec(message)?.[1];
  if (refused !== undefined)
    return {
      why: `the proxy${proxy === undefined ? "" : ` ${proxy}`} refused the connection with status ${refused}`,
      fix:
        refused === "407"
          ? "put its name and password into HTTPS_PROXY, as http://name:password@host:port"
          : "check HTTPS_PROXY, or add the host to NO_PROXY",
      retryable: Number(refused) >= 500,
    };
  return {
    why: `${code ?? message}${via}`,
    fix:
      proxy === undefined
        ? "check that the server runs at this URL"
        : "check HTTP_PROXY and HTTPS_PROXY; NO_PROXY leaves hosts out",
    retryable: true,
  };
}

/** Returns whether the other side closed the connection, which says nothing about whether the server runs. */
export function isClosed(reason: unknown): boolean {
  const { code = "" } = deepest(reason);
  return ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"].includes(code);
}

/** Returns code and message of the innermost cause, which says what happened; fetch itself says "fetch failed". */
function deepest(reason: unknown): { code: string | undefined; message: string } {
  let code: string | undefined;
  let message = String(reason);
  let rest = reason;
  for (let depth = 0; depth < 5; depth++) {
    const parsed = causeSchema.safeParse(rest).data;
    if (parsed === undefined) break;
    code = parsed.code ?? code;
    message = parsed.message || message;
    rest = parsed.cause;
  }
  return { code, message };
}

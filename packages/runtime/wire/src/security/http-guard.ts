/**
 * Applies the rules of RPCs to the HTTP pages of a process: a request needs a token or, under TLS, a client
 * certificate.
 */
import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { PalimpsestError } from "../base/error.js";
import { type Caller, type CallRecord, holderOf, tokenHolder } from "./authorization.js";
import type { Credentials } from "./credentials.js";
import { contextOf } from "./tls.js";

export interface HttpGuard {
  /** Returns undefined when the request is admitted, else the answer that refuses it. */
  refuse(request: IncomingMessage): { readonly status: number; readonly message: string } | undefined;
  readonly tls: ReturnType<typeof contextOf> | undefined;
  /** Calls back with each certificate that replaces the previous one. The returned function removes the listener. */
  onTls(listener: (tls: ReturnType<typeof contextOf>) => void): () => void;
}

/** Every role may read the pages, and no caller without a role may. */
export function httpGuard(
  credentials: Credentials,
  onCall: (record: CallRecord) => void = () => undefined,
): HttpGuard {
  return {
    tls: credentials.tls ? contextOf(credentials.tls) : undefined,
    onTls(listener) {
      let known = credentials.tls;
      return credentials.onChange(() => {
        const { tls } = credentials;
        if (tls === undefined || tls === known) return;
        known = tls;
        listener(contextOf(tls));
      });
    },
    refuse(request) {
      try {
        admit(credentials, request);
        return undefined;
      } catch (reason) {
        const error = PalimpsestError.from(reason);
        const { remoteAddress, remotePort } = request.socket;
        const caller: Caller | undefined = undefined;
        onCall({
          method: `${request.method} ${(request.url ?? "/").split("?", 1)[0]}`,
          peer: `${remoteAddress}:${remotePort}`,
          caller,
          outcome: error.code,
          refused: true,
        });
        return { status: 401, message: error.rawMessage };
      }
    },
  };
}

function admit(credentials: Credentials, request: IncomingMessage): void {
  // The handshake has verified that the certificate is the cluster's, so only its role is left to check.
  if (credentials.tls && request.socket instanceof TLSSocket)
    holderOf(request.socket.getPeerCertificate(), credentials.tls);
  else tokenHolder(credentials, request.headers.authorization);
}

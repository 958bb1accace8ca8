/** What the driver's main thread gives to its session's thread. */
export interface SessionThreadData {
  readonly address: string;
  /** A ProcessCredentials message: the token of this moment, and the certificate. */
  readonly credentials: Uint8Array;
  /** Folder of the certificate, which may be renewed there; empty: it stays what it is. */
  readonly tlsFolder: string;
  readonly sessionId: string;
  readonly name: string;
  readonly jobId: string;
}

/** From the main thread. */
export type SessionOrder = { readonly kind: "close" };

/** To the main thread. Messages of the protocol travel encoded. */
export type SessionNews =
  | { readonly kind: "opened" }
  | { readonly kind: "actorDied"; readonly info: Uint8Array }
  | { readonly kind: "newToken"; readonly token: string; readonly graceMs: number }
  | { readonly kind: "lost"; readonly error: Uint8Array };

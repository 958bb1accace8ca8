/** Messages from the driver's main thread to its session's thread, and back. */
export interface SessionThreadData {
  readonly address: string;
  /** A ProcessCredentials message: the current token and the certificate. */
  readonly credentials: Uint8Array;
  /** Folder of the certificate, in which it may be renewed; empty if it does not change. */
  readonly tlsFolder: string;
  readonly sessionId: string;
  readonly name: string;
  readonly jobId: string;
  readonly namespace: string;
}

/** Messages from the main thread. */
export type SessionOrder = { readonly kind: "close" };

/** Messages to the main thread. Messages of the protocol are sent encoded. */
export type SessionNews =
  | { readonly kind: "opened" }
  | { readonly kind: "actorDied"; readonly info: Uint8Array }
  | { readonly kind: "newToken"; readonly token: string; readonly graceMs: number }
  | { readonly kind: "lost"; readonly error: Uint8Array };

import { type Bundle, uploadBundle } from "./bundle.js";
import type { HeadCallOptions, HeadClient } from "./head-client.js";

/** Sends each bundle once to each head of a connection. */
export class BundleUploads {
  readonly #head: HeadClient;
  readonly #defaultTimeoutMs: number;
  /** By hash. */
  readonly #uploads = new Map<string, Promise<void>>();

  constructor(head: HeadClient, defaultTimeoutMs: number) {
    this.#head = head;
    this.#defaultTimeoutMs = defaultTimeoutMs;
    // Another head may not have what this connection has uploaded.
    head.peer.onMoved(() => this.#uploads.clear());
  }

  upload(bundle: Bundle, { timeoutMs = this.#defaultTimeoutMs, signal }: HeadCallOptions): Promise<void> {
    const known = this.#uploads.get(bundle.sha256);
    if (known !== undefined) return known;
    const upload = uploadBundle(this.#head.peer, bundle, { timeoutMs, ...(signal ? { signal } : {}) });
    this.#uploads.set(bundle.sha256, upload);
    upload.catch(() => this.#uploads.delete(bundle.sha256));
    return upload;
  }
}

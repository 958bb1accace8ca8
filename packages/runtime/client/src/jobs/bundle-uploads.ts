/**
 * Responsibility: makes sure that the head has the bundles that a request names, and sends each only once.
 * Not responsible for: building bundles (bundle.ts), or storing them (the head does).
 *
 * Invariants:
 * - UPLOAD-1. An upload that was interrupted by a head's death begins again at the leading head, until its deadline.
 * - UPLOAD-2. A request that a head refused because it lacks the bundle is repeated after another upload.
 */
import { PalimpsestError } from "@palimpsest/wire";
import type { HeadCallOptions, HeadClient } from "../base/head-client.js";
import { type Bundle, uploadBundle } from "./bundle.js";

/**
 * The maximum number of attempts. If the leading head changes even more often between upload and request, this is no
 * coincidence, and the request's own error is thrown.
 */
const maxUploads = 4;

export class BundleUploads {
  readonly #head: HeadClient;
  /** Uploads by hash. */
  readonly #uploads = new Map<string, Promise<void>>();

  constructor(head: HeadClient) {
    this.#head = head;
    // Another head may lack the bundles that this connection has uploaded.
    head.peer.onMoved(() => this.#uploads.clear());
  }

  /** Sends a request that names these bundles. @throws {PalimpsestError} LIMIT_EXCEEDED; the request's own errors */
  async naming<T>(
    bundles: readonly Bundle[],
    request: () => Promise<T>,
    options: HeadCallOptions = {},
  ): Promise<T> {
    for (let uploads = 1; ; uploads++) {
      await Promise.all(bundles.map((bundle) => this.#upload(bundle, options)));
      try {
        return await request();
      } catch (reason) {
        const { code, details } = PalimpsestError.from(reason);
        const missing = bundles.find(({ sha256 }) => sha256 === details["bundle"]);
        if (code !== "NOT_FOUND" || missing === undefined || uploads === maxUploads) throw reason;
        this.#uploads.delete(missing.sha256);
      }
    }
  }

  #upload(bundle: Bundle, options: HeadCallOptions): Promise<void> {
    const known = this.#uploads.get(bundle.sha256);
    if (known !== undefined) return known;
    const upload = this.#head.untilDeadline(
      (settings) => uploadBundle(this.#head.peer, bundle, settings),
      options,
    );
    this.#uploads.set(bundle.sha256, upload);
    upload.catch(() => this.#uploads.delete(bundle.sha256));
    return upload;
  }
}

import { fileURLToPath } from "node:url";
import { sha256Of } from "@palimpsest/std";
import { fromGrpcError, jobsService, PalimpsestError, type Peer } from "@palimpsest/wire";
import { type BundleOptions, buildModule } from "./build-module.js";
import { dataOf, type ModuleSource, sourceUrl } from "./module-source.js";

const chunkBytes = 512 * 1024;

/** One ES module with user code and everything that it imports, except packages of the installation. */
export interface Bundle {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/**
 * Bundles a module (TypeScript or JavaScript) with esbuild.
 * @throws {PalimpsestError} INVALID_ARGUMENT if it does not build
 */
export async function bundleModule(source: ModuleSource, options: BundleOptions = {}): Promise<Bundle> {
  const url = sourceUrl(source);
  const bytes = url.protocol === "data:" ? dataOf(url) : await buildModule(fileURLToPath(url), options);
  return bundleOf(bytes);
}

export function bundleOf(bytes: Uint8Array): Bundle {
  return { sha256: sha256Of(bytes), bytes };
}

/**
 * Stores a bundle at the head, which keeps it under its hash.
 * @throws {PalimpsestError} LIMIT_EXCEEDED above the head's bundleMaxBytes
 */
export async function uploadBundle(
  peer: Peer,
  bundle: Bundle,
  settings: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<void> {
  const { stream, response } = peer.clientStream(jobsService.putBundle, settings);
  response.catch(() => undefined);
  // A head that refuses the bundle before its end gives the reason in the response.
  stream.on("error", () => undefined);
  for (let offset = 0; offset < bundle.bytes.byteLength; offset += chunkBytes) {
    stream.write({ data: bundle.bytes.subarray(offset, offset + chunkBytes) });
  }
  stream.end();
  const info = await response.catch((reason: unknown) => {
    throw fromGrpcError(reason);
  });
  if (info.sha256 !== bundle.sha256) {
    throw new PalimpsestError(
      "CODEC",
      `the head received a bundle with the hash ${info.sha256}, but the sent one has ${bundle.sha256}; send it again`,
      { retryable: true },
    );
  }
}

import { parseInput } from "@palimpsest/std/input";
import { z } from "zod";
import { ModelError } from "../base/error.js";
import { refusal } from "./download-file.js";
import type { FileDigest } from "./file-digest.js";
import type { HubFetch, HubResponse } from "./hub-fetch.js";
import { isFinal, type RetryPolicy, silenceWatch, waitBeforeRetry } from "./retry.js";

export type RepoKind = "model" | "dataset";

/** A hub, the kind of its repositories that is requested, and the token with which it is asked. */
export interface HubAccess {
  readonly kind: RepoKind;
  /** URL of the hub, without a slash at its end. */
  readonly endpoint: string;
  readonly token?: string | undefined;
  readonly retry: RetryPolicy;
  /** Default: the global fetch. */
  readonly fetch?: HubFetch | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HubFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly digest: FileDigest;
}

/** A repository's files at one commit, which stay the same when the branch moves on. */
export interface HubListing {
  readonly commit: string;
  readonly files: readonly HubFile[];
}

// Paths and hashes become parts of file names and requests, so both are checked before use.
const hex = z.string().regex(/^[0-9a-f]+$/);
const entrySchema = z.object({
  type: z.string(),
  path: z.string().refine((path) => !path.split("/").includes("..") && !path.startsWith("/")),
  size: z.int().nonnegative(),
  oid: hex,
  lfs: z.object({ oid: hex.length(64), size: z.int().nonnegative() }).optional(),
});

/** @throws {ModelError} HUB_REFUSED, HUB_NOT_FOUND, HUB_UNREACHABLE, FILE_DAMAGED; the signal's reason */
export async function listHubRepo(access: HubAccess, repo: string, revision: string): Promise<HubListing> {
  const { datasetInfo, listFiles, modelInfo } = await import("@huggingface/hub");
  const { kind } = access;
  // Our own fetch sends the token, because the client refuses a token that does not begin with hf_, and the token of a
  // mirror may not.
  const asked = { hubUrl: access.endpoint, fetch: patientFetch(access, `${kind} ${repo} at ${revision}`) };
  const { sha } =
    kind === "model"
      ? await modelInfo({ ...asked, name: repo, revision, additionalFields: ["sha"] })
      : await datasetInfo({ ...asked, name: repo, revision, additionalFields: ["sha"] });
  if (!hex.safeParse(sha).success) throw answerDamaged(repo, "sha");
  const files: HubFile[] = [];
  for await (const entry of listFiles({
    ...asked,
    repo: { type: kind, name: repo },
    revision: sha,
    recursive: true,
  })) {
    const { type, path, size, oid, lfs } = parseInput(entrySchema, entry, (problem) =>
      answerDamaged(repo, problem),
    );
    if (type !== "file") continue;
    const digest = lfs
      ? ({ kind: "sha256", hex: lfs.oid } as const)
      : ({ kind: "git-blob-sha1", hex: oid } as const);
    files.push({ path, sizeBytes: lfs?.size ?? size, digest });
  }
  return { commit: sha, files };
}

/** Returns the URL of a file, which may redirect to where its bytes are. */
export function fileUrl(access: HubAccess, repo: string, commit: string, path: string): string {
  const escaped = path.split("/").map(encodeURIComponent).join("/");
  const shelf = access.kind === "dataset" ? "datasets/" : "";
  return `${access.endpoint}/${shelf}${repo}/resolve/${commit}/${escaped}`;
}

export function authorization(access: HubAccess): Readonly<Record<string, string>> {
  return access.token === undefined ? {} : { authorization: `Bearer ${access.token}` };
}

/** Returns a fetch that retries failures that may pass, and throws a ModelError for those that do not. */
function patientFetch(access: HubAccess, what: string): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    // The token is sent to this hub only, and not to other servers to which a page of the listing may point.
    const credentials = url.origin === new URL(access.endpoint).origin ? authorization(access) : {};
    for (let failures = 1; ; failures++) {
      const watch = silenceWatch(access.retry.silenceTimeoutMs, access.signal);
      let response: HubResponse | undefined;
      let reason: unknown;
      try {
        const headers = { ...(init?.headers as Record<string, string> | undefined), ...credentials };
        const request = { method: init?.method ?? "GET", headers, signal: watch.signal };
        response = await (access.fetch ?? fetch)(url.href, request);
        // The body is read here, so that a connection that breaks during the reading is retried too.
        if (response.ok) {
          const { status } = response;
          return new Response(await response.text(), { status, headers: [...response.headers.entries()] });
        }
        reason = `status ${response.status}`;
      } catch (thrown) {
        access.signal?.throwIfAborted();
        reason = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
      } finally {
        watch.end();
      }
      if (response !== undefined && isFinal(response.status)) throw refusal(what, response.status);
      if (failures >= access.retry.attempts) {
        const message = `${what}: ${access.endpoint} cannot be reached (${String(reason)}); check the network and HF_ENDPOINT`;
        throw new ModelError("HUB_UNREACHABLE", message, { cause: reason });
      }
      await waitBeforeRetry(access.retry, failures, response, access.signal);
    }
  };
}

function answerDamaged(repo: string, what: string): ModelError {
  return new ModelError(
    "FILE_DAMAGED",
    `listing of ${repo}: ${what}; check that the endpoint is a Hugging Face hub`.replaceAll("\n", " "),
  );
}

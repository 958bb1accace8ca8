import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sha256Of } from "@palimpsest/std";

/** A fault that the next request for a file's bytes meets. */
export type Fault =
  | { readonly kind: "cut"; readonly afterBytes: number }
  | { readonly kind: "status"; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly kind: "no-ranges" }
  | { readonly kind: "silence"; readonly afterBytes: number }
  | { readonly kind: "wrong-bytes" };

export interface ServedFile {
  readonly bytes: Buffer;
  /** Whether the file is in large file storage, which redirects to another origin and lists the file's SHA-256. */
  readonly lfs?: boolean;
}

/**
 * A server that answers as a Hugging Face hub does, with model info, paged tree listings, resolve and a blob store.
 * Python's huggingface_hub 2.4 can download a snapshot from it too.
 */
export class LoopbackHub {
  repo = "anyone/tiny";
  /** The kind of repository that is served. */
  shelf: "models" | "datasets" = "models";
  commit = "c".repeat(40);
  files: Record<string, ServedFile> = {};
  /** When it is set, only requests with this token are served. */
  token: string | undefined;
  /** Each request for bytes takes one fault from the front. */
  faults: Fault[] = [];
  /** Statuses of the next requests to the API. */
  apiStatuses: number[] = [];
  readonly requests: string[] = [];
  /** Authorization headers that reached the blob store, which none may. */
  readonly leakedTokens: string[] = [];
  endpoint = "";
  #store = "";
  readonly #servers = [createServer(), createServer()] as const;

  static async start(): Promise<LoopbackHub> {
    const hub = new LoopbackHub();
    const [api, store] = hub.#servers;
    const listening = async (server: typeof api) => {
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    };
    hub.endpoint = await listening(api);
    hub.#store = await listening(store);
    api.on("request", (request, response) => hub.#answerApi(request, response));
    store.on("request", (request, response) => {
      hub.requests.push(`store ${request.url} ${request.headers.range ?? ""}`.trimEnd());
      if (request.headers.authorization) hub.leakedTokens.push(request.headers.authorization);
      hub.#sendFile(decodeURIComponent((request.url ?? "").slice(1)), request, response);
    });
    return hub;
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
  }

  /** Returns the digest that the listing has of a large file. */
  digestOf(path: string): string {
    return sha256(this.files[path]?.bytes ?? Buffer.alloc(0));
  }

  #answerApi(request: IncomingMessage, response: ServerResponse): ServerResponse {
    const url = new URL(request.url ?? "", this.endpoint);
    this.requests.push(`${url.pathname} ${request.headers.range ?? ""}`.trimEnd());
    if (this.token !== undefined && request.headers.authorization !== `Bearer ${this.token}`) {
      return sendJson(response, 401, { error: "Invalid credentials in Authorization header" });
    }
    const prefix = this.shelf === "models" ? /^\/(api\/models\/)?/ : /^\/(api\/datasets\/|datasets\/)/;
    const [, ownerAndName, rest] = /^([^/]+\/[^/]+)\/(.*)$/.exec(url.pathname.replace(prefix, "")) ?? [];
    if (ownerAndName !== this.repo || rest === undefined)
      return sendJson(response, 404, { error: "Repository not found" });
    const status = url.pathname.startsWith("/api/") ? this.apiStatuses.shift() : undefined;
    if (status !== undefined) return sendJson(response, status, { error: "out of order" });
    const [verb, revision, ...path] = rest.split("/").map(decodeURIComponent);
    if (!["main", "HEAD", this.commit].includes(revision ?? "")) {
      return sendJson(response, 404, { error: `Invalid rev id: ${revision}` });
    }
    if (verb === "revision") {
      return sendJson(response, 200, {
        _id: "1",
        id: this.repo,
        sha: this.commit,
        lastModified: new Date(0),
      });
    }
    if (verb === "tree") return this.#sendTree(url, response);
    if (verb === "resolve") return this.#resolve(path.join("/"), request, response);
    return sendJson(response, 404, { error: "Not found" });
  }

  /** Sends one entry per page, so that a test fails when the reader ignores the Link header. */
  #sendTree(url: URL, response: ServerResponse): ServerResponse {
    const page = Number(url.searchParams.get("cursor") ?? 0);
    const entries = Object.entries(this.files).map(([path, { bytes, lfs }]) => ({
      type: "file",
      path,
      size: bytes.length,
      oid: gitBlobHash(lfs ? Buffer.from(`pointer of ${path}`) : bytes),
      ...(lfs ? { lfs: { oid: sha256(bytes), size: bytes.length, pointerSize: 130 } } : {}),
    }));
    if (page + 1 < entries.length) {
      url.searchParams.set("cursor", String(page + 1));
      response.setHeader("link", `<${url.href}>; rel="next"`);
    }
    return sendJson(response, 200, entries.slice(page, page + 1));
  }

  #resolve(path: string, request: IncomingMessage, response: ServerResponse): ServerResponse {
    const file = this.files[path];
    if (file === undefined) {
      response.setHeader("x-error-code", "EntryNotFound");
      return sendJson(response, 404, { error: "Entry not found" });
    }
    response.setHeader("x-repo-commit", this.commit);
    if (!file.lfs) {
      response.setHeader("etag", `"${gitBlobHash(file.bytes)}"`);
      return this.#sendFile(path, request, response);
    }
    response.setHeader("x-linked-etag", `"${sha256(file.bytes)}"`);
    response.setHeader("x-linked-size", String(file.bytes.length));
    response.writeHead(302, { location: `${this.#store}/${encodeURIComponent(path)}` });
    return response.end();
  }

  #sendFile(path: string, request: IncomingMessage, response: ServerResponse): ServerResponse {
    const whole = this.files[path]?.bytes ?? Buffer.alloc(0);
    const fault = this.faults.shift();
    if (fault?.kind === "status") {
      if (fault.retryAfterSeconds !== undefined) response.setHeader("retry-after", fault.retryAfterSeconds);
      return sendJson(response, fault.status, { error: "out of order" });
    }
    const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? "");
    const from = asked && fault?.kind !== "no-ranges" ? Number(asked[1]) : 0;
    if (from > 0 && from >= whole.length) return sendJson(response, 416, { error: "range" });
    const rest = Buffer.from(whole.subarray(from));
    if (fault?.kind === "wrong-bytes") rest[rest.length - 1] = (rest[rest.length - 1] ?? 0) ^ 1;
    const ranges = { "content-range": `bytes ${from}-${whole.length - 1}/${whole.length}` };
    response.writeHead(from > 0 ? 206 : 200, { "content-length": rest.length, ...(from > 0 ? ranges : {}) });
    if (fault?.kind !== "cut" && fault?.kind !== "silence") return response.end(rest);
    const hangUp = () => fault.kind === "cut" && response.socket?.destroy();
    response.write(rest.subarray(0, fault.afterBytes), hangUp);
    return response;
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): ServerResponse {
  response.writeHead(status, { "content-type": "application/json" });
  return response.end(JSON.stringify(body));
}

function sha256(bytes: Uint8Array): string {
  return sha256Of(bytes);
}

function gitBlobHash(bytes: Uint8Array): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

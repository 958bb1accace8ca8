/**
 * A stand-in for the API server of Kubernetes over real HTTPS, as far as Pods of one namespace go. It is not
 * Kubernetes: nothing is scheduled, and Pods change only when a test says so. What it does it does strictly: it checks
 * token, paths, verbs, names, labels and limits as the API server does, and its answers have the same shapes (Pod,
 * PodList, Status), including those of 404, 409, 410, 429 and 500.
 */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { V1Pod } from "@kubernetes/client-node";
import { z } from "zod";

const dnsName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const quantity = /^[0-9]+(\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/;

const containerSchema = z.looseObject({
  name: z.string().regex(dnsName),
  image: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: z
    .array(
      z.looseObject({
        name: z.string().min(1),
        value: z.string().optional(),
        valueFrom: z
          .strictObject({
            fieldRef: z.strictObject({ fieldPath: z.string() }).optional(),
            secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }).optional(),
          })
          .optional(),
      }),
    )
    .optional(),
  resources: z
    .strictObject({
      requests: z.record(z.string(), z.string().regex(quantity)).optional(),
      limits: z.record(z.string(), z.string().regex(quantity)).optional(),
    })
    .optional(),
});

const podSchema = z.looseObject({
  apiVersion: z.literal("v1"),
  kind: z.literal("Pod"),
  metadata: z.looseObject({
    name: z.string().regex(dnsName),
    namespace: z.string(),
    labels: z.record(z.string(), z.string().regex(labelValue)),
  }),
  spec: z.looseObject({ restartPolicy: z.string(), containers: z.array(containerSchema).min(1) }),
});

export interface RecordedRequest {
  readonly verb: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** An answer that replaces the true one. */
export interface Fault {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class FakeKubernetes {
  readonly requests: RecordedRequest[] = [];
  readonly pods = new Map<string, V1Pod>();
  /** The faults that the next requests get, in order. */
  readonly faults: { readonly verb: string; readonly fault: Fault }[] = [];
  /** Number of rows of a page, however many are requested. */
  pageRows = 1_000;
  /** When true, requests are accepted and not answered. */
  silent = false;
  readonly #server: Server;
  readonly #namespace: string;
  readonly #token: string;
  #version = 1_000;

  private constructor(server: Server, namespace: string, token: string) {
    this.#server = server;
    this.#namespace = namespace;
    this.#token = token;
  }

  static async start(
    tls: { readonly cert: string; readonly key: string },
    namespace: string,
    token: string,
  ): Promise<FakeKubernetes> {
    const server = createServer({ cert: tls.cert, key: tls.key });
    const fake = new FakeKubernetes(server, namespace, token);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      void fake.#serve(request, response).catch((reason: unknown) => {
        fake.#status(response, { status: 500, reason: "InternalError", message: String(reason) });
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return fake;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Writes what a kubelet or a scheduler would write. */
  setStatus(name: string, status: NonNullable<V1Pod["status"]>): void {
    const pod = this.pods.get(name);
    if (pod) this.pods.set(name, { ...pod, status });
  }

  /** Acts as a kubelet that has ended the Pod's containers. */
  gone(name: string): void {
    this.pods.delete(name);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    const query = Object.fromEntries(url.searchParams);
    const base = `/api/v1/namespaces/${this.#namespace}/pods`;
    const name = url.pathname.startsWith(`${base}/`) ? url.pathname.slice(base.length + 1) : "";
    const verb = verbOf(request.method ?? "", name);
    this.requests.push({ verb, path: url.pathname, query });
    if (this.silent) return;
    const fault = this.faults[0]?.verb === verb ? this.faults.shift()?.fault : undefined;
    if (fault) this.#status(response, fault);
    else if (request.headers.authorization !== `Bearer ${this.#token}`)
      this.#status(response, { status: 401, reason: "Unauthorized", message: "Unauthorized" });
    else if (!url.pathname.startsWith(base))
      this.#status(response, {
        status: 403,
        reason: "Forbidden",
        message: `cannot ${verb} resource at ${url.pathname}`,
      });
    else if (verb === "list") this.#list(query, response);
    else if (verb === "create") this.#create(await textOf(request), response);
    else if (verb === "get" || verb === "delete") this.#one(verb, name, response);
    else this.#status(response, { status: 405, reason: "MethodNotAllowed", message: "not allowed" });
  }

  #list(query: Readonly<Record<string, string>>, response: ServerResponse): void {
    const [label = "", value] = (query["labelSelector"] ?? "").split("=");
    const all = [...this.pods.values()].filter(
      ({ metadata }) => value === undefined || metadata?.labels?.[label] === value,
    );
    const from = Number(query["continue"]?.split("/")[1] ?? 0);
    const rows = Math.min(this.pageRows, Number(query["limit"] ?? 500));
    const items = all.slice(from, from + rows);
    const left = all.length - from - items.length;
    answer(response, 200, {
      ...{ apiVersion: "v1", kind: "PodList", items },
      metadata: {
        resourceVersion: String(this.#version),
        ...(left > 0 ? { continue: `v1/${from + items.length}`, remainingItemCount: left } : {}),
      },
    });
  }

  #create(text: string, response: ServerResponse): void {
    const parsed = podSchema.safeParse(JSON.parse(text));
    const { name = "", namespace } = parsed.data?.metadata ?? {};
    if (!parsed.success || namespace !== this.#namespace) {
      const problem = parsed.success ? `namespace ${namespace}` : z.prettifyError(parsed.error);
      this.#status(response, { status: 422, reason: "Invalid", message: `Pod is invalid: ${problem}` });
      return;
    }
    if (this.pods.has(name)) {
      const message = `pods "${name}" already exists`;
      this.#status(response, { status: 409, reason: "AlreadyExists", message });
      return;
    }
    this.#version += 1;
    const body = JSON.parse(text) as V1Pod;
    const metadata = {
      ...body.metadata,
      ...{ uid: `uid-${this.#version}`, resourceVersion: String(this.#version) },
      creationTimestamp: new Date(Math.floor(Date.now() / 1_000) * 1_000),
    };
    const pod: V1Pod = { ...body, metadata, status: { phase: "Pending" } };
    this.pods.set(name, pod);
    answer(response, 201, pod);
  }

  #one(verb: "get" | "delete", name: string, response: ServerResponse): void {
    const pod = this.pods.get(name);
    if (pod === undefined) {
      this.#status(response, { status: 404, reason: "NotFound", message: `pods "${name}" not found` });
      return;
    }
    if (verb === "delete") {
      const metadata = { ...pod.metadata, deletionTimestamp: new Date(), deletionGracePeriodSeconds: 30 };
      this.pods.set(name, { ...pod, metadata });
    }
    answer(response, 200, this.pods.get(name));
  }

  #status(response: ServerResponse, { status, reason, message, headers }: Fault): void {
    const body = { ...{ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" }, message };
    answer(response, status, { ...body, reason, code: status }, headers);
  }
}

function verbOf(method: string, name: string): string {
  if (method === "GET") return name === "" ? "list" : "get";
  if (method === "POST") return "create";
  return method === "DELETE" ? "delete" : method;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

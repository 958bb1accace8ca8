import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** The fields that the six calls send; each call sends some of them. */
interface Body {
  readonly name: string;
  readonly filter: string;
  readonly experiment_id: string;
  readonly run_id: string;
  readonly run_name: string;
  readonly status: string;
  readonly tags: StoredRun["tags"];
  readonly params?: readonly { readonly key: string; readonly value: string }[];
  readonly metrics?: readonly { readonly key: string; readonly step: number; readonly value: number }[];
}

interface StoredRun {
  readonly id: string;
  readonly experimentId: string;
  readonly name: string;
  status: string;
  readonly tags: readonly { readonly key: string; readonly value: string }[];
  readonly params: Map<string, string>;
  /** One entry per (key, timestamp, step, value), as in MLflow's own store. */
  readonly metrics: Map<string, { readonly key: string; readonly step: number; readonly value: number }>;
}

/**
 * A small HTTP server that stands in for MLflow. It keeps in memory what six calls of its REST API send, in the shapes
 * of MLflow 3, and fails when it is told to. The behavior of the real server with the same calls was tried by hand
 * (docs/guides/training.md).
 */
export class MlflowLikeServer {
  readonly experiments = new Map<string, string>();
  readonly runs: StoredRun[] = [];
  readonly calls: string[] = [];
  authorizations = new Set<string | undefined>();
  /** Status of the next answers; 200 when it is empty. */
  readonly nextStatus: number[] = [];
  /** Called before an experiment is created. */
  beforeCreate: () => void = () => undefined;
  /** If true, requests are accepted and never answered. */
  hangs = false;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<MlflowLikeServer> {
    const server = new MlflowLikeServer();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const call = pathname.replace("/api/2.0/mlflow/", "");
    const body = await text(request);
    this.calls.push(call);
    this.authorizations.add(request.headers.authorization);
    if (this.hangs) return;
    const status = this.nextStatus.shift() ?? 200;
    if (call === "experiments/create") this.beforeCreate();
    const send = (code: number, value: object) => {
      response.writeHead(code, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    if (status !== 200) {
      send(status, { error_code: "INTERNAL_ERROR", message: `told to answer ${status}` });
      return;
    }
    const said = (body === "" ? {} : JSON.parse(body)) as Body;
    if (call === "experiments/create" && this.experiments.has(said.name)) {
      send(400, { error_code: "RESOURCE_ALREADY_EXISTS", message: `${said.name}: is there` });
      return;
    }
    const found = this.#do(call, said, searchParams);
    if (found === undefined)
      send(404, { error_code: "RESOURCE_DOES_NOT_EXIST", message: `${call}: not there` });
    else send(200, found);
  }

  #do(call: string, said: Body, query: URLSearchParams): object | undefined {
    switch (call) {
      case "experiments/get-by-name": {
        const id = this.experiments.get(query.get("experiment_name") ?? "");
        return id === undefined
          ? undefined
          : { experiment: { experiment_id: id, lifecycle_stage: "active" } };
      }
      case "experiments/create": {
        const id = String(this.experiments.size + 1);
        this.experiments.set(said.name, id);
        return { experiment_id: id };
      }
      case "runs/search": {
        const [, key, value] = /^tags\."(.+)" = '(.+)'$/.exec(said.filter) ?? [];
        const runs = this.runs.filter((run) =>
          run.tags.some((tag) => tag.key === key && tag.value === value),
        );
        return runs.length === 0 ? {} : { runs: runs.map(({ id }) => ({ info: { run_id: id } })) };
      }
      case "runs/create": {
        const run: StoredRun = {
          id: `r${this.runs.length + 1}`,
          experimentId: said.experiment_id,
          name: said.run_name,
          status: "RUNNING",
          tags: said.tags,
          params: new Map(),
          metrics: new Map(),
        };
        this.runs.push(run);
        return { run: { info: { run_id: run.id } } };
      }
      case "runs/log-batch": {
        const run = this.runs.find(({ id }) => id === said.run_id);
        for (const { key, value } of said.params ?? []) run?.params.set(key, value);
        for (const metric of said.metrics ?? []) run?.metrics.set(JSON.stringify(metric), metric);
        return run && {};
      }
      case "runs/update": {
        const run = this.runs.find(({ id }) => id === said.run_id);
        if (run !== undefined) run.status = said.status;
        return run && { run_info: {} };
      }
      default:
        return undefined;
    }
  }
}

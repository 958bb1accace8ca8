import type { ServerDuplexStream, ServerWritableStream } from "@grpc/grpc-js";
import { sha256Of } from "@palimpsest/std";
import {
  Credentials,
  grpcNetwork,
  headService,
  jobsService,
  PalimpsestError,
  type RpcServer,
  servePart,
  toGrpcError,
  unary,
} from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";

const { PLACEMENT_GROUP_STATE_PENDING, PLACEMENT_GROUP_STATE_REMOVED } = proto.PlacementGroupState;

type SessionStream = ServerDuplexStream<proto.SessionMessage.$Properties, proto.SessionEvent.$Properties>;
type LogStream = ServerWritableStream<proto.LogsRequest.$Properties, proto.LogChunk.$Properties>;

/** A head that a test plays over real gRPC. Its tables change only as the test and its requests change them. */
export class FakeHead {
  readonly token = "token-of-the-tests";
  /** The server uses TLS if these have a certificate. */
  credentials = Credentials.ofCluster(this.token);
  address = "";
  /** The version of its software. */
  version = "";
  protocols: proto.ProtocolRange.$Properties | undefined;
  sessionLeaseMs = 120_000;
  /** Whether the head receives requests, including goodbyes, without answering them. */
  isMute = false;
  /** The error with which sessions are refused; undefined if they are accepted. */
  refusal: PalimpsestError | undefined;
  readonly sessions: proto.SessionMessage.$Properties[] = [];
  readonly actors = new Map<string, proto.ActorInfo.$Properties>();
  readonly groups = new Map<string, proto.PlacementGroupInfo.$Properties>();
  readonly nodes: proto.NodeInfo.$Properties[] = [];
  readonly jobs = new Map<string, proto.JobInfo.$Properties>();
  readonly submissions: proto.SubmitRequest.$Properties[] = [];
  readonly bundles = new Map<string, Buffer>();
  readonly killed: proto.KillActorRequest.$Properties[] = [];
  readonly logRequests: proto.LogsRequest.$Properties[] = [];
  /** Serves one Logs stream. */
  logs: (call: LogStream) => void = (call) => call.end();
  /** The initial state of a new actor. */
  place: (info: proto.ActorInfo.$Properties) => void = () => undefined;
  #server: RpcServer | undefined;
  #session: SessionStream | undefined;

  static async start(port = 0): Promise<FakeHead> {
    const head = new FakeHead();
    await head.listen(port);
    return head;
  }

  async listen(port: number): Promise<void> {
    const server = grpcNetwork({ credentials: this.credentials }).createServer();
    servePart(server, headService, {
      getCluster: unary(() => ({
        clusterId: "cluster-test",
        redisUrl: "redis://localhost:1",
        pid: 1,
        version: this.version,
        protocols: this.protocols ?? null,
      })),
      session: (stream: SessionStream) => this.#acceptSession(stream),
      createActor: unary((request: proto.CreateActorRequest.$Properties) => this.#create(request)),
      resolveActor: unary((request: proto.ResolveActorRequest.$Properties) => this.#find(request)),
      killActor: unary((request: proto.KillActorRequest.$Properties) => {
        this.killed.push(request);
        return this.#find(request);
      }),
      createPlacementGroup: unary(({ spec }: proto.CreatePlacementGroupRequest.$Properties) => {
        const info = { spec: spec ?? null, state: PLACEMENT_GROUP_STATE_PENDING, reason: "no room" };
        this.groups.set(spec?.groupId ?? "", info);
        return info;
      }),
      resolvePlacementGroup: unary((request: proto.ResolvePlacementGroupRequest.$Properties) =>
        this.#group(request),
      ),
      removePlacementGroup: unary((request: proto.RemovePlacementGroupRequest.$Properties) => {
        const info = this.#group(request);
        info.state = PLACEMENT_GROUP_STATE_REMOVED;
        info.reason = "a client requested it";
        return info;
      }),
      listPlacementGroups: unary(() => ({ groups: [...this.groups.values()] })),
      listActors: unary(() => ({ actors: [...this.actors.values()] })),
      listNodes: unary(() =>
        this.isMute
          ? new Promise<proto.ListNodesResponse.$Properties>(() => undefined)
          : { nodes: this.nodes },
      ),
      listQueues: unary(() => ({ queues: [{ name: "rollouts", waiting: 3 }] })),
      shutdown: unary(() => ({})),
    });
    servePart(server, jobsService, {
      putBundle: (call, answer) => {
        const chunks: Uint8Array[] = [];
        call.on("data", (chunk: proto.BundleChunk.$Properties) =>
          chunks.push(chunk.data ?? new Uint8Array()),
        );
        call.on("end", () => {
          const bytes = Buffer.concat(chunks);
          const sha256 = sha256Of(bytes);
          this.bundles.set(sha256, bytes);
          answer(null, { sha256, sizeBytes: bytes.byteLength });
        });
      },
      getBundle: (call: LogStream) => call.end(),
      submit: unary((request: proto.SubmitRequest.$Properties) => {
        this.submissions.push(request);
        const jobId = request.submissionId ?? "";
        const job = { jobId, name: request.name ?? "", status: proto.JobStatus.JOB_STATUS_PENDING };
        this.jobs.set(jobId, job);
        return job;
      }),
      get: unary((request: proto.GetJobRequest.$Properties) => this.#job(request.jobId)),
      list: unary(() => ({ jobs: [...this.jobs.values()] })),
      stop: unary((request: proto.StopJobRequest.$Properties) => this.#job(request.jobId)),
      logs: (call: LogStream) => {
        this.logRequests.push(call.request);
        this.logs(call);
      },
    });
    this.#server = server;
    this.address = await server.listen("127.0.0.1", port);
  }

  get port(): number {
    return Number(this.address.split(":")[1]);
  }

  tell(event: proto.SessionEvent.$Properties): void {
    this.#session?.write(event);
  }

  kill(): void {
    this.#server?.kill();
  }

  #acceptSession(stream: SessionStream): void {
    this.#session = stream;
    stream.on("error", () => undefined);
    let opened = false;
    stream.on("data", (message: proto.SessionMessage.$Properties) => {
      this.sessions.push(message);
      if (this.refusal) stream.emit("error", toGrpcError(this.refusal));
      else if (this.isMute) return;
      else if (message.goodbye) stream.end();
      else if (!opened) {
        opened = true;
        const sessionLeaseMs = this.sessionLeaseMs;
        stream.write({ opened: { clusterId: "cluster-test", ownerGraceMs: 1_000, sessionLeaseMs } });
      }
    });
  }

  #create(request: proto.CreateActorRequest.$Properties): proto.ActorInfo.$Properties {
    const spec = request.spec ?? {};
    const named = [...this.actors.values()].find((info) => info.spec?.name === spec.name);
    if (request.getIfExists && named) return named;
    const bundle = spec.code?.bundle ?? "";
    if (bundle !== "" && !this.bundles.has(bundle)) {
      throw new PalimpsestError("NOT_FOUND", `the head does not have bundle ${bundle}`, {
        details: { bundle },
      });
    }
    const info: proto.ActorInfo.$Properties = { spec, state: proto.ActorState.ACTOR_STATE_PENDING };
    this.place(info);
    this.actors.set(spec.actorId ?? "", info);
    return info;
  }

  async #find(request: {
    readonly actorId?: string | null;
    readonly name?: string | null;
    readonly knownIncarnation?: number | null;
    readonly waitMs?: number | null;
  }): Promise<proto.ActorInfo.$Properties> {
    const found = request.actorId
      ? this.actors.get(request.actorId)
      : [...this.actors.values()].find((info) => info.spec?.name === request.name);
    if (!found) throw new PalimpsestError("NOT_FOUND", "no such actor");
    const until = Date.now() + Math.min(request.waitMs ?? 0, 200);
    const settled = () =>
      found.state === proto.ActorState.ACTOR_STATE_DEAD ||
      (found.state === proto.ActorState.ACTOR_STATE_ALIVE &&
        (found.incarnation ?? 0) > (request.knownIncarnation ?? 0));
    while (!settled() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 5));
    return found;
  }

  #group({
    groupId,
    name,
  }: proto.ResolvePlacementGroupRequest.$Properties): proto.PlacementGroupInfo.$Properties {
    const found = [...this.groups.values()].find(({ spec }) =>
      groupId ? spec?.groupId === groupId : spec?.name === name,
    );
    if (found) return found;
    throw new PalimpsestError("NOT_FOUND", `no placement group ${groupId || name}`);
  }

  #job(jobId: string | null | undefined): proto.JobInfo.$Properties {
    const job = this.jobs.get(jobId ?? "");
    if (job) return job;
    throw new PalimpsestError("NOT_FOUND", `no job ${jobId}`);
  }
}

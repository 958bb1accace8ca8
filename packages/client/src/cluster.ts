import { hostname } from "node:os";
import {
  Credentials,
  grpcNetwork,
  HeadPeer,
  headService,
  loadTls,
  type Network,
  newId,
  PalimpsestError,
  type Peer,
  type TlsIdentity,
  watchTls,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { ActorChannel } from "./actor-channel.js";
import { type ActorHandle, createHandle } from "./actor-handle.js";
import { type ActorClass, type ActorSource, type ActorType, actorType } from "./actor-type.js";
import { type Bundle, uploadBundle } from "./bundle.js";
import type { ActorOptions, ConnectOptions, ResolvedConnectOptions } from "./config.js";
import { diedError } from "./death.js";
import { type HeadCallOptions, HeadClient } from "./head-client.js";
import { Jobs } from "./jobs.js";
import { type ObjectRef, Objects } from "./objects.js";
import { pages } from "./pages.js";
import { Session, type SessionOptions } from "./session.js";
import { SessionThread } from "./session-thread.js";
import {
  type ActorFilter,
  type ActorInfo,
  actorStateOf,
  actorView,
  type ClusterInfo,
  type ClusterSummary,
  clusterView,
  type NodeFilter,
  type NodeInfo,
  nodeStateOf,
  nodeView,
  type ObjectList,
  objectListView,
  type ProcessStack,
  type QueueInfo,
  queueView,
  stackView,
  summaryView,
} from "./views.js";

/** Opens the session of a driver; `Session.open` in this thread. */
type OpenSession = (
  peer: Peer,
  options: SessionOptions,
  timeoutMs: number,
) => Promise<Pick<Session, "close">>;

/** Time over its own wait that ResolveActor gets to answer. */
const resolveSlackMs = 2_000;
/** How long a process may take to show its stack. */
const stackTimeoutMs = 10_000;

export interface ConnectDeps {
  /** Default: gRPC with the token and the certificate of the options. */
  readonly network?: Network;
}

interface WatchedNetwork extends Network {
  /** Ends the look at the files of its certificate. */
  readonly unwatch?: () => void;
}

function networkOf({ token, tls }: ResolvedConnectOptions): WatchedNetwork {
  const credentials = Credentials.ofCluster(token, { tls: tls ? loadTls(tls) : undefined });
  const network = grpcNetwork({ credentials });
  if (!tls) return network;
  // A driver runs for weeks; a certificate that cannot be read leaves it the one that it has.
  const onChange = (next: TlsIdentity) => credentials.replaceTls(next);
  return { ...network, unwatch: watchTls({ folder: tls, onChange, onError: () => undefined }) };
}

/** The cluster's new token, and when those of before end. */
export interface RotatedToken {
  readonly token: string;
  /** Whether the passwords of the head's own Redis were replaced too. */
  readonly redisRotated: boolean;
  readonly acceptedUntilMs: number;
}

/** A connection to a cluster: what a driver can ask. Close it to let the session's actors go. */
export class Cluster {
  readonly sessionId: string;
  readonly objects: Objects;
  readonly jobs: Jobs;
  readonly #options: ResolvedConnectOptions;
  readonly #network: Network;
  readonly #head: HeadClient;
  /** Channels of dead actors are dropped, and those that no handle refers to are collected. */
  readonly #channels = new Map<string, WeakRef<ActorChannel>>();
  readonly #collected = new FinalizationRegistry<string>((actorId) => {
    if (this.#channels.get(actorId)?.deref() === undefined) this.#channels.delete(actorId);
  });
  readonly #uploaded = new Map<string, Promise<void>>();
  #session: Pick<Session, "close"> | undefined;
  #lostBecause: PalimpsestError | undefined;
  #info: ClusterInfo | undefined;
  #closing: Promise<void> | undefined;
  #unwatch: (() => void) | undefined;

  private constructor(options: ResolvedConnectOptions, network: Network) {
    this.#options = options;
    this.sessionId = options.owner?.actorId ?? newId("session");
    this.#network = network;
    this.#head = new HeadClient(this.#network, options.address, options.controlTimeoutMs);
    // Another head may not have what this connection has uploaded.
    this.#head.peer.onMoved(() => this.#uploaded.clear());
    this.objects = new Objects({
      address: () => this.#objectsAddress(),
      network: this.#network,
      holder: options.objectHolder || options.jobId || this.sessionId,
      defaultTimeoutMs: options.controlTimeoutMs,
    });
    this.jobs = new Jobs(this.#head, (bundle, call) => this.#upload(bundle, call));
  }

  /** @throws {PalimpsestError} UNAVAILABLE, UNAUTHENTICATED, CONFIG_INVALID */
  static async connect(options: ConnectOptions, deps: ConnectDeps = {}): Promise<Cluster> {
    const resolved = (await import("./config.js")).parseConnectOptions(options);
    const network: WatchedNetwork = deps.network ?? networkOf(resolved);
    if (network.credentials === undefined) return Cluster.over(network, resolved);
    const { credentials } = network;
    const opening = Cluster.over(network, resolved, (peer, session, timeoutMs) =>
      // The thread begins with every head that is known by now.
      SessionThread.open(
        peer,
        { address: peer instanceof HeadPeer ? peer.addresses : resolved.address, credentials },
        session,
        timeoutMs,
      ),
    );
    try {
      const cluster = await opening;
      cluster.#unwatch = network.unwatch;
      return cluster;
    } catch (reason) {
      network.unwatch?.();
      throw reason;
    }
  }

  /** As connect(), over a network that is there already; its session lives in this thread unless `openSession` differs. */
  static async over(
    network: Network,
    resolved: ResolvedConnectOptions,
    openSession: OpenSession = Session.open,
  ): Promise<Cluster> {
    const cluster = new Cluster(resolved, network);
    try {
      const timeoutMs = resolved.connectTimeoutMs;
      const info = await cluster.#head.call(headService.getCluster, {}, { timeoutMs });
      cluster.#head.peer.learn(info.headAddresses);
      cluster.#info = clusterView(info);
      // What an actor spawns is owned by the actor, whose process its node watches: it needs no lease of its own.
      if (resolved.owner === undefined) {
        const opening = openSession(cluster.#head.peer, cluster.#sessionOptions(), timeoutMs);
        cluster.#session = await opening.catch(undefinedForReader);
      }
      return cluster;
    } catch (reason) {
      cluster.#head.close();
      throw reason;
    }
  }

  #sessionOptions(): SessionOptions {
    return {
      sessionId: this.sessionId,
      name: this.#options.name,
      jobId: this.#options.jobId,
      onActorDied: (info) =>
        this.#channels
          .get(info.spec?.actorId ?? "")
          ?.deref()
          ?.noticeDeath(info),
      onNewToken: (token, graceMs) => this.#network.credentials?.rotate(token, graceMs),
      onLost: (error) => {
        this.#lostBecause = error;
      },
    };
  }

  /** Why the head has ended this connection's session: what it spawned is dead, and it can spawn no more. */
  get lostBecause(): PalimpsestError | undefined {
    return this.#lostBecause;
  }

  /** Facts of the cluster as they were when it was connected. */
  get facts(): ClusterInfo {
    if (!this.#info) throw new PalimpsestError("INTERNAL", "the cluster is not connected");
    return this.#info;
  }

  /**
   * A kind of actor: `.spawn(...args)` makes one.
   * @param source where nodes find the class: a module of the installation, or the user's file, which is bundled
   */
  actor<Instance extends object, Args extends unknown[]>(
    Class: ActorClass<Instance, Args>,
    source: ActorSource,
    options: ActorOptions = {},
  ): ActorType<Instance, Args> {
    return actorType(Class, source, options, {
      ownerId: this.sessionId,
      ownerIncarnation: this.#options.owner?.incarnation ?? 0,
      jobId: this.#options.jobId,
      upload: (bundle, call) => this.#upload(bundle, call),
      create: (spec, call) => this.#create(spec, call),
      putArguments: (bytes, holder) => this.objects.put(bytes, { holder }),
      handle: (actorId, maxTaskRetries) => this.#handle(actorId, maxTaskRetries),
    });
  }

  /** The actor of that name or id. @throws {PalimpsestError} NOT_FOUND, ACTOR_DIED */
  async getActor<Instance extends object>(
    which: string | { readonly actorId: string },
    options: HeadCallOptions = {},
  ): Promise<ActorHandle<Instance>> {
    const request = typeof which === "string" ? { name: which } : { actorId: which.actorId };
    const info = await this.#head.call(headService.resolveActor, { ...request, waitMs: 0 }, options);
    const view = actorView(info);
    if (view.state === "dead") throw diedError(info);
    return this.#handle<Instance>(view.actorId, info.spec?.maxTaskRetries ?? 0);
  }

  async info(options: HeadCallOptions = {}): Promise<ClusterInfo> {
    return clusterView(await this.#head.call(headService.getCluster, {}, options));
  }

  /** All nodes, or those that pass the filter. */
  async nodes(options: HeadCallOptions & NodeFilter = {}): Promise<readonly NodeInfo[]> {
    const { hostname = "", states = [], limit, ...call } = options;
    const filter = { hostname, states: states.map(nodeStateOf) };
    return await pages(limit, async (pageLimit, pageToken) => {
      const request = { ...filter, limit: pageLimit, pageToken };
      const { nodes, nextPageToken } = await this.#head.call(headService.listNodes, request, call);
      return { rows: (nodes ?? []).map(nodeView), nextPageToken: nextPageToken ?? "" };
    });
  }

  /** All actors that are not dead, or those that pass the filter. */
  async actors(options: HeadCallOptions & ActorFilter = {}): Promise<readonly ActorInfo[]> {
    const { includeDead = false, states = [], nodeId = "", jobId = "", limit, ...others } = options;
    const { role = "", className = "", ...call } = others;
    const filter = { includeDead, nodeId, jobId, role, className, states: states.map(actorStateOf) };
    return await pages(limit, async (pageLimit, pageToken) => {
      const request = { ...filter, limit: pageLimit, pageToken };
      const { actors, nextPageToken } = await this.#head.call(headService.listActors, request, call);
      return { rows: (actors ?? []).map(actorView), nextPageToken: nextPageToken ?? "" };
    });
  }

  /** Counts of everything, and what waits: answered at once however large the cluster is. */
  async summary(options: HeadCallOptions = {}): Promise<ClusterSummary> {
    return summaryView(await this.#head.call(headService.summarize, {}, options));
  }

  /** Addresses of the nodes that have the object: where it is held, then where copies lie. Empty: it is lost or freed. */
  async locateObject(
    { objectId }: Pick<ObjectRef, "objectId">,
    options: HeadCallOptions = {},
  ): Promise<readonly string[]> {
    const answer = await this.#head.call(headService.locateObject, { objectId, waitMs: 0 }, options);
    return answer.addresses ?? [];
  }

  /** Of these, the ones that no node has any more. Empty while a node is away that may have them. */
  async missingObjects<Ref extends Pick<ObjectRef, "objectId">>(
    refs: readonly Ref[],
    options: HeadCallOptions = {},
  ): Promise<readonly Ref[]> {
    const request = { objectIds: refs.map(({ objectId }) => objectId) };
    const answer = await this.#head.call(headService.missingObjects, request, options);
    const missing = new Set(answer.complete ? answer.objectIds : []);
    return refs.filter(({ objectId }) => missing.has(objectId));
  }

  /** What lies in the cluster's object stores, at most `limit` objects of it (default 100). */
  async listObjects(options: HeadCallOptions & { readonly limit?: number } = {}): Promise<ObjectList> {
    const request = { limit: options.limit ?? 0 };
    return objectListView(await this.#head.call(headService.listObjects, request, options));
  }

  async queues(options: HeadCallOptions = {}): Promise<readonly QueueInfo[]> {
    const { queues } = await this.#head.call(headService.listQueues, {}, options);
    return (queues ?? []).map(queueView);
  }

  /**
   * What a process of the cluster does at this moment, also one that computes and answers nothing else.
   * @param target id or name of an actor, job, driver or node, or a process id
   * @throws {PalimpsestError} NOT_FOUND, UNAVAILABLE, GET_TIMEOUT
   */
  async stack(target: string, options: HeadCallOptions = {}): Promise<ProcessStack> {
    const timeoutMs = Math.min(options.timeoutMs ?? stackTimeoutMs, stackTimeoutMs);
    return stackView(await this.#head.call(headService.getStack, { target, timeoutMs }, options));
  }

  /** Ends the head in order; with all, every node and the head's own Redis too. */
  async shutdown(options: HeadCallOptions & { readonly all?: boolean } = {}): Promise<void> {
    await this.#head.call(headService.shutdown, { all: options.all ?? false }, options);
  }

  /**
   * Replaces the cluster's token while everything goes on; for holders of the cluster's own token. Tokens of before are
   * refused after graceMs.
   */
  async rotateToken(
    options: HeadCallOptions & { readonly graceMs: number; readonly stolen?: boolean },
  ): Promise<RotatedToken> {
    const { graceMs, stolen = false, ...call } = options;
    const answer = await this.#head.call(headService.rotateToken, { graceMs, stolen }, call);
    const { token, acceptedUntilMs, redisRotated } = answer;
    return { token: token ?? "", acceptedUntilMs: acceptedUntilMs ?? 0, redisRotated: redisRotated ?? false };
  }

  /** Says goodbye: the session's actors end, except detached ones. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#unwatch?.();
    for (const channel of this.#channels.values()) channel.deref()?.close();
    this.#channels.clear();
    await this.#session?.close();
    await this.objects.close();
    this.#head.close();
  }

  async #create(spec: proto.ActorSpec.$Properties, options: HeadCallOptions): Promise<void> {
    const info = await this.#head.call(headService.createActor, { spec }, options);
    if (actorView(info).state === "dead") throw diedError(info);
  }

  #handle<Instance>(actorId: string, maxTaskRetries: number): ActorHandle<Instance> {
    let channel = this.#channels.get(actorId)?.deref();
    if (!channel) {
      channel = new ActorChannel({
        actorId,
        network: this.#network,
        resolver: this,
        onDead: () => this.#channels.delete(actorId),
      });
      this.#channels.set(actorId, new WeakRef(channel));
      this.#collected.register(channel, actorId);
    }
    return createHandle<Instance>({
      channel,
      defaults: {
        timeoutMs: this.#options.callTimeoutMs,
        retries: maxTaskRetries < 0 ? Number.POSITIVE_INFINITY : maxTaskRetries,
      },
      info: async () => actorView(await this.#head.call(headService.resolveActor, { actorId, waitMs: 0 })),
      kill: async (restart) => {
        // A request that is repeated because its answer was lost must not crash the next incarnation too.
        const known = restart ? await this.#head.call(headService.resolveActor, { actorId, waitMs: 0 }) : {};
        const incarnation = known.incarnation ?? 0;
        await this.#head.call(headService.killActor, { actorId, noRestart: !restart, incarnation });
      },
    });
  }

  /** For ActorChannel. */
  resolve(
    actorId: string,
    knownIncarnation: number,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<proto.ActorInfo.$Properties> {
    return this.#head.call(
      headService.resolveActor,
      { actorId, knownIncarnation, waitMs },
      { timeoutMs: waitMs + resolveSlackMs, signal },
    );
  }

  /** A bundle is sent once to each head of the connection. */
  #upload(bundle: Bundle, options: HeadCallOptions): Promise<void> {
    const known = this.#uploaded.get(bundle.sha256);
    if (known !== undefined) return known;
    const timeoutMs = options.timeoutMs ?? this.#options.controlTimeoutMs;
    const upload = uploadBundle(this.#head.peer, bundle, {
      timeoutMs,
      ...(options.signal ? { signal: options.signal } : {}),
    });
    this.#uploaded.set(bundle.sha256, upload);
    upload.catch(() => this.#uploaded.delete(bundle.sha256));
    return upload;
  }

  /** The node of this machine, else any that is alive. */
  async #objectsAddress(): Promise<string> {
    if (this.#options.objectsAddress) return this.#options.objectsAddress;
    for (const filter of [{ hostname: hostname() }, {}]) {
      const nodes = await this.nodes({ ...filter, limit: 1_000 });
      const found = nodes.find((node) => node.state === "alive" && node.objectsAddress);
      if (found) return found.objectsAddress;
    }
    throw new PalimpsestError(
      "UNAVAILABLE",
      "the cluster has no alive node that could hold objects; start one with `palimpsest worker join`",
    );
  }
}

/** A reader owns nothing, so it needs no lease, and the head grants it none. */
function undefinedForReader(reason: unknown): undefined {
  if (PalimpsestError.from(reason).code === "PERMISSION_DENIED") return undefined;
  throw reason;
}

/** Connects to a cluster as a driver. @throws {PalimpsestError} UNAVAILABLE, UNAUTHENTICATED, CONFIG_INVALID */
export function connect(options: ConnectOptions, deps: ConnectDeps = {}): Promise<Cluster> {
  return Cluster.connect(options, deps);
}

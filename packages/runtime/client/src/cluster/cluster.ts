import { backgroundClock, delay } from "@palimpsest/std";
import { shownValue } from "@palimpsest/std/input";
import {
  faultsLoaded,
  HeadPeer,
  headService,
  holdProcess,
  meetProtocols,
  type Network,
  newId,
  ownProtocols,
  PalimpsestError,
  type Peer,
  protocolsFrom,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { ActorHandle } from "../actors/actor-handle.js";
import type { ActorHandles } from "../actors/actor-handles.js";
import { type ActorOutputOptions, actorOutput } from "../actors/actor-output.js";
import { EchoedOutput } from "../actors/echoed-output.js";
import { ProgramValues } from "../actors/program-values.js";
import { WaitingNotices } from "../actors/waiting-notices.js";
import { actorView } from "../base/actor-view.js";
import { atMost } from "../base/at-most.js";
import type { LocatedConnectOptions, PlacementGroupOptions, ResolvedConnectOptions } from "../base/config.js";
import { diedError } from "../base/death.js";
import { checkFields, refused, rules, waitRules } from "../base/fields.js";
import { type HeadCallOptions, HeadClient } from "../base/head-client.js";
import { loadConfig } from "../base/load-config.js";
import type { ObjectRef } from "../base/object-ref.js";
import { textOf } from "../base/output-text.js";
import { createPlacementGroup, groupView, PlacementGroup } from "../base/placement-group.js";
import { type ClusterInfo, clusterView } from "../base/views.js";
import { networkOf, type WatchedNetwork } from "../base/watched-network.js";
import type { Bundle } from "../jobs/bundle.js";
import { BundleUploads } from "../jobs/bundle-uploads.js";
import { Jobs } from "../jobs/jobs.js";
import { ConnectionEnvironment } from "../jobs/runtime-environment.js";
import { MeshCalls } from "../mesh/mesh-calls.js";
import { Session, type SessionOptions } from "../session/session.js";
import { SessionThread } from "../session/session-thread.js";
import { TaskPool } from "../tasks/task-pool.js";
import { type MemoryOptions, type ObjectMemory, objectMemory } from "../values/object-memory.js";
import { Objects, objectsAddress } from "../values/objects.js";
import type { ValueStore } from "../values/value-store.js";
import { closeAtEnd, closedEarlier } from "./at-end.js";
import { ClusterKinds, type KindDeps } from "./cluster-kinds.js";
import { type HeadInfo, headInfos } from "./head-infos.js";
import { type TracedDriver, traceDriver } from "./traced-driver.js";

/** The milliseconds for which the head is asked at once for the first process of an actor whose output is printed. */
const startWaitMs = 10_000;
const startPollMs = 500;
/** The maximum total time of a session's goodbye: SESSION-6, SESSION-8. */
const closeLimitMs = 10_000;

/** Opens the session of a driver. `Session.open` opens it in this thread. */
type OpenSession = (
  peer: Peer,
  options: SessionOptions,
  timeoutMs: number,
) => Promise<Pick<Session, "close">>;

export interface ConnectDeps {
  /** Default: gRPC with the token and the certificate of the options. */
  readonly network?: Network;
  /** The values of this process, if it has some already. Default: new ones. */
  readonly program?: ProgramValues;
  /** Whether a head of any protocol is accepted, without a session: to look at a cluster and to stop it. Default: false. */
  readonly anyProtocol?: boolean;
  /** Called when the connection has closed, with all that it had. */
  readonly onClosed?: () => Promise<void>;
}

/** A connection to a cluster, with everything that a driver can do. Close it to end the session's actors. */
export class Cluster extends ClusterKinds {
  readonly sessionId: string;
  /** The namespace in which this connection creates and finds named actors. */
  readonly namespace: string;
  /** Immutable bytes that are named by their hash, such as weights and files. */
  readonly objects: Objects;
  readonly jobs: Jobs;
  protected readonly values: ValueStore;
  protected readonly kinds: KindDeps;
  readonly #program: ProgramValues;
  /** True if the values belong to the process, which continues without this connection. */
  readonly #shared: boolean;
  readonly #options: ResolvedConnectOptions;
  readonly #network: Network;
  readonly #head: HeadClient;
  readonly #handles: ActorHandles;
  readonly #uploads: BundleUploads;
  #meshCalls: MeshCalls | undefined;
  #notices: WaitingNotices | undefined;
  #echo: EchoedOutput | undefined;
  #session: Pick<Session, "close"> | undefined;
  #lostBecause: PalimpsestError | undefined;
  #info: ClusterInfo | undefined;
  #closing: Promise<void> | undefined;
  #unwatch: (() => void) | undefined;
  #traced: TracedDriver | undefined;
  #onClosed: (() => Promise<void>) | undefined;

  private constructor(
    options: ResolvedConnectOptions,
    network: Network,
    head: HeadClient,
    shared: ProgramValues | undefined,
  ) {
    super(head);
    this.#options = options;
    this.namespace = options.namespace;
    this.sessionId = options.owner?.actorId ?? newId("session");
    this.#network = network;
    this.#head = head;
    this.#uploads = new BundleUploads(head);
    const address = async () => options.objectsAddress || (await objectsAddress(this));
    this.#program =
      shared ??
      new ProgramValues({
        ...{ head: () => head, network, callTimeoutMs: options.callTimeoutMs },
        objectsAddress: address,
        holder: this.sessionId,
      });
    this.#shared = shared !== undefined;
    this.values = this.#program.values;
    this.#handles = this.#program.handles;
    const { resolver } = this.#handles;
    const { namespace, callTimeoutMs } = options;
    const ofOwner = { ...this.#owner(), capturedBy: options.owner?.capturedBy ?? "" };
    const environment = new ConnectionEnvironment(options);
    this.kinds = {
      actors: {
        ...{ ...ofOwner, namespace, environment },
        create: (request, bundles) => this.#createAlive(request, bundles),
        putArguments: (bytes, holder) => this.objects.put(bytes, { holder }),
        holdValues: (refs, holder) => this.#holdValues(refs, holder),
        handle: (actorId, maxTaskRetries) => this.#handles.handle(actorId, maxTaskRetries),
      },
      tasks: new TaskPool({
        ...{ ...ofOwner, namespace, environment, head, network, values: this.values, resolver },
        isTaskWorker: options.owner?.isTaskWorker ?? false,
        create: (request, bundles) => this.#create(request, bundles),
      }),
      meshCalls: () => {
        this.#meshCalls ??= new MeshCalls({ network, resolver, values: this.values, callTimeoutMs });
        return this.#meshCalls;
      },
    };
    this.objects = new Objects({
      address,
      network,
      holder: options.objectHolder || options.jobId || this.sessionId,
      defaultTimeoutMs: options.controlTimeoutMs,
    });
    this.jobs = new Jobs(head, this.#uploads);
    // What an actor waits for is told by the driver that called it.
    if (options.notices && options.owner === undefined && process.env["PALIMPSEST_NOTICES"] !== "off")
      this.#notices = new WaitingNotices({
        clock: backgroundClock,
        waiting: async () =>
          (await this.actors({ states: ["pending"] })).filter(({ ownerId }) => ownerId === this.sessionId),
        write: (line) => process.stderr.write(line),
      });
    if (options.output === "inherit")
      this.#echo = new EchoedOutput({
        clock: backgroundClock,
        started: (actorId, signal) => this.#started(actorId, signal),
        output: (actorId, signal) =>
          actorOutput(this, this.#network, actorId, { follow: true, signal }, true),
        write: (text) => {
          process.stderr.write(text);
          return process.stderr.writableLength;
        },
      });
  }

  /** Waits for the first process of an actor. */
  async #started(actorId: string, signal: AbortSignal): Promise<number | undefined> {
    while (!signal.aborted) {
      const info = actorView(await this.#handles.resolver.resolve(actorId, 0, startWaitMs, signal));
      if (info.pid > 0 && (info.state === "alive" || info.state === "dead")) return info.pid;
      if (info.state === "dead") return undefined;
      await delay(startPollMs, signal);
    }
    return undefined;
  }

  /**
   * Reads the output and error streams of an actor's process, as text.
   * @param target id or name
   * @throws {PalimpsestError} NOT_FOUND, UNAVAILABLE
   */
  actorOutput(target: string, options: ActorOutputOptions = {}): AsyncGenerator<string, void, undefined> {
    return textOf(this.actorOutputBytes(target, options));
  }

  /** The same output as `actorOutput`, byte for byte. */
  actorOutputBytes(
    target: string,
    options: ActorOutputOptions = {},
  ): AsyncGenerator<Uint8Array, void, undefined> {
    return actorOutput(this, this.#network, target, options);
  }

  /** Lists the cluster's heads, the one that leads first. */
  async heads(options: HeadCallOptions = {}): Promise<readonly HeadInfo[]> {
    return headInfos(this.#network, await this.info(options));
  }

  /** Lists the objects in the stores of all nodes, and their owners. */
  async memory(options: MemoryOptions = {}): Promise<ObjectMemory> {
    checkFields(options, { ...waitRules, limit: rules.count }, "options of memory()");
    return objectMemory(this, this.#network, options);
  }

  /** @throws {PalimpsestError} UNAVAILABLE, UNAUTHENTICATED, CONFIG_INVALID */
  static async connect(options: LocatedConnectOptions, deps: ConnectDeps = {}): Promise<Cluster> {
    const resolved = (await loadConfig()).parseConnectOptions(options);
    await faultsLoaded;
    const network: WatchedNetwork = deps.network ?? networkOf(resolved);
    const driver = resolved.owner === undefined ? await traceDriver(resolved, process.env) : undefined;
    if (network.credentials === undefined) return Cluster.over(network, resolved, Session.open, deps);
    const { credentials } = network;
    const release = holdProcess();
    const opening = Cluster.over(
      network,
      resolved,
      (peer, session, timeoutMs) =>
        // The thread starts with every head that is known by now.
        SessionThread.open(
          peer,
          {
            address: peer instanceof HeadPeer ? peer.addresses : resolved.address,
            credentials,
            // A network passed by the caller may have its certificate from elsewhere.
            tlsFolder: deps.network ? "" : resolved.tls,
          },
          session,
          timeoutMs,
        ),
      deps,
    );
    try {
      const cluster = await opening;
      cluster.#unwatch = network.unwatch;
      cluster.#traced = driver;
      cluster.#onClosed = deps.onClosed;
      if (resolved.owner === undefined && network.endsWithWork) closeAtEnd(cluster);
      return cluster;
    } catch (reason) {
      network.unwatch?.();
      await driver?.end(PalimpsestError.from(reason));
      throw reason;
    } finally {
      release();
    }
  }

  /**
   * Connects as connect() does, but over an existing network. Its session runs in this thread unless `openSession`
   * differs.
   */
  static async over(
    network: Network,
    resolved: ResolvedConnectOptions,
    openSession: OpenSession = Session.open,
    { program, anyProtocol = false }: Pick<ConnectDeps, "program" | "anyProtocol"> = {},
  ): Promise<Cluster> {
    const head = new HeadClient(network, resolved.address, resolved.controlTimeoutMs);
    const cluster = new Cluster(resolved, network, head, program);
    try {
      const timeoutMs = resolved.connectTimeoutMs;
      const info = await cluster.#head.call(headService.getCluster, {}, { timeoutMs });
      const isDriver = resolved.owner === undefined && !anyProtocol;
      if (isDriver)
        meetProtocols(
          { what: "this program", protocols: network.protocols ?? ownProtocols() },
          { what: `the head at ${head.peer.address}`, protocols: protocolsFrom(info.protocols) },
        );
      cluster.#head.peer.learn(info.headAddresses);
      cluster.#info = clusterView(info);
      // What an actor spawns is owned by the actor, whose process its node watches, so it needs no lease of its own.
      if (isDriver) {
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
      namespace: this.namespace,
      onActorDied: (info) => {
        this.#handles.noticeDeath(info);
        this.kinds.tasks.noticeDeath(info);
        this.#meshCalls?.noticeDeath(info);
      },
      onNewToken: (token, graceMs) => this.#network.credentials?.rotate(token, graceMs),
      onLost: (error) => {
        this.#lostBecause = error;
      },
    };
  }

  /**
   * Why the head has ended this connection's session, so that the actors that it spawned are dead and it can spawn no
   * more.
   */
  get lostBecause(): PalimpsestError | undefined {
    return this.#lostBecause;
  }

  /** Facts about the cluster at the time of the connection. */
  get facts(): ClusterInfo {
    if (!this.#info) throw new PalimpsestError("INTERNAL", "the cluster is not connected");
    return this.#info;
  }

  /**
   * Returns a handle of the actor with that id, or with that name in the options' namespace (default: the
   * connection's).
   * @throws {PalimpsestError} NOT_FOUND, ACTOR_DIED
   */
  async getActor<Instance extends object>(
    which: string | { readonly actorId: string },
    { namespace = this.namespace, ...options }: HeadCallOptions & { readonly namespace?: string } = {},
  ): Promise<ActorHandle<Instance>> {
    checkWhich(which, "actorId", "getActor()");
    const request = typeof which === "string" ? { name: which, namespace } : { actorId: which.actorId };
    const info = await this.#head.call(headService.resolveActor, { ...request, waitMs: 0 }, options);
    const view = actorView(info);
    if (view.state === "dead") throw diedError(info);
    return this.#handles.handle<Instance>(view.actorId, info.spec?.maxTaskRetries ?? 0);
  }

  /**
   * Leases resources together, for actors that are placed in them by their option `placement`. Resolves when the head
   * knows the group; await `group.ready()` to know that every bundle has a node.
   * @throws {PalimpsestError} CONFIG_INVALID; ALREADY_EXISTS if the name is taken
   */
  placementGroup(options: PlacementGroupOptions): Promise<PlacementGroup> {
    return createPlacementGroup(this.#head, { ...this.#owner(), namespace: this.namespace }, options);
  }

  /** Returns the placement group with that name or id. @throws {PalimpsestError} NOT_FOUND */
  async getPlacementGroup(
    which: string | { readonly groupId: string },
    options: HeadCallOptions = {},
  ): Promise<PlacementGroup> {
    checkWhich(which, "groupId", "getPlacementGroup()");
    const request = typeof which === "string" ? { name: which } : { groupId: which.groupId };
    const info = groupView(await this.#head.call(headService.resolvePlacementGroup, request, options));
    return new PlacementGroup(this.#head, info.groupId);
  }

  #owner(): { readonly ownerId: string; readonly ownerIncarnation: number; readonly jobId: string } {
    const { owner, jobId } = this.#options;
    return { ownerId: this.sessionId, ownerIncarnation: owner?.incarnation ?? 0, jobId };
  }

  /**
   * Says goodbye, which ends the session's actors except detached ones. Takes at most 10 s, also if no head answers.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The same as close(), for `await using cluster = await connect()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const release = holdProcess();
    try {
      await this.#closed();
    } finally {
      release();
    }
  }

  async #closed(): Promise<void> {
    closedEarlier(this);
    this.#unwatch?.();
    this.#notices?.close();
    this.#echo?.close();
    this.kinds.tasks.close();
    this.#meshCalls?.close();
    // These are closed before the session, because pending work still needs it.
    if (!this.#shared) this.#program.close();
    await atMost(closeLimitMs, this.#session?.close());
    this.objects.close();
    this.#head.close();
    await this.#traced?.end();
    await this.#onClosed?.();
  }

  async #createAlive(
    request: proto.CreateActorRequest.$Properties,
    bundles: readonly Bundle[],
  ): Promise<proto.ActorInfo.$Properties> {
    const info = await this.#create(request, bundles);
    if (actorView(info).state === "dead") throw diedError(info);
    return info;
  }

  async #holdValues(refs: readonly ObjectRef[], holder: string): Promise<void> {
    await this.values.promoted(refs);
    await Promise.all(refs.map((ref) => this.objects.hold(ref, { holder })));
  }

  async #create(
    request: proto.CreateActorRequest.$Properties,
    bundles: readonly Bundle[],
  ): Promise<proto.ActorInfo.$Properties> {
    const created = await this.#uploads.naming(bundles, () =>
      this.#head.call(headService.createActor, request),
    );
    this.#notices?.created();
    const { actorId, name, role } = created.spec ?? {};
    if (actorId) this.#echo?.created(actorId, name || role || "task");
    return created;
  }
}

function checkWhich(which: unknown, key: string, what: string): void {
  const isObject = typeof which === "object" && which !== null;
  const id = isObject ? Reflect.get(which, key) : which;
  if (typeof id !== "string" || id === "")
    throw refused(`the argument of ${what}`, `is ${shownValue(which)}: give a name, or { ${key} }`);
}

/** A reader owns nothing, so it needs no lease, and the head grants it none. */
function undefinedForReader(reason: unknown): undefined {
  if (PalimpsestError.from(reason).code === "PERMISSION_DENIED") return undefined;
  throw reason;
}

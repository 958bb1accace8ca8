import type { ServerDuplexStream, ServerWritableStream } from "@grpc/grpc-js";
import { sha256Of } from "@palimpsest/std";
import {
  grpcNetwork,
  headService,
  jobsService,
  nodeLinkService,
  PalimpsestError,
  type RpcServer,
  toGrpcError,
  unary,
} from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";

type OutputStream = ServerDuplexStream<proto.DriverOutput.$Properties, proto.DriverOutputAck.$Properties>;
type LinkStream = ServerDuplexStream<proto.NodeMessage.$Properties, proto.HeadMessage.$Properties>;
type MessageKind = Exclude<keyof proto.NodeMessage.$Properties, "message" | "$unknowns">;
type MessageOf<Kind extends MessageKind> = NonNullable<proto.NodeMessage.$Properties[Kind]>;

/**
 * A head that a test controls: implements NodeLink, Jobs.GetBundle and the directory of objects over real gRPC,
 * records everything and decides nothing.
 */
export class FakeHead {
  readonly token = "token-of-the-tests";
  readonly messages: proto.NodeMessage.$Properties[] = [];
  address = "";
  registrations = 0;
  saidGoodbye = false;
  /** Whether it reads messages after a registration. */
  reads = true;
  /** Additional fields of the answer to a registration. */
  registered: proto.Registered.$Properties = {};
  /** Whether heartbeats renew the node's lease. */
  renewing = false;
  /** Called before a bundle is served; a test can kill the head there. */
  onGetBundle: (() => void) | undefined;
  /** Whether it answers requests for bundles. */
  servesBundles = true;
  /** Messages of drivers' output that contain data. */
  readonly outputs: proto.DriverOutput.$Properties[] = [];
  /** Whether output is acknowledged as it arrives. */
  acknowledges = true;
  /** The locations of objects that it reports. */
  readonly places = new Map<string, readonly string[]>();
  /** The nodes that it reports as fetching an object. */
  readonly fetching = new Map<string, readonly string[]>();
  /** Whether it reports that no node is away. */
  placesComplete = true;
  readonly freed: proto.FreeObjectsRequest.$Properties[] = [];
  /** The number of the next requests to free that it refuses, as a head without the lease does. */
  refusesToFree = 0;
  readonly #asked = new Set<string>();
  readonly #links = new Set<LinkStream>();
  readonly #bundles = new Map<string, Uint8Array>();
  #server: RpcServer | undefined;
  #link: LinkStream | undefined;
  #waiters = new Set<() => void>();

  static async start(port = 0): Promise<FakeHead> {
    const head = new FakeHead();
    const server = grpcNetwork({ token: head.token }).createServer();
    server.addService(nodeLinkService, {
      link: (stream: LinkStream) => head.#accept(stream),
      jobOutput: (stream: OutputStream) => head.#receiveOutput(stream),
    });
    const { locateObject, freeObjects } = headService;
    server.addService(
      { locateObject, freeObjects },
      {
        locateObject: unary((request: proto.LocateObjectRequest.$Properties) => {
          const objectId = request.objectId ?? "";
          head.#asked.add(objectId);
          head.#wake();
          return {
            addresses: [...(head.places.get(objectId) ?? [])],
            fetchingAddresses: [...(head.fetching.get(objectId) ?? [])],
            complete: head.placesComplete,
          };
        }),
        freeObjects: unary((request: proto.FreeObjectsRequest.$Properties) => {
          if (head.refusesToFree-- > 0) throw new PalimpsestError("UNAVAILABLE", "another head leads");
          head.freed.push(request);
          return {};
        }),
      },
    );
    const { getBundle } = jobsService;
    server.addService(
      { getBundle },
      {
        getBundle: (
          call: ServerWritableStream<proto.GetBundleRequest.$Properties, proto.BundleChunk.$Properties>,
        ) => {
          head.onGetBundle?.();
          if (!head.servesBundles) return;
          const bytes = head.#bundles.get(call.request.sha256 ?? "");
          if (!bytes) {
            call.emit("error", toGrpcError(new PalimpsestError("NOT_FOUND", "no such bundle")));
            return;
          }
          call.write({ data: bytes });
          call.end();
        },
      },
    );
    head.#server = server;
    head.address = await server.listen("127.0.0.1", port);
    return head;
  }

  addBundle(bytes: Uint8Array, sha256 = sha256Of(bytes)): string {
    this.#bundles.set(sha256, bytes);
    return sha256;
  }

  send(message: proto.HeadMessage.$Properties): void {
    this.#link?.write(message);
  }

  /** Sends a message to every linked node. */
  toAll(message: proto.HeadMessage.$Properties): void {
    for (const link of this.#links) link.write(message);
  }

  /** Breaks the streams, as a restarting head does. */
  breakLinks(): void {
    for (const link of [...this.#links]) {
      this.#links.delete(link);
      link.end();
    }
  }

  /** Resolves when a node has looked up the object's locations. */
  async located(objectId: string): Promise<void> {
    while (!this.#asked.has(objectId)) await this.changed();
  }

  /** Returns the first recorded message of that kind that fits, now or later. */
  async next<Kind extends MessageKind>(
    kind: Kind,
    fits: (message: MessageOf<Kind>) => boolean = () => true,
  ): Promise<MessageOf<Kind>> {
    for (;;) {
      for (const message of this.messages) {
        const found = message[kind];
        if (found != null && fits(found as MessageOf<Kind>)) return found as MessageOf<Kind>;
      }
      await this.changed();
    }
  }

  /** Resolves at the next message or change of the link. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiters.add(resolve));
  }

  /** Ends as kill -9 would end it: every connection breaks. */
  kill(): void {
    this.#server?.kill();
    this.#server = undefined;
  }

  #accept(stream: LinkStream): void {
    this.#link = stream;
    this.#links.add(stream);
    stream.on("data", (message: proto.NodeMessage.$Properties) => {
      this.messages.push(message);
      if (message.register) {
        this.registrations++;
        stream.write({
          registered: { clusterId: "cluster-test", heartbeatIntervalMs: 50, ...this.registered },
        });
        if (!this.reads) stream.pause();
      }
      if (message.heartbeat && this.renewing) {
        const { epoch, headAddresses } = this.registered;
        const sentAtMs = message.heartbeat.sentAtMs ?? 0;
        stream.write({ leaseRenewed: { epoch: epoch ?? 0, headAddresses: headAddresses ?? [], sentAtMs } });
      }
      if (message.goodbye) this.saidGoodbye = true;
      this.#wake();
    });
    stream.on("end", () => {
      stream.end();
      this.#wake();
    });
    stream.on("error", () => undefined);
  }

  /** Returns the text of a job's log as a head would have it in its file, with every part at its offset. */
  logText(jobId = "job-1"): string {
    const parts = this.outputs.filter((part) => part.jobId === jobId);
    const ends = parts.map(({ data, offsetBytes }) => (offsetBytes ?? 0) + (data?.byteLength ?? 0));
    const bytes = Buffer.alloc(Math.max(0, ...ends), "?");
    for (const { data, offsetBytes } of parts) bytes.set(data ?? new Uint8Array(), offsetBytes ?? 0);
    return bytes.toString();
  }

  /** Resolves when the job's log fits. */
  async logUntil(fits: (text: string) => boolean, jobId = "job-1"): Promise<string> {
    while (!fits(this.logText(jobId))) await this.changed();
    return this.logText(jobId);
  }

  #receiveOutput(stream: OutputStream): void {
    stream.on("data", (message: proto.DriverOutput.$Properties) => {
      const jobId = message.jobId ?? "";
      if ((message.data?.byteLength ?? 0) > 0) this.outputs.push(message);
      const sizeBytes = message.data?.byteLength ?? 0;
      const offsetBytes = (message.offsetBytes ?? 0) + sizeBytes;
      if (sizeBytes === 0 || this.acknowledges) stream.write({ jobId, offsetBytes });
      this.#wake();
    });
    stream.on("end", () => stream.end());
    stream.on("error", () => undefined);
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = new Set();
    for (const wake of waiters) wake();
  }
}

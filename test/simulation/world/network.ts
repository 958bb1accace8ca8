/**
 * Responsibility: the network of the simulation: finds the server at an address, opens connections, carries calls.
 * Not responsible for: credentials; when connections break (connection.ts, the faults).
 */
import { Metadata, type ServiceDefinition, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import {
  type CallSettings,
  type ChannelKind,
  fromGrpcError,
  type Method,
  type Network,
  ownProtocols,
  PalimpsestError,
  type Peer,
  type ProtocolRange,
  type RpcServer,
  type ServiceHandlers,
  toGrpcError,
} from "@palimpsest/wire";
import { whenAborted } from "../../../packages/runtime/std/src/index.js";
import { protocolsKey } from "../../../packages/runtime/wire/src/protocol/protocol-range.js";
import { metadataOfCaller } from "../../../packages/runtime/wire/src/security/authorization.js";
import type { Builds } from "./builds.js";
import { ClientCall, ServerCall, unavailable } from "./call-streams.js";
import { type Arrival, Connection, type Wire } from "./connection.js";
import type { SimProcess } from "./process.js";
import type { Random } from "./random.js";
import type { Scheduler } from "./scheduler.js";

type AnyMethod = Method<never, unknown>;
type Handler = (call: ServerCall, reply?: (error: object | null, value?: unknown) => void) => void;

export interface NetworkSettings {
  /** The range of milliseconds that a message takes. */
  readonly latencyMs: readonly [number, number];
  /** The share of messages that take up to a hundred times as long. */
  readonly slowShare: number;
  /** The share of unary calls that their server sees twice. */
  duplicateShare: number;
}

const keepaliveMs: Readonly<Record<ChannelKind, number | undefined>> = {
  control: 30_000,
  calls: undefined,
  bulk: undefined,
};
const clusterCaller = {
  tokenRole: "cluster",
  tokenId: "simulation",
  superseded: false,
  certificate: undefined,
} as const;
const connectTimeoutMs = 20_000;

export class SimNetwork implements Wire {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly settings: NetworkSettings;
  readonly #servers = new Map<string, SimServer>();
  readonly #cuts = new Set<string>();
  connections: Connection[] = [];
  /** The metadata of a call as its server sees it, which planted bugs change. */
  metadataAt:
    | ((metadata: Readonly<Record<string, string>>, to: SimProcess) => Readonly<Record<string, string>>)
    | undefined;
  /** Called for each call that reaches its server. */
  onCall: ((method: string, from: SimProcess, to: SimProcess) => void) | undefined;
  builds: Builds | undefined;
  /** Refuses a caller that has no protocol in common with the server. */
  meet: (path: string, header: string, own: ProtocolRange) => void = () => undefined;
  arrival: ((message: Arrival) => unknown) | undefined;
  onHeal: () => void = () => undefined;

  constructor(scheduler: Scheduler, random: Random, settings: NetworkSettings) {
    this.scheduler = scheduler;
    this.random = random;
    this.settings = settings;
  }

  latencyMs(): number {
    const [least, most] = this.settings.latencyMs;
    const usual = this.random.between(least, most);
    return this.random.chance(this.settings.slowShare) ? usual * this.random.between(1, 100) : usual;
  }

  partitioned(left: string, right: string): boolean {
    return this.#cuts.size > 0 && left !== right && this.#cuts.has(cutKey(left, right));
  }

  cut(left: string, right: string): void {
    this.#cuts.add(cutKey(left, right));
    for (const connection of this.connections) this.#watch(connection);
  }

  heal(): void {
    this.#cuts.clear();
    for (const connection of this.connections) connection.heal();
    this.onHeal();
  }

  /** Starts the keepalive timeouts of a paused process's peers. */
  paused(process: SimProcess): void {
    for (const connection of this.connections) {
      if (connection.client.process === process || connection.server.process === process)
        this.#watch(connection);
    }
  }

  of(process: SimProcess): Network {
    return {
      connect: (address, kind = "control") => new SimPeer(this, process, address, kind) as unknown as Peer,
      createServer: () => new SimServer(this, process),
      ...(this.builds ? { protocols: this.builds.of(process).protocols } : {}),
    };
  }

  /** Returns the lowest free port of the host, so that ports of ended processes are soon reused. */
  port(host: string): number {
    for (let port = 10_000; ; port++) if (this.serverAt(`${host}:${port}`) === undefined) return port;
  }

  listen(address: string, server: SimServer): void {
    this.#servers.set(address, server);
  }

  unlisten(address: string, server: SimServer): void {
    if (this.#servers.get(address) === server) this.#servers.delete(address);
  }

  serverAt(address: string): SimServer | undefined {
    const server = this.#servers.get(address);
    return server?.process.ended ? undefined : server;
  }

  opened(connection: Connection): void {
    if (this.connections.length > 64) this.connections = this.connections.filter((one) => !one.over);
    this.connections.push(connection);
  }

  #watch(connection: Connection): void {
    connection.watch(connection.client);
    connection.watch(connection.server);
  }
}

function cutKey(left: string, right: string): string {
  return left < right ? `${left}|${right}` : `${right}|${left}`;
}

export class SimServer implements RpcServer {
  readonly process: SimProcess;
  readonly #network: SimNetwork;
  readonly handlers = new Map<string, Handler>();
  readonly connections = new Set<Connection>();
  /** Whether it takes no more calls. */
  closed = false;
  #address = "";

  constructor(network: SimNetwork, process: SimProcess) {
    this.#network = network;
    this.process = process;
  }

  addService<Service extends ServiceDefinition>(service: Service, handlers: ServiceHandlers<Service>): void;
  addService(service: ServiceDefinition, implementation: UntypedServiceImplementation): void {
    const { max } = this.#network.builds?.of(this.process).protocols ?? ownProtocols();
    for (const [name, method] of Object.entries(service)) {
      if ("since" in method && Number(method.since) > max) continue;
      const { path } = method;
      const handler = implementation[name];
      if (typeof handler === "function") this.handlers.set(path, handler as unknown as Handler);
    }
  }

  async listen(host: string, port: number): Promise<string> {
    this.#address = `${host}:${port || this.#network.port(host)}`;
    this.#network.listen(this.#address, this);
    return this.#address;
  }

  async close(graceMs = 500): Promise<void> {
    this.closed = true;
    this.#network.unlisten(this.#address, this);
    const { scheduler } = this.#network;
    if (this.connections.size > 0) {
      await new Promise<void>((resolve) => scheduler.after(graceMs, this.process, resolve));
    }
    this.kill();
  }

  kill(): void {
    this.closed = true;
    this.#network.unlisten(this.#address, this);
    for (const connection of this.connections)
      connection.sever("the server shut down", this.#network.latencyMs(), 0);
    this.connections.clear();
  }
}

class SimPeer {
  readonly address: string;
  readonly #network: SimNetwork;
  readonly #process: SimProcess;
  readonly #kind: ChannelKind;
  #connection: Connection | undefined;
  /** The server to which the connection was made; another one may listen at its address later. */
  #server: SimServer | undefined;

  constructor(network: SimNetwork, process: SimProcess, address: string, kind: ChannelKind) {
    this.#network = network;
    this.#process = process;
    this.address = address;
    this.#kind = kind;
  }

  unary(
    method: AnyMethod,
    request: unknown,
    settings: CallSettings & { readonly timeoutMs: number },
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call = this.#open(method, request);
      let value: unknown;
      let settled = false;
      const settle = (finish: () => void) => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        forget();
        finish();
      };
      call.on("data", (message) => {
        value = message;
      });
      call.on("end", () => settle(() => resolve(value)));
      call.on("error", (reason) => settle(() => reject(fromGrpcError(reason))));
      const timer = setTimeout(() => {
        settle(() => reject(new PalimpsestError("GET_TIMEOUT", `${method.name}: deadline exceeded`)));
        call.cancel();
      }, settings.timeoutMs);
      const forget = cancelWhenAborted(call, settings.signal);
    });
  }

  serverStream(method: AnyMethod, request: unknown, settings: CallSettings = {}): ClientCall {
    return bounded(this.#open(method, request, settings.metadata), settings);
  }

  bidi(method: AnyMethod, settings: CallSettings = {}): ClientCall {
    return bounded(this.#open(method, undefined, settings.metadata), settings);
  }

  clientStream(method: AnyMethod, settings: CallSettings = {}) {
    const stream = bounded(this.#open(method, undefined, settings.metadata), settings);
    const response = new Promise((resolve, reject) => {
      stream.on("data", resolve);
      stream.on("error", (reason) => reject(fromGrpcError(reason)));
    });
    return { stream, response };
  }

  /** Only channels for objects come and go; the others live as long as their processes. */
  close(): void {
    if (this.#kind !== "bulk" || this.#connection === undefined) return;
    this.#connection.sever("the channel was closed", 0, this.#network.latencyMs());
  }

  #open(given: AnyMethod, request: unknown, metadata: Readonly<Record<string, string>> = {}): ClientCall {
    const network = this.#network;
    const method = network.builds?.as(this.#process, given) ?? given;
    const server = network.serverAt(this.address);
    const known = this.#connection;
    const alive = known && !known.client.broken ? known : undefined;
    const connection =
      alive ??
      new Connection(
        network,
        this.#process,
        server?.process ?? this.#process,
        keepaliveMs[this.#kind],
        this.#kind === "bulk",
      );
    const call = new ClientCall(
      connection,
      method.name,
      method.requestSerialize as never,
      method.responseDeserialize,
    );
    if (alive === undefined && server === undefined) {
      const refuse = () => call.close(unavailable(`connection to ${this.address} refused`));
      network.scheduler.after(network.latencyMs(), this.#process, refuse);
      return call;
    }
    if (alive === undefined && server !== undefined) {
      network.opened(connection);
      this.#connection = connection;
      this.#server = server;
      server.connections.add(connection);
      if (connection.blocked || server.process.paused) {
        network.scheduler.after(connectTimeoutMs, this.#process, () => {
          if (connection.blocked) connection.breakSide(connection.client, 0, "connect timed out");
        });
        connection.watch(connection.client);
      }
    }
    network.builds?.chatter(this.#process, method.name, () => !call.ended && call.write({}));
    this.#begin(given, method, request, call, connection, metadata);
    return call;
  }

  #begin(
    given: AnyMethod,
    method: AnyMethod,
    request: unknown,
    call: ClientCall,
    connection: Connection,
    metadata: Readonly<Record<string, string>>,
  ): void {
    const network = this.#network;
    const bytes = request === undefined ? undefined : method.requestSerialize(request as never);
    const { client, server } = connection;
    const accept = (answers: boolean) => {
      const rpcServer = this.#server;
      if (rpcServer === undefined || rpcServer.closed) {
        connection.breakSide(client, network.latencyMs(), "the server shut down");
        return;
      }
      const handler = rpcServer.handlers.get(method.path);
      const decoded = bytes === undefined ? undefined : method.requestDeserialize(bytes);
      const request = decoded === undefined ? undefined : connection.arrived(method.name, true, decoded);
      if (decoded !== undefined && request === undefined) return;
      const answering = network.builds?.as(server.process, given) ?? given;
      const one = new ServerCall(
        connection,
        method.name,
        answering.responseSerialize as never,
        method.requestDeserialize,
        request,
      );
      // Nobody receives a duplicate's answer. Credentials are not simulated: every caller has the cluster's own token.
      one.metadata.merge(metadataOfCaller(clusterCaller));
      const seen = network.metadataAt?.(metadata, server.process) ?? metadata;
      for (const [name, value] of Object.entries(seen)) one.metadata.set(name, value);
      network.onCall?.(method.name, client.process, server.process);
      if (answers) {
        one.other = call;
        call.other = one;
      }
      if (method.access.lasts && network.builds) {
        const header = network.builds.header(client.process)[protocolsKey] ?? "";
        try {
          network.meet(method.path, header, network.builds.of(server.process).protocols);
        } catch (reason) {
          one.emit("error", toGrpcError(reason));
          return;
        }
      }
      if (handler === undefined)
        one.emit("error", { code: status.UNIMPLEMENTED, details: method.path, metadata: new Metadata() });
      else handler(one, (error, value) => one.answer(error, value));
    };
    connection.send(client, call.lane, () => accept(true));
    if (bytes !== undefined && network.random.chance(network.settings.duplicateShare)) {
      connection.send(client, { lastAtMs: 0, queue: [] }, () => accept(false));
    }
  }
}

function bounded(call: ClientCall, settings: CallSettings): ClientCall {
  if (settings.timeoutMs !== undefined) {
    const timer = setTimeout(() => {
      call.close({ code: status.DEADLINE_EXCEEDED, details: "deadline exceeded", metadata: new Metadata() });
    }, settings.timeoutMs);
    call.on("status", () => clearTimeout(timer));
  }
  call.on("status", cancelWhenAborted(call, settings.signal));
  return call;
}

/** Returns a function to call when the call is over, because a signal may outlive thousands of calls. */
function cancelWhenAborted(call: ClientCall, signal: AbortSignal | undefined): () => void {
  if (signal?.aborted) call.cancel();
  return signal === undefined || signal.aborted ? () => undefined : whenAborted(signal, () => call.cancel());
}

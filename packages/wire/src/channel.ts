/**
 * Responsibility: one gRPC channel from this process to another, with what this process proves itself with at the moment.
 * Not responsible for: which process (head-peer.ts), calling again what failed.
 *
 * Invariants:
 * - RENEWAL-1. A call shows the certificate of the moment in which it begins: after a renewal the next call goes over a
 *   new connection, and streams that are open stay on theirs.
 * - REQUESTS-3. A stream of requests shows what this process had as it was opened: after a renewal, or with another token,
 *   the next request opens a new one, and the old one ends when its requests have their answers.
 */
import {
  type CallOptions,
  type ChannelOptions,
  Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  type ClientWritableStream,
  Metadata,
} from "@grpc/grpc-js";
import { maxMessageBytes } from "./access.js";
import type { Credentials } from "./credentials.js";
import type { Method } from "./method.js";
import type { CallSettings, ChannelKind, Peer } from "./network.js";
import { RequestStream } from "./request-stream.js";
import { requestsService } from "./services.js";
import { fromGrpcError } from "./status.js";
import { channelCredentials, commonServerName } from "./tls.js";
import { whenAborted } from "./when-aborted.js";

/** Options of every channel. Keys carry the full prefix: grpc-js ignores them silently without it. */
export const channelOptions: ChannelOptions = {
  "grpc.max_receive_message_length": maxMessageBytes,
  "grpc.max_send_message_length": maxMessageBytes,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 2_000,
  // One HTTP/2 connection a channel: bulk transfers do not delay heartbeats of another channel.
  "grpc.use_local_subchannel_pool": 1,
};

/**
 * Options of a channel to the head. Keepalive pings notice a head whose machine vanished. They are answered by the
 * peer's event loop, so no other kind of channel has them: a peer that computes for minutes must not lose its callers.
 */
export const controlChannelOptions: ChannelOptions = {
  ...channelOptions,
  "grpc.keepalive_time_ms": 20_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.keepalive_permit_without_calls": 1,
};

/** Options of a channel that pulls bulk data: the window is the client's to choose. */
export const bulkChannelOptions: ChannelOptions = {
  ...channelOptions,
  "grpc-node.flow_control_window": 16 * 1024 * 1024,
};

/** The metadata that every RPC needs. */
export function bearerMetadata(token: string): Metadata {
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  return metadata;
}

/** What is larger, or comes while so many wait for their answers, is a call of its own. */
const maxStreamedBytes = 256 * 1024;
const maxStreamedRequests = 5_000;

/** One gRPC channel to one process of the cluster, with this process's credentials. */
export class GrpcPeer implements Peer {
  readonly address: string;
  readonly #credentials: Credentials;
  readonly #options: ChannelOptions;
  readonly #kind: ChannelKind;
  #open: { readonly client: Client; readonly certificate: Buffer | undefined };
  #metadata = new Metadata();
  #token = "";
  /** The stream for requests, and what it proved itself with as it was opened. */
  #requests:
    | { readonly stream: RequestStream; readonly client: Client; readonly metadata: Metadata }
    | undefined;
  readonly #showsCallerToken: boolean;
  #closed = false;

  constructor(
    address: string,
    credentials: Credentials,
    options: ChannelOptions = channelOptions,
    kind: ChannelKind = "control",
  ) {
    this.address = address;
    this.#credentials = credentials;
    this.#options = options;
    this.#kind = kind;
    this.#open = this.#connected();
    // An actor runs its author's code: what it sees of a caller must be good for nothing but calls.
    this.#showsCallerToken = kind === "calls";
  }

  #connected(): { readonly client: Client; readonly certificate: Buffer | undefined } {
    const credentials = this.#credentials;
    // Every certificate carries this name: an address is no server name in TLS, and only the role counts.
    const named = credentials.tls ? { "grpc.ssl_target_name_override": commonServerName } : {};
    const client = new Client(
      this.address,
      channelCredentials(() => credentials.tls, this.#kind),
      { ...this.#options, ...named },
    );
    return { client, certificate: credentials.tls?.cert };
  }

  /** RENEWAL-1 */
  get #client(): Client {
    const certificate = this.#credentials.tls?.cert;
    const { client, certificate: shown } = this.#open;
    if (this.#closed || certificate === shown || (certificate && shown?.equals(certificate))) return client;
    this.#open = this.#connected();
    // What is under way on the connection of before goes on there to its end.
    client.close();
    return this.#open.client;
  }

  /** @throws {PalimpsestError} the peer's own, GET_TIMEOUT, CANCELLED or UNAVAILABLE */
  unary<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    settings: CallSettings & { readonly timeoutMs: number },
  ): Promise<Response> {
    const isStreamed = method.streamed && settings.metadata === undefined && !this.#closed;
    const stream = isStreamed ? this.#requestStream() : undefined;
    if (stream && stream.size < maxStreamedRequests) {
      const message = method.requestSerialize(request);
      if (message.byteLength <= maxStreamedBytes) return stream.ask(method, message, settings);
    }
    return new Promise((resolve, reject) => {
      let unwatch: (() => void) | undefined;
      const call = this.#client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        this.#metadataOf(settings),
        callOptions(settings),
        (error, response) => {
          unwatch?.();
          if (error) reject(fromGrpcError(error));
          else resolve(response as Response);
        },
      );
      const cancel = () => call.cancel();
      if (settings.signal?.aborted) cancel();
      else unwatch = settings.signal && whenAborted(settings.signal, cancel);
    });
  }

  serverStream<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    settings: CallSettings = {},
  ): ClientReadableStream<Response> {
    const { path, requestSerialize, responseDeserialize } = method;
    const call = this.#client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      this.#metadataOf(settings),
      callOptions(settings),
    );
    return cancelOnAbort(call, settings.signal);
  }

  /** The stream to write to and the answer that comes after its end. */
  clientStream<Request, Response>(
    method: Method<Request, Response>,
    settings: CallSettings = {},
  ): { readonly stream: ClientWritableStream<Request>; readonly response: Promise<Response> } {
    let stream!: ClientWritableStream<Request>;
    const response = new Promise<Response>((resolve, reject) => {
      stream = this.#client.makeClientStreamRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        this.#metadataOf(settings),
        callOptions(settings),
        (error, value) => (error ? reject(fromGrpcError(error)) : resolve(value as Response)),
      );
      cancelOnAbort(stream, settings.signal);
    });
    return { stream, response };
  }

  /** A stream both ways. Its "error" event carries a gRPC error: pass it through fromGrpcError. */
  bidi<Request, Response>(
    method: Method<Request, Response>,
    settings: CallSettings = {},
  ): ClientDuplexStream<Request, Response> {
    const { path, requestSerialize, responseDeserialize } = method;
    const call = this.#client.makeBidiStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      this.#metadataOf(settings),
      callOptions(settings),
    );
    return cancelOnAbort(call, settings.signal);
  }

  /** REQUESTS-3 */
  #requestStream(): RequestStream {
    const client = this.#client;
    const metadata = this.#metadataOf({});
    const known = this.#requests;
    if (known?.client === client && known.metadata === metadata && !known.stream.broken) return known.stream;
    known?.stream.retire();
    const stream = new RequestStream(this.bidi(requestsService.open));
    this.#requests = { stream, client, metadata };
    return stream;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#requests?.stream.close();
    this.#open.client.close();
  }

  /** With the token of this moment: it may have been rotated. */
  #metadataOf(settings: CallSettings): Metadata {
    const { token, callerToken } = this.#credentials;
    const shown = this.#showsCallerToken ? callerToken : token;
    if (this.#token !== shown) {
      this.#token = shown;
      this.#metadata = bearerMetadata(this.#token);
    }
    if (settings.metadata === undefined) return this.#metadata;
    const metadata = this.#metadata.clone();
    for (const [key, value] of Object.entries(settings.metadata)) metadata.set(key, value);
    return metadata;
  }
}

function callOptions({ timeoutMs }: CallSettings): CallOptions {
  return timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
}

interface Cancelable {
  cancel(): void;
  once(event: "status", listener: () => void): unknown;
}

/** The listener is removed when the call ends: a signal may live for as long as its process. */
function cancelOnAbort<Call extends Cancelable>(call: Call, signal: AbortSignal | undefined): Call {
  if (signal === undefined) return call;
  if (signal.aborted) {
    call.cancel();
    return call;
  }
  call.once(
    "status",
    whenAborted(signal, () => call.cancel()),
  );
  return call;
}

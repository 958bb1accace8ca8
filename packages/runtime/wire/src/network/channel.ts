/**
 * Responsibility: one gRPC channel from this process to another, which presents this process's current credentials.
 * Not responsible for: choosing the process (head-peer.ts), or retrying failed calls.
 *
 * Invariants:
 * - RENEWAL-1. A call presents the certificate that is current when it begins: after a renewal the next call uses a new
 *   connection, and open streams stay on theirs.
 * - REQUESTS-3. A stream of requests presents the credentials with which it was opened. After a renewal or a change of
 *   the token the next request opens a new stream, and the old one ends when all of its requests are answered.
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
import { backgroundClock, whenAborted } from "@palimpsest/std";
import { PalimpsestError } from "../base/error.js";
import { fromGrpcError } from "../failures/status.js";
import { holdProcess } from "../machine/process-hold.js";
import { maxMessageBytes } from "../protocol/access.js";
import type { ChannelKind } from "../protocol/channel-kind.js";
import type { Method } from "../protocol/method.js";
import { ownProtocols, protocolsHeader, protocolsKey } from "../protocol/protocol-range.js";
import { requestsService } from "../protocol/services.js";
import type { Credentials } from "../security/credentials.js";
import { channelCredentials, commonServerName } from "../security/tls.js";
import type { CallSettings, Peer } from "./network.js";
import { RequestStream, unanswered } from "./request-stream.js";

/** Options of every channel. Each key needs its full prefix: grpc-js silently ignores a key without it. */
export const channelOptions: ChannelOptions = {
  "grpc.max_receive_message_length": maxMessageBytes,
  "grpc.max_send_message_length": maxMessageBytes,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 2_000,
  // Each channel has an HTTP/2 connection of its own, so that bulk transfers do not delay the heartbeats of another
  // channel.
  "grpc.use_local_subchannel_pool": 1,
  // By default the library reads http_proxy and its like, and connects even to this machine through a proxy.
  "grpc.enable_http_proxy": 0,
  // A name is resolved again this soon after its address stopped answering: a container that was made again has another
  // address. By default it takes the library 30 seconds, longer than a node survives without its head.
  "grpc.dns_min_time_between_resolutions_ms": 1_000,
};

/**
 * Options of a channel to the head. Keepalive pings detect a head whose machine vanished. The peer's event loop answers
 * them, so other kinds of channels do not use them: a peer that computes for minutes must not lose its callers.
 */
export const controlChannelOptions: ChannelOptions = {
  ...channelOptions,
  "grpc.keepalive_time_ms": 20_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.keepalive_permit_without_calls": 1,
};

/** Options of a channel that receives bulk data. The client chooses the flow-control window. */
export const bulkChannelOptions: ChannelOptions = {
  ...channelOptions,
  "grpc-node.flow_control_window": 16 * 1024 * 1024,
};

/** Builds the metadata that every RPC needs. */
export function bearerMetadata(token: string): Metadata {
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  return metadata;
}

/**
 * A request that is larger than this, or that arrives while too many wait for their answers, is sent as a call of its
 * own.
 */
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
  /** The stream for requests, and the credentials with which it was opened. */
  #requests:
    | { readonly stream: RequestStream; readonly client: Client; readonly metadata: Metadata }
    | undefined;
  readonly #showsCallerToken: boolean;
  readonly #endsWithWork: boolean;
  #closed = false;

  /** @param endsWithWork see Network.endsWithWork */
  constructor(
    address: string,
    credentials: Credentials,
    options: ChannelOptions = channelOptions,
    kind: ChannelKind = "control",
    endsWithWork = false,
  ) {
    this.address = address;
    this.#credentials = credentials;
    this.#options = options;
    this.#kind = kind;
    this.#endsWithWork = endsWithWork;
    this.#open = this.#connected();
    // An actor runs its author's code, so what it sees of a caller must allow nothing but calls.
    this.#showsCallerToken = kind === "calls";
  }

  #connected(): { readonly client: Client; readonly certificate: Buffer | undefined } {
    const credentials = this.#credentials;
    // Every certificate carries this name, because TLS accepts no address as a server name and only the role is
    // checked.
    const named = credentials.tls ? { "grpc.ssl_target_name_override": commonServerName } : {};
    const client = new Client(
      this.address,
      channelCredentials(() => credentials.tls, this.#kind, this.#endsWithWork),
      { ...this.#options, ...named },
    );
    return { client, certificate: credentials.tls?.cert };
  }

  /** RENEWAL-1 @throws {PalimpsestError} CANCELLED after close(), where the library would throw an error of its own */
  get #client(): Client {
    if (this.#closed) throw new PalimpsestError("CANCELLED", `the channel to ${this.address} was closed`);
    const certificate = this.#credentials.tls?.cert;
    const { client, certificate: shown } = this.#open;
    if (certificate === shown || (certificate && shown?.equals(certificate))) return client;
    this.#open = this.#connected();
    // Calls and streams in progress on the previous connection continue there until they end.
    client.close();
    return this.#open.client;
  }

  /** @throws {PalimpsestError} the error of the peer, or GET_TIMEOUT, CANCELLED or UNAVAILABLE */
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
      // A closed channel throws, so the client is taken before anything that only the end of a call releases.
      const client = this.#client;
      let unwatch: (() => void) | undefined;
      const release = this.#held(settings);
      let isLate = false;
      const cancelTimer = this.#backgroundDeadline(settings, () => {
        isLate = true;
        call.cancel();
      });
      const call = client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        this.#metadataOf(settings),
        callOptions(settings),
        (error, response) => {
          release();
          cancelTimer();
          unwatch?.();
          if (isLate) reject(unanswered(method.name, settings.timeoutMs));
          else if (error) reject(fromGrpcError(error));
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
    return cancelOnAbort(this.#holding(call, settings), settings.signal);
  }

  /** Returns the stream to write to and the answer that arrives after it has ended. */
  clientStream<Request, Response>(
    method: Method<Request, Response>,
    settings: CallSettings = {},
  ): { readonly stream: ClientWritableStream<Request>; readonly response: Promise<Response> } {
    const client = this.#client;
    let stream!: ClientWritableStream<Request>;
    const response = new Promise<Response>((resolve, reject) => {
      stream = client.makeClientStreamRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        this.#metadataOf(settings),
        callOptions(settings),
        (error, value) => (error ? reject(fromGrpcError(error)) : resolve(value as Response)),
      );
      cancelOnAbort(this.#holding(stream, settings), settings.signal);
    });
    return { stream, response };
  }

  /** Opens a stream in both directions. Its "error" event carries a gRPC error: convert it with fromGrpcError. */
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
    return cancelOnAbort(this.#holding(call, settings), settings.signal);
  }

  /** @returns a function to call when the call has ended */
  #held({ background = false }: CallSettings): () => void {
    return this.#endsWithWork && !background ? holdProcess() : () => undefined;
  }

  /** The library's own timer of a deadline keeps the process running. */
  #backgroundDeadline({ timeoutMs, background }: CallSettings, onLate: () => void): () => void {
    if (!background || timeoutMs === undefined) return () => undefined;
    return backgroundClock.after(timeoutMs, onLate);
  }

  #holding<Call extends Cancelable>(call: Call, settings: CallSettings): Call {
    if (this.#endsWithWork && !settings.background) call.once("status", holdProcess());
    return call;
  }

  /** REQUESTS-3 */
  #requestStream(): RequestStream {
    const client = this.#client;
    const metadata = this.#metadataOf({});
    const known = this.#requests;
    if (known?.client === client && known.metadata === metadata && !known.stream.broken) return known.stream;
    known?.stream.retire();
    const stream = new RequestStream(this.bidi(requestsService.open, { background: true }));
    this.#requests = { stream, client, metadata };
    return stream;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#requests?.stream.close();
    this.#open.client.close();
  }

  /** Uses the current token, because it may have been rotated since the channel was opened. */
  #metadataOf(settings: CallSettings): Metadata {
    const { token, callerToken } = this.#credentials;
    const shown = this.#showsCallerToken ? callerToken : token;
    if (this.#token !== shown) {
      this.#token = shown;
      this.#metadata = bearerMetadata(this.#token);
      this.#metadata.set(protocolsKey, protocolsHeader(ownProtocols()));
    }
    if (settings.metadata === undefined) return this.#metadata;
    const metadata = this.#metadata.clone();
    for (const [key, value] of Object.entries(settings.metadata)) metadata.set(key, value);
    return metadata;
  }
}

/**
 * Nobody waits for longer than these 12 days on one connection. grpc-js throws for deadlines that are far away, and ends
 * calls at once whose deadline is just below the longest time of a timer, as it rounds up to seconds.
 */
const longestDeadlineMs = 2 ** 30;

function callOptions({ timeoutMs, background = false }: CallSettings): CallOptions {
  return background || timeoutMs === undefined || timeoutMs > longestDeadlineMs
    ? {}
    : { deadline: Date.now() + timeoutMs };
}

interface Cancelable {
  cancel(): void;
  once(event: "status", listener: () => void): unknown;
}

/** Removes its listener when the call ends, because a signal may live as long as its process. */
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

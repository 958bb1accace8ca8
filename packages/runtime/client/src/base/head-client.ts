import { type Clock, systemClock } from "@palimpsest/std";
import { systemFailure } from "@palimpsest/std/input";
import {
  HeadPeer,
  headService,
  type Method,
  missingMethod,
  type Network,
  PalimpsestError,
  protocolsFrom,
  retryUntil,
  withCaller,
} from "@palimpsest/wire";

import { checkValue, rules } from "./fields.js";

const backoff = { firstMs: 50, longestMs: 1_000 };

/** Deadline and signal of one RPC to the head. */
export interface HeadCallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** What the runtime itself asks of the head. */
interface OwnCallOptions extends HeadCallOptions {
  /** See CallSettings.background. */
  readonly background?: boolean;
}

/**
 * Sends unary calls to the head. All of them are idempotent, so while the head cannot be reached they are retried
 * until their deadline, and callers do not notice a restart of the head.
 */
export class HeadClient {
  readonly peer: HeadPeer;
  readonly #defaultTimeoutMs: number;
  readonly #clock: Clock;

  constructor(network: Network, address: string, defaultTimeoutMs: number, clock?: Clock) {
    this.#clock = clock ?? systemClock;
    this.peer = new HeadPeer(network, address, clock);
    this.#defaultTimeoutMs = defaultTimeoutMs;
  }

  /** @throws {PalimpsestError} the head's own error; UNAVAILABLE if it could not be reached until the deadline */
  async call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    options: OwnCallOptions = {},
  ): Promise<Response> {
    const { background = false } = options;
    const ask = (settings: { readonly timeoutMs: number }) =>
      this.peer.unary(method, request, background ? { ...settings, background } : settings);
    try {
      return await this.untilDeadline(ask, options);
    } catch (reason) {
      if (!isUnknownMethod(method.since, PalimpsestError.from(reason))) throw reason;
      const { protocols } = await this.call(headService.getCluster, {}, options);
      const head = { what: `the head at ${this.peer.address}`, protocols: protocolsFrom(protocols) };
      throw withCaller(missingMethod(method, head));
    }
  }

  /**
   * Runs an idempotent operation, and retries it while the head cannot be reached.
   * @throws {PalimpsestError} the head's own error; UNAVAILABLE if it could not be reached until the deadline
   */
  async untilDeadline<T>(
    attempt: (settings: { readonly timeoutMs: number; readonly signal?: AbortSignal }) => Promise<T>,
    options: HeadCallOptions,
  ): Promise<T> {
    const { timeoutMs = this.#defaultTimeoutMs, signal } = options;
    // One that has passed already fails as one that passes later.
    checkValue(
      timeoutMs,
      { passes: (given) => typeof given === "number" && !Number.isNaN(given), give: rules.milliseconds.give },
      "timeoutMs",
    );
    const mayRetry = ({ code, retryable }: PalimpsestError) =>
      code === "UNAVAILABLE" || (code === "LIMIT_EXCEEDED" && retryable);
    try {
      return await retryUntil({ timeoutMs, backoff, clock: this.#clock, signal, mayRetry }, (leftMs) =>
        attempt(signal ? { timeoutMs: leftMs, signal } : { timeoutMs: leftMs }),
      );
    } catch (reason) {
      throw withCaller(this.#explained(PalimpsestError.from(reason)));
    }
  }

  close(): void {
    this.peer.close();
  }

  #explained(error: PalimpsestError): PalimpsestError {
    if (error.code !== "UNAVAILABLE") return error;
    return new PalimpsestError(
      "UNAVAILABLE",
      `the head at ${this.peer.address} cannot be reached: ${unreached(error.rawMessage)}`,
      { cause: error.cause },
    );
  }
}

/** Heads that speak protocol 1 alone answer so where a method that they do not know arrives on a stream of requests. */
const grantedToNobody = "this server grants it to nobody";

/** Returns whether the head does not know a method that came after the first protocol. */
function isUnknownMethod(since: number, { code, rawMessage }: PalimpsestError): boolean {
  if (since === 1) return false;
  return (
    code === "PROTOCOL_MISMATCH" || (code === "PERMISSION_DENIED" && rawMessage.includes(grantedToNobody))
  );
}

/** Says in words why there is no connection. The transport's message has the system's code, or none for a name. */
function unreached(message: string): string {
  const code = message.startsWith("Name resolution failed")
    ? "ENOTFOUND"
    : /\b(E[A-Z]{4,})\b/.exec(message)?.[1];
  const failure = systemFailure(Object.assign(new Error(message), { code }));
  return failure === undefined
    ? `${message}; is it running there?`
    : `${failure.what} (${failure.code}): ${failure.remedy}`;
}

import type { ClientDuplexStream, ClientReadableStream, ClientWritableStream } from "@grpc/grpc-js";
import type { Clock } from "@palimpsest/std";
import type { PalimpsestError } from "../base/error.js";
import type { CallSettings, Peer } from "../network/network.js";
import type { Method } from "../protocol/method.js";
import { type FaultDraw, injectedError } from "./fault-draw.js";
import type { FaultRule } from "./fault-plan.js";
import { FaultyStream, type InnerStream } from "./faulty-stream.js";

/** A channel on which some calls fail as the plan says. */
export class FaultyPeer implements Peer {
  readonly #inner: Peer;
  readonly #draw: FaultDraw;
  readonly #clock: Clock;

  constructor(inner: Peer, draw: FaultDraw, clock: Clock) {
    this.#inner = inner;
    this.#draw = draw;
    this.#clock = clock;
  }

  get address(): string {
    return this.#inner.address;
  }

  async unary<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    settings: CallSettings & { readonly timeoutMs: number },
  ): Promise<Response> {
    const rule = this.#draw.next(method.name);
    if (rule === undefined) return this.#inner.unary(method, request, settings);
    const error = injectedError(rule, method.name);
    if (rule.when === "in-flight") {
      const broken = new AbortController();
      const stop = () => broken.abort();
      settings.signal?.addEventListener("abort", stop, { once: true });
      const cancel = this.#clock.after(rule.delayMs, stop);
      try {
        return await this.#inner.unary(method, request, { ...settings, signal: broken.signal });
      } catch (reason) {
        throw broken.signal.aborted && settings.signal?.aborted !== true ? error : reason;
      } finally {
        cancel();
        settings.signal?.removeEventListener("abort", stop);
      }
    }
    if (rule.when === "after") await this.#inner.unary(method, request, settings);
    await new Promise<void>((resolve) => this.#clock.after(rule.delayMs, resolve));
    throw error;
  }

  serverStream<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    settings?: CallSettings,
  ): ClientReadableStream<Response> {
    return this.#stream(method, () => this.#inner.serverStream(method, request, settings));
  }

  clientStream<Request, Response>(
    method: Method<Request, Response>,
    settings?: CallSettings,
  ): { readonly stream: ClientWritableStream<Request>; readonly response: Promise<Response> } {
    const rule = this.#draw.next(method.name);
    if (rule === undefined) return this.#inner.clientStream(method, settings);
    const error = injectedError(rule, method.name);
    const real = rule.when === "before" ? undefined : this.#inner.clientStream(method, settings);
    const stream = this.#relay<ClientWritableStream<Request>>(real?.stream, rule, error);
    const broken = new Promise<never>((_resolve, reject) => stream.on("error", reject));
    broken.catch(() => undefined);
    if (rule.when !== "after" || real === undefined) {
      return { stream, response: real === undefined ? broken : Promise.race([real.response, broken]) };
    }
    const failed = real.response.then(async (): Promise<never> => {
      await new Promise<void>((resolve) => this.#clock.after(rule.delayMs, resolve));
      throw error;
    });
    return { stream, response: Promise.race([failed, broken]) };
  }

  bidi<Request, Response>(
    method: Method<Request, Response>,
    settings?: CallSettings,
  ): ClientDuplexStream<Request, Response> {
    return this.#stream(method, () => this.#inner.bidi(method, settings));
  }

  close(): void {
    this.#inner.close();
  }

  #stream<Stream>(method: { readonly name: string }, open: () => Stream): Stream {
    const rule = this.#draw.next(method.name);
    if (rule === undefined) return open();
    const error = injectedError(rule, method.name);
    return this.#relay<Stream>(rule.when === "before" ? undefined : open(), rule, error);
  }

  /**
   * Returns a relay that has every method of a call's stream that Palimpsest uses, and none of grpc-js's internal ones.
   */
  #relay<Stream>(real: Stream | undefined, rule: FaultRule, error: PalimpsestError): Stream {
    return new FaultyStream(real as InnerStream | undefined, rule, error, this.#clock) as unknown as Stream;
  }
}

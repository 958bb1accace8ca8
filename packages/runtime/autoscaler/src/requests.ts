import type { ScalableCluster } from "@palimpsest/scheduler";
import type { Clock } from "@palimpsest/std";
import { PalimpsestError } from "@palimpsest/wire";

/** Milliseconds that the provider has to end all nodes when the cluster ends. */
export const endTimeoutMs = 10_000;

/** Requests with a deadline, which also applies to providers that ignore the signal. */
export class Requests {
  readonly #timeoutMs: number;
  readonly #end: AbortSignal;
  readonly #deps: { readonly clock: Clock; readonly cluster: ScalableCluster };

  constructor(
    timeoutMs: number,
    end: AbortSignal,
    deps: { readonly clock: Clock; readonly cluster: ScalableCluster },
  ) {
    this.#timeoutMs = timeoutMs;
    this.#end = end;
    this.#deps = deps;
  }

  /** @throws {PalimpsestError} GET_TIMEOUT; CANCELLED when the autoscaler ends */
  within<T>(what: string, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const request = new AbortController();
    return new Promise<T>((resolve, reject) => {
      const done = () => {
        cancel();
        this.#end.removeEventListener("abort", end);
      };
      const fail = (error: PalimpsestError) => {
        // The slot is freed now and not when the answer arrives, because it may never arrive.
        done();
        reject(error);
        request.abort();
      };
      const end = () => fail(new PalimpsestError("CANCELLED", `${what}: the autoscaler ends`));
      const cancel = this.#deps.clock.after(this.#timeoutMs, () =>
        fail(new PalimpsestError("GET_TIMEOUT", `${what} was not answered within ${this.#timeoutMs} ms`)),
      );
      this.#end.addEventListener("abort", end, { once: true });
      if (this.#end.aborted) end();
      ask(request.signal).then(resolve, reject).finally(done);
    });
  }

  /** AUTOSCALER-2 */
  confirmLead(_signal?: AbortSignal): Promise<void> {
    return this.within("the store's confirmation that this head leads", () =>
      this.#deps.cluster.confirmLead(),
    );
  }
}

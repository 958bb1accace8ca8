import type { ScalableCluster } from "@palimpsest/scheduler";
import { type Clock, unlessAborted, withDeadline } from "@palimpsest/std";
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
  async within<T>(what: string, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const [timeoutMs, end] = [this.#timeoutMs, this.#end];
    const late = () => new PalimpsestError("GET_TIMEOUT", `${what} was not answered within ${timeoutMs} ms`);
    // The slot is freed at the deadline and not when the answer arrives, because it may never arrive.
    return await withDeadline({ timeoutMs, signals: [end], late, clock: this.#deps.clock }, (signal) =>
      unlessAborted(signal, ask(signal)),
    ).catch((reason: unknown) => {
      throw end.aborted ? new PalimpsestError("CANCELLED", `${what}: the autoscaler ends`) : reason;
    });
  }

  /** AUTOSCALER-2 */
  confirmLead(_signal?: AbortSignal): Promise<void> {
    return this.within("the store's confirmation that this head leads", () =>
      this.#deps.cluster.confirmLead(),
    );
  }
}

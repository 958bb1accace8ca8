import type { Metrics } from "@palimpsest/telemetry";

/** Records the outcome of one request, for Prometheus. */
export class RequestMeter {
  readonly #metrics: Metrics;
  readonly #endpoint: string;
  readonly #arrivedAtMs = performance.now();

  constructor(metrics: Metrics, endpoint: string) {
    this.#metrics = metrics;
    this.#endpoint = endpoint;
  }

  get seconds(): number {
    return (performance.now() - this.#arrivedAtMs) / 1000;
  }

  firstToken(): void {
    const first = this.#metrics.histogram("palimpsest_serve_first_token_seconds");
    first.observe({ endpoint: this.#endpoint }, this.seconds);
  }

  /** @param status status of the answer; "left" if the client disconnected before its end */
  done(status: number | "left"): void {
    const endpoint = this.#endpoint;
    this.#metrics.counter("palimpsest_serve_requests_total").inc({ endpoint, status: String(status) });
    this.#metrics.histogram("palimpsest_serve_request_seconds").observe({ endpoint }, this.seconds);
  }
}

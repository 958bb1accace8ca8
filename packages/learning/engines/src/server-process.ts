import { EngineError } from "./error.js";
import type { HttpClient } from "./http-client.js";

const metricsPath = "/metrics";
/** This is the line in which Prometheus's client libraries report the process's start, in seconds since 1970. */
const startLine = /^process_start_time_seconds(?:\{[^}]*\})? (\S+)$/m;

/**
 * Returns when the server's process started, according to its metrics page; undefined when it has none or does not
 * report it.
 */
export async function startedAt(
  client: HttpClient,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    return startLine.exec(await client.text(metricsPath, { signal, inTurn: true }))?.[1];
  } catch (reason) {
    // 501 is the answer of llama.cpp's server without --metrics.
    if (reason instanceof EngineError && (reason.status === 404 || reason.status === 501)) return undefined;
    throw reason;
  }
}

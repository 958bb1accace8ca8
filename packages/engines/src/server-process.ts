import { EngineError } from "./error.js";
import type { HttpClient } from "./http-client.js";

const metricsPath = "/metrics";
/** What Prometheus's client libraries tell of the process, in seconds since 1970. */
const startLine = /^process_start_time_seconds(?:\{[^}]*\})? (\S+)$/m;

/** When the server's process began, by its metrics page; undefined where it has none, or does not tell. */
export async function startedAt(
  client: HttpClient,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    return startLine.exec(await client.text(metricsPath, { signal, inTurn: true }))?.[1];
  } catch (reason) {
    // 501: llama.cpp's server without --metrics.
    if (reason instanceof EngineError && (reason.status === 404 || reason.status === 501)) return undefined;
    throw reason;
  }
}

import { EngineError, type EngineErrorCode } from "./error.js";

/** Number of characters of an error's text that are worth showing. */
const excerptLength = 300;

export const contentTypeOf = (response: Response) =>
  (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** @throws {EngineError} BAD_REPLY when the bytes are not UTF-8 */
export async function readText(path: string, response: Response): Promise<string> {
  return decodeUtf8(path, new Uint8Array(await response.arrayBuffer()));
}

function decodeUtf8(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new EngineError("BAD_REPLY", `${path}: answered with bytes that are not UTF-8`);
  }
}

/** Translates a status that is not 2xx, with the server's own words. */
export async function failureOf(
  path: string,
  response: Response,
  scrub: (text: string) => string,
): Promise<EngineError> {
  const { status } = response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const said = scrub(messageOf(new TextDecoder().decode(bytes))).slice(0, excerptLength);
  return new EngineError(
    codeOf(status),
    `${path}: ${status} ${said || response.statusText}${fixFor(status)}`,
    {
      status,
      retryAfterMs: retryAfterMs(response.headers.get("retry-after"), Date.now()),
      retryable: isRetryable(status),
    },
  );
}

/** Reads an error inside a stream: { error: { message, code } }, as OpenAI-like servers send after the headers. */
export function failureInStream(path: string, event: unknown): EngineError | undefined {
  const error = (event as { error?: unknown } | null)?.error;
  if (error === undefined || error === null) return undefined;
  const { code } = error as { code?: unknown };
  const status = typeof code === "number" ? code : 500;
  const said = messageOf(JSON.stringify({ error })).slice(0, excerptLength);
  return new EngineError(codeOf(status), `${path}: ${said}`, { status, retryable: isRetryable(status) });
}

/** Parses a Retry-After header: seconds, or a date. */
function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

const isRetryable = (status: number) => status === 408 || status === 425 || status === 429 || status >= 500;

function codeOf(status: number): EngineErrorCode {
  if (status === 429 || status === 503) return "OVERLOADED";
  if (status === 408 || status === 504) return "TIMEOUT";
  return status >= 500 ? "SERVER_FAILED" : "REFUSED";
}

function fixFor(status: number): string {
  if (status === 401 || status === 403) return "; give the server's key as apiKey";
  if (status >= 300 && status < 400) return "; redirects are not followed, so give the server's own URL";
  if (status === 404) return "; check the URL, and that the server serves a model of this name";
  return "";
}

/** Returns the message of { error: { message } }, { message } or { detail }, or the text itself, on one line. */
function messageOf(text: string): string {
  const flat = text.replace(/\s+/g, " ").trim();
  try {
    const { error, message, detail } = JSON.parse(text) as Record<string, unknown>;
    const inner = (error as { message?: unknown } | null | undefined)?.message ?? error ?? message ?? detail;
    if (inner !== undefined) return typeof inner === "string" ? inner : JSON.stringify(inner);
  } catch {
    // It is not JSON, most often a proxy's page.
  }
  return flat;
}

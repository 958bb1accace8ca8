import type { Response } from "undici";
import { z } from "zod";
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
  keyName = "apiKey",
): Promise<EngineError> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  const said = scrub(messageOf(text));
  const status = response.status === 429 && unpaidCodes.test(text) ? 402 : response.status;
  return new EngineError(
    codeOf(status),
    `${path}: ${response.status} ${said.slice(0, excerptLength) || response.statusText}${fixFor(status, keyName)}`,
    {
      status: response.status,
      said,
      retryAfterMs: retryAfterMs(response.headers.get("retry-after"), Date.now()),
      retryable: isRetryable(status),
    },
  );
}

/** Texts in `code` or `type` of an error by which a server says that the same request may succeed later. */
const busyCodes = /rate.?limit|overload|too_many|capacity|busy|exhausted/i;
const failedCodes = /server|internal|timeout|unavailable|upstream|gateway|network/i;
/** These codes are sent with status 429, where repeating helps nobody. */
const unpaidCodes = /\b(insufficient_quota|billing_[a-z_]+|insufficient_balance)\b/i;

/** An error as OpenAI-like servers write it; a text, or an object with some of these fields. */
const errorSchema = z.union([
  z.string().transform((message) => ({ message, code: undefined, type: undefined })),
  z.looseObject({ code: z.unknown().optional(), type: z.unknown().optional() }),
]);

/**
 * Reads an error inside a reply of status 200, whole or one event of it: { error: { message, code } }, or a message
 * without a choice, as some servers send.
 * @param address the address that was asked
 */
export function failureInReply(address: string, value: unknown): EngineError | undefined {
  const reply = replySchema.safeParse(Array.isArray(value) ? value[0] : value).data;
  if (reply === undefined) return undefined;
  const isMessage =
    reply.choices === undefined &&
    [reply.msg, reply.message, reply.detail].some((said) => typeof said === "string");
  const given = isEmpty(reply.error) ? undefined : reply.error;
  const error = errorSchema.safeParse(given ?? (isMessage ? reply : undefined)).data;
  if (error === undefined) return undefined;
  const status = statusOf(error.code, error.type);
  const said = messageOf(JSON.stringify(given === undefined ? reply : { error: given }));
  return new EngineError(codeOf(status), `${address}: ${said.slice(0, excerptLength)}${fixFor(status)}`, {
    status,
    said,
    retryable: isRetryable(status),
  });
}

const isEmpty = (value: unknown) => !value || (typeof value === "object" && Object.keys(value).length === 0);

const replySchema = z.looseObject({
  error: z.unknown().optional(),
  choices: z.unknown().optional(),
  msg: z.unknown().optional(),
  message: z.unknown().optional(),
  detail: z.unknown().optional(),
});

/** Returns the HTTP status that an error without one stands for. */
function statusOf(code: unknown, type: unknown): number {
  const number = Number(code);
  if (Number.isInteger(number) && number >= 400 && number < 600) return number;
  const words = [code, type].filter((word) => typeof word === "string").join(" ");
  if (unpaidCodes.test(words)) return 402;
  if (busyCodes.test(words)) return 429;
  if (/auth|api_key|permission/i.test(words)) return 401;
  // A text such as context_length_exceeded or invalid_request_error, and a number of a provider's own, refuse the request.
  if (!failedCodes.test(words) && (words !== "" || (code !== undefined && code !== null))) return 400;
  return 500;
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

function fixFor(status: number, keyName = "apiKey"): string {
  if (status === 401 || status === 403) return `; give the server's key as ${keyName}`;
  if (status === 402) return "; pay for the account, or use another one";
  if (status === 407) return "; the proxy wants a name and a password: put them into HTTP_PROXY";
  if (status >= 300 && status < 400) return "; redirects are not followed, so give the server's own URL";
  if (status === 404) return "; check the URL, and that the server serves a model of this name";
  return "";
}

/**
 * Returns what a server says in an error, on one line: the message of { error: { message } }, { message }, { msg } or
 * { detail }, with the reason of the provider behind a router (`metadata.raw`); or the text itself.
 */
function messageOf(text: string): string {
  const flat = text.replace(/\s+/g, " ").trim();
  try {
    const parsed: unknown = JSON.parse(text);
    // Gemini sends its errors in a list.
    const { error, message, msg, detail } = bodySchema.parse(Array.isArray(parsed) ? parsed[0] : parsed);
    const inner = innerSchema.safeParse(error).data;
    const said = inner?.message ?? error ?? message ?? msg ?? detail;
    if (said === undefined || said === null) return flat;
    const raw = inner?.metadata?.raw;
    const behind = raw === undefined || raw === null ? "" : messageOf(textOf(raw));
    return `${textOf(said)}${behind === "" ? "" : `: ${behind}`}`.replace(/\s+/g, " ").trim();
  } catch {
    // It is not JSON, most often a proxy's page.
    return flat;
  }
}

const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
const bodySchema = z.looseObject({
  error: z.unknown().optional(),
  message: z.unknown().optional(),
  msg: z.unknown().optional(),
  detail: z.unknown().optional(),
});
const innerSchema = z.looseObject({
  message: z.unknown().optional(),
  metadata: z.looseObject({ raw: z.unknown().optional() }).nullish().catch(undefined),
});

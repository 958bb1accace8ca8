import type { Response } from "undici";
import { z } from "zod";
import { EngineError, type EngineErrorCode } from "./error.js";

/** Number of characters of an error's text that are worth showing. */
const excerptLength = 300;

export const contentTypeOf = (response: Response) =>
  (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** Maximum bytes of a reply, whole or streamed: a server that ignores max_tokens may never end it. */
const maxReplyBytes = 64 * 2 ** 20;

/** Yields the bytes of a reply. @throws {EngineError} BAD_REPLY for a reply that is too long */
export async function* bytesOf(
  path: string,
  response: Response,
  maxBytes = maxReplyBytes,
): AsyncGenerator<Uint8Array, void> {
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes)
      throw new EngineError(
        "BAD_REPLY",
        `${path}: answered with more than ${maxBytes} bytes; ask for less at once, or use a server that keeps to max_tokens`,
        { retryable: false },
      );
    yield chunk;
  }
}

async function readBytes(path: string, response: Response, maxBytes?: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytesOf(path, response, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** @throws {EngineError} BAD_REPLY when the bytes are not UTF-8, or too many */
export async function readText(path: string, response: Response, maxBytes?: number): Promise<string> {
  return decodeUtf8(path, await readBytes(path, response, maxBytes));
}

function decodeUtf8(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new EngineError(
      "BAD_REPLY",
      `${path}: answered with bytes that are not UTF-8, as where a reply is compressed and no content-encoding says so; let the server, or what stands before it, send UTF-8`,
    );
  }
}

/** What a status that is not 2xx means, and a hint that is appended to the server's words. */
export type Judge = (
  status: number,
  told: Told,
  keyName: string,
) => { readonly code: EngineErrorCode; readonly fix: string; readonly retryable: boolean };

/** Judges by the status alone, for servers that are no models. */
export const judgeStatus: Judge = (status) => ({
  code: codeOf(status),
  fix: status >= 300 && status < 400 ? fixFor(status) : "",
  retryable: isRetryable(status),
});

/** Translates a status that is not 2xx, with the server's own words. */
export async function failureOf(
  path: string,
  response: Response,
  scrub: (text: string) => string,
  keyName = "apiKey",
  judged: Judge = judge,
): Promise<EngineError> {
  const text = new TextDecoder().decode(await readBytes(path, response));
  const told = toldBy(parsed(text)) ?? { message: flat(withoutMarkup(text)), words: "" };
  const said = scrub(told.message);
  const { headers, status, statusText } = response;
  const { code, fix, retryable } = judged(status, { ...told, message: said }, keyName);
  const to = headers.get("location");
  const moved = status >= 300 && status < 400 && to !== null ? ` to ${scrub(to)}` : "";
  return new EngineError(
    code,
    `${path}: ${status} ${withoutStatus(said.slice(0, excerptLength), status) || statusText}${moved}${fix}`,
    {
      status,
      said,
      words: told.words,
      retryable,
      retryAfterMs: waitInHeaders(headers, Date.now()) ?? told.waitMs ?? waitInWords(said),
    },
  );
}

/** Proxies begin their pages with the status. */
const withoutStatus = (said: string, status: number) => said.replace(new RegExp(`^${status} `), "");

/**
 * Reads an error inside a reply of status 200, whole or one event of it: { error: { message, code } }, or a message
 * without a choice, as some servers send.
 * @param address the address that was asked
 */
export function failureInReply(address: string, value: unknown): EngineError | undefined {
  const reply = bodySchema.safeParse(Array.isArray(value) ? value[0] : value).data;
  if (reply === undefined) return undefined;
  const isMessage =
    (reply.choices ?? undefined) === undefined &&
    messagesOf(reply).some((said) => typeof said === "string" && !saysSuccess(said));
  if (partOf(reply) === undefined && !isMessage) return undefined;
  const told = toldBy(value);
  if (told === undefined) return undefined;
  const status = statusOf(told);
  const { code, fix, retryable } = judge(status, told);
  return new EngineError(code, `${address}: ${told.message.slice(0, excerptLength)}${fix}`, {
    status,
    said: told.message,
    retryable,
    retryAfterMs: told.waitMs ?? waitInWords(told.message),
  });
}

/** Returns the reply in a gateway's wrap, such as { code: 0, message: "success", data: { choices } }; else the value itself. */
export function unwrapped(value: unknown): unknown {
  const wrap = bodySchema.safeParse(value).data;
  if (wrap === undefined || isHeld(wrap.choices) || partOf(wrap) !== undefined) return value;
  return [wrap.data, wrap.result].find((inner) => isHeld(bodySchema.safeParse(inner).data?.choices)) ?? value;
}

/** What a server says about a failure. */
interface Told {
  /** On one line. */
  readonly message: string;
  /** Its words for programs: code, type and status. */
  readonly words: string;
  /** The first of them that is a number. */
  readonly number?: number | undefined;
  /** Whether it says why it withholds an answer, as routers do. */
  readonly isWithheld?: boolean;
  readonly waitMs?: number | undefined;
}

/** Texts in `code` or `type` of an error by which a server says that the same request may succeed later. */
const busyWords = /rate.?limit|overload|too.?many|capacity|busy|exhausted/i;
const failedWords = /server|internal|timeout|unavailable|upstream|gateway|network/i;
/** These are sent with status 429 and others, where repeating helps nobody. */
const unpaidWords =
  /insufficient.?(quota|balance|credits?|funds)|billing_[a-z_]+|exceeded_current_quota|arrearage|overdue|余额不足|欠费/i;
const withheldWords =
  /content.?(filter|policy)|moderation|data_inspection|sensitive|guardrail|responsible.?ai|prohibited_content/i;
const withheldMessage =
  /\b(was|were|been) flagged|inappropriate content|content (management )?policy|safety (system|filter|polic)|敏感内容|不安全/i;
const tooLongWords =
  /context.?(size|length|window)|maximum context|(prompt|input|request) (is )?too (long|large)|`inputs` (tokens|must)|reduce the length/i;
/** Words that other statuses have also for limits per minute, and for the server's own tokens. */
const tooLongRefused =
  /too many (input )?tokens|context limit|max(imum)? (input|prompt) |(input|prompt|sequence) (length|tokens?\b)|(input|prompt|messages?|\btokens|token count) exceed|\btokens? limit|超长|过长|长度超/i;
const keyWords = /api.?key/i;
const badKeyWords = /invalid|not valid|incorrect|missing|required|expired|not provided|revoked/i;
const wantsTls = /plain HTTP request was sent to HTTPS/i;

/** What to change where a text is withheld by a filter. */
export const changeIt = "change the text or the question, or use another model";
const tooLong =
  "; ask for fewer tokens at once, such as by a smaller chunkTokens, or let the server take more of them";

/** Returns what a failure means: a status says what kind it is, and words say more where servers use one status for all. */
function judge(
  given: number,
  { message, words, isWithheld }: Told,
  keyName = "apiKey",
): { code: EngineErrorCode; fix: string; retryable: boolean } {
  const refused = (fix: string) => ({ code: "REFUSED" as const, fix, retryable: false });
  const mayWithhold = [400, 403, 422, 451].includes(given);
  if (mayWithhold && (isWithheld || withheldWords.test(words) || withheldMessage.test(message)))
    return { code: "NO_ANSWER", fix: `; ${changeIt}`, retryable: false };
  if ([400, 403, 429].includes(given) && unpaidWords.test(`${words} ${message}`)) return refused(fixFor(402));
  const isTooLong = [400, 422, 429, 500].includes(given) && tooLongWords.test(`${words} ${message}`);
  if (given === 413 || isTooLong || ([400, 422].includes(given) && tooLongRefused.test(message)))
    return refused(tooLong);
  if (given === 400 && wantsTls.test(message)) return refused("; use https:// in the URL");
  if (given === 400 && keyWords.test(message) && badKeyWords.test(message))
    return refused(fixFor(401, keyName));
  return { code: codeOf(given), fix: fixFor(given, keyName), retryable: isRetryable(given) };
}

/** Returns the HTTP status that an error without one stands for. */
function statusOf({ words, message, number }: Told): number {
  if (number !== undefined && number >= 400 && number < 600) return number;
  if (unpaidWords.test(`${words} ${message}`)) return 402;
  if (busyWords.test(words)) return 429;
  if (/auth|api_key|permission/i.test(words)) return 401;
  // A text such as context_length_exceeded or invalid_request_error, and a number of a provider's own, refuse the request.
  if (!failedWords.test(words) && words !== "") return 400;
  return 500;
}

/** 409, 425, 498 and 499 are sent by servers that lock, are out of capacity, or cancel requests to save themselves. */
const isRetryable = (status: number) => [408, 409, 425, 429, 498, 499].includes(status) || status >= 500;

function codeOf(status: number): EngineErrorCode {
  if (status === 429 || status === 498 || status === 503) return "OVERLOADED";
  if (status === 408 || status === 504) return "TIMEOUT";
  return status >= 500 ? "SERVER_FAILED" : "REFUSED";
}

function fixFor(status: number, keyName = "apiKey"): string {
  if (status === 401) return `; give the server's key as ${keyName}`;
  if (status === 403) return `; give the server's key as ${keyName}, one that may use this model from here`;
  if (status === 402) return "; pay for the account, or use another one";
  if (status === 407) return "; the proxy wants a name and a password: put them into HTTP_PROXY";
  if (status >= 300 && status < 400) return "; redirects are not followed, so give the server's own URL";
  if (status === 404 || status === 405)
    return "; check the URL, and that the server serves a model of this name";
  return "";
}

/** Returns how long the headers ask to wait: milliseconds, seconds, or a date. */
function waitInHeaders(headers: Response["headers"], nowMs: number): number | undefined {
  const ms = headers.get("retry-after-ms")?.trim();
  if (ms && Number.isFinite(Number(ms))) return Math.max(0, Number(ms));
  const after = headers.get("retry-after")?.trim();
  if (!after) return undefined;
  const seconds = Number(after);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(after);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/** Returns how long a sentence such as "Please try again in 1m7.66s." asks to wait. */
function waitInWords(said: string): number | undefined {
  const asked = /\b(?:try again|retry) (?:in|after) ((?:[\d.]+ ?[a-z]+ ?)+)/i.exec(said)?.[1];
  return asked === undefined ? undefined : durationMs(asked);
}

/** Reads durations such as 39.5s, 1m7.66s, 20ms and 12 seconds. */
function durationMs(text: string): number | undefined {
  const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
  let sum: number | undefined;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?) ?(ms|millis|h|m|s)/gi)) {
    const short = unit === "millis" ? "ms" : (unit?.toLowerCase() ?? "");
    sum = (sum ?? 0) + Number(amount) * (units[short] ?? 0);
  }
  return sum === undefined ? undefined : Math.ceil(sum);
}

const unread = z.unknown().optional();
/** The fields in which servers say what went wrong, at the top of a body or within its `error`. */
const bodySchema = z.looseObject({
  choices: unread,
  data: unread,
  result: unread,
  error: unread,
  errors: unread,
  /** MiniMax says there also that all is well, by 0. */
  base_resp: z.looseObject({ status_code: unread, status_msg: unread }).optional().catch(undefined),
  message: unread,
  Message: unread,
  msg: unread,
  detail: unread,
  error_msg: unread,
  status_msg: unread,
  code: unread,
  error_code: unread,
  status_code: unread,
  type: unread,
  error_type: unread,
  status: unread,
  param: unread,
  metadata: z.looseObject({ raw: unread, reasons: unread }).nullish().catch(undefined),
  details: z
    .array(z.looseObject({ retryDelay: z.string().optional() }))
    .optional()
    .catch(undefined),
});
type Body = z.infer<typeof bodySchema>;

const isHeld = (value: unknown) =>
  Boolean(value) && (typeof value !== "object" || Object.keys(value ?? {}).length > 0);
const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);
/** FastAPI's list of refused fields, each of which repeats what was sent. */
const refusedSchema = z.array(
  z.looseObject({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string() }),
);
function fieldsText(detail: unknown): unknown {
  const refused = refusedSchema.safeParse(detail).data ?? [];
  const lines = refused.map(({ loc, msg }) => `${loc.filter((step) => step !== "body").join(".")}: ${msg}`);
  return lines.length === 0 ? detail : lines.join("; ");
}
const messagesOf = (body: Body) =>
  [body.message, body.msg, fieldsText(body.detail), body.error_msg, body.status_msg, body.Message].filter(
    isHeld,
  );

const saysSuccess = (said: string) => /^(success|succeeded|ok)?[.!]?$/i.test(said.trim());
/** Some servers say by an error that there is none: { code: 0, message: "" }. */
function isFailure(part: unknown): boolean {
  const { code, message } = bodySchema.safeParse(part).data ?? {};
  return isHeld(part) && !(Number(code ?? 1) === 0 && saysSuccess(String(message ?? "")));
}

/** Returns the part of a body that tells of a failure; `true` where the body itself does. */
function partOf({ error, errors, base_resp }: Body): unknown {
  const fails = base_resp?.status_code !== undefined && base_resp.status_code !== 0;
  return [error, errors, fails ? base_resp : undefined].filter(isHeld).map(firstOf).find(isFailure);
}

/**
 * Returns what a server says in an error, with the reason of the provider behind a router (`metadata.raw`) and the field
 * that is refused (`param`); undefined for what is no object.
 */
function toldBy(value: unknown): Told | undefined {
  // Gemini sends its errors in a list.
  const body = bodySchema.safeParse(firstOf(value)).data;
  if (body === undefined) return undefined;
  const part = partOf(body);
  const inner = bodySchema.safeParse(part).data ?? body;
  const message = typeof part === "string" ? part : (messagesOf(inner)[0] ?? inner.error ?? firstOf(value));
  const { code, error_code, status_code, type, error_type, status, param, metadata, details } = inner;
  const given = [code, error_code, status_code, type, error_type, status].filter(
    (word) => typeof word === "number" || (typeof word === "string" && !/^(none|null|error)?$/i.test(word)),
  );
  const numbers = given.map(Number).filter((number) => Number.isInteger(number));
  const said = flat(textOf(message));
  const raw = metadata?.raw;
  const behind = isHeld(raw) ? (toldBy(parsed(textOf(raw)))?.message ?? flat(textOf(raw))) : "";
  const field = typeof param === "string" && param !== "" && !said.includes(param) ? ` (${param})` : "";
  const delay = details?.find(({ retryDelay }) => retryDelay !== undefined)?.retryDelay;
  return {
    message: `${said}${behind === "" ? "" : `: ${behind}`}${field}`,
    words: given.join(" "),
    number: numbers[0],
    isWithheld: isHeld(metadata?.reasons),
    waitMs: delay === undefined ? undefined : durationMs(delay),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the title of a proxy's page, or what it says. */
function withoutMarkup(text: string): string {
  if (!/^\s*<[!a-z]/i.test(text)) return text;
  const title = /<title[^>]*>([^<]+)</i.exec(text)?.[1];
  return title ?? text.replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, " ");
}

const flat = (text: string) => text.replace(/\s+/g, " ").trim();
const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

import type { z } from "zod";
import { EngineError } from "../error.js";
import type { GenerateRequest } from "../generate.js";

/** What a server returned in one answer, or in one event of a stream. */
export interface Sampled {
  readonly tokenIds: readonly number[];
  /** NaN when the server has to be asked again. */
  readonly logprobs: readonly number[];
  /** Undefined while the reply continues. */
  readonly end?: "stop" | "length" | "abort" | undefined;
  /** The tokens are all since the first, and not only those since the last event. */
  readonly cumulative?: boolean;
  /** The server's name for the weights that sampled, if it reports one. */
  readonly weightVersion?: string | undefined;
  /** The name of the model or of the adapters that sampled, if the server reports it. */
  readonly servedAs?: string | undefined;
}

/** Posts another request to the same server. */
export type Post = (path: string, body: object) => Promise<unknown>;

/** Which log-probs a server reports: the model's own, or those after temperature and truncation; named as in vLLM. */
export type LogprobsMode = "raw_logprobs" | "processed_logprobs";

interface BodyOptions {
  readonly model: string | undefined;
  /** Name of the adapters to sample with; absent: the model's own weights. */
  readonly adapter?: string | undefined;
  readonly stream: boolean;
  /** The log-probs to request, when the server can return either. */
  readonly logprobs: LogprobsMode;
  /** How many of the likeliest tokens to report at each position as well. Default: none. */
  readonly likeliest?: number;
}

/** How one kind of server takes and returns tokens. */
export interface TokenProtocol {
  readonly path: string;
  /** False when its streams do not report every token, so that answers are requested and passed on whole. */
  readonly streams?: false;
  /** False when its processed log-probs are those before truncation. */
  readonly truncatesLogprobs?: false;
  body(request: GenerateRequest, options: BodyOptions): object;
  /**
   * Reads an answer or an event; undefined for an event without tokens.
   * @throws {EngineError} BAD_REPLY, NOT_TRAINABLE
   */
  read(value: unknown): Sampled | undefined;
  /**
   * Returns the log-probs of the likeliest first tokens of a whole answer, by token; empty when it reports none.
   * @throws {EngineError} BAD_REPLY
   */
  likeliest(value: unknown): ReadonlyMap<string, number>;
  /** Returns the log-probs with those filled in that are NaN in the answer, requested one by one. */
  missingLogprobs?(
    request: GenerateRequest,
    sampled: Sampled,
    asked: { readonly logprobs: LogprobsMode; readonly post: Post },
  ): Promise<readonly number[]>;
}

/** @throws {EngineError} BAD_REPLY naming the field */
export function parseReply<T extends z.ZodType>(path: string, schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new EngineError(
    "BAD_REPLY",
    `${path}: the response's ${issue?.path.join(".") || "body"} is not what this kind of server returns (${issue?.message ?? ""}); check that \`kind\` names the server that runs there`,
    { retryable: false },
  );
}

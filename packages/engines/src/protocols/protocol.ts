import type { z } from "zod";
import { EngineError } from "../error.js";
import type { GenerateRequest } from "../generate.js";

/** What a server said in one answer, or in one event of a stream. */
export interface Sampled {
  readonly tokenIds: readonly number[];
  /** NaN where the server has to be asked again. */
  readonly logprobs: readonly number[];
  /** Undefined while it goes on. */
  readonly end?: "stop" | "length" | "abort" | undefined;
  /** The tokens are all from the first on, not those since the last event. */
  readonly cumulative?: boolean;
  /** What the server calls the weights that sampled, where it says so. */
  readonly weightVersion?: string | undefined;
}

/** Asks the same server for something more. */
export type Post = (path: string, body: object) => Promise<unknown>;

/** Whose log-probs a server tells: the model's own, or those after temperature and truncation; named as vLLM does. */
export type LogprobsMode = "raw_logprobs" | "processed_logprobs";

export interface BodyOptions {
  readonly model: string | undefined;
  readonly stream: boolean;
  /** The log-probs to ask for, where the server gives either. */
  readonly logprobs: LogprobsMode;
  /** How many of the likeliest tokens to tell at each place besides; default none. */
  readonly likeliest?: number;
}

/** How one kind of server takes and gives tokens. */
export interface TokenProtocol {
  readonly path: string;
  /** False: its streams do not say every token, so answers are asked for whole and handed on whole. */
  readonly streams?: false;
  /** False: its processed log-probs are those before truncation. */
  readonly truncatesLogprobs?: false;
  body(request: GenerateRequest, options: BodyOptions): object;
  /**
   * Reads an answer or an event; undefined for an event that says nothing about tokens.
   * @throws {EngineError} BAD_REPLY, NOT_TRAINABLE
   */
  read(value: unknown): Sampled | undefined;
  /**
   * Log-probs of the likeliest first tokens of a whole answer, by token; empty where it tells none.
   * @throws {EngineError} BAD_REPLY
   */
  likeliest(value: unknown): ReadonlyMap<string, number>;
  /** The log-probs with those filled in that are NaN in the answer, asked for one by one. */
  missingLogprobs?(
    request: GenerateRequest,
    sampled: Sampled,
    asked: { readonly logprobs: LogprobsMode; readonly post: Post },
  ): Promise<readonly number[]>;
}

/** @throws {EngineError} BAD_REPLY, naming the field */
export function parseReply<T extends z.ZodType>(path: string, schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new EngineError(
    "BAD_REPLY",
    `${path}: the answer's ${issue?.path.join(".") || "body"} is not as this kind of server says: ${issue?.message ?? ""}; is \`kind\` right?`,
  );
}

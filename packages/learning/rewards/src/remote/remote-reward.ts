/**
 * Responsibility: asks the user's reward service over HTTP for the score of an episode.
 * Not responsible for: what a reward means, and whether a failed one is retried in another group.
 * - REMOTE-1. A score is what the service answered, after validation; anything else is an error, and never a number.
 * - REMOTE-2. Every request ends within timeoutMs, including its waiting and all its attempts, or when its caller aborts.
 * - REMOTE-3. Lost connections, slow and malformed answers, and the statuses 408, 425, 429 and 5xx are retried; other
 *   statuses are refusals.
 * - REMOTE-4. At most maxConcurrency requests run and maxQueue wait.
 * - REMOTE-5. The token is sent in the request's header and appears nowhere else.
 */

import { backoffMs, delay, Semaphore, withDeadline } from "@palimpsest/std";
import type { Score } from "@palimpsest/trajectories";
import { z } from "zod";
import type { RewardDependencies } from "../dependencies.js";
import { RewardError } from "../error.js";
import type { TrajectoryReward } from "../reward-kind.js";
import { readToken } from "./bearer-token.js";
import { readRemoteReply, remoteRequest } from "./protocol.js";

export const remoteRewardSchema = z.strictObject({
  name: z.literal("remote").describe("the score that an HTTP service of your own returns for an episode"),
  url: z
    .url({ protocol: /^https?$/ })
    .refine((url) => new URL(url).username === "" && new URL(url).password === "", {
      message: "contains a user name or password; give a token with tokenEnv or tokenFile instead",
    })
    .describe("URL to which requests are posted, such as http://127.0.0.1:9000/score"),
  tokenEnv: z
    .string()
    .min(1)
    .optional()
    .describe("environment variable with a bearer token, which is never logged"),
  tokenFile: z.string().min(1).optional().describe("file with a bearer token, instead of tokenEnv"),
  sendTokens: z
    .boolean()
    .default(false)
    .describe("whether the request includes the token ids of all conversations"),
  timeoutMs: z
    .int()
    .min(1)
    .default(120_000)
    .describe("deadline of one score in milliseconds, including waiting and all attempts"),
  attemptTimeoutMs: z
    .int()
    .min(1)
    .default(30_000)
    .describe("deadline of one attempt in milliseconds, including the answer"),
  maxAttempts: z.int().min(1).default(5).describe("attempts of one score, including the first"),
  backoffMs: z
    .int()
    .min(1)
    .default(250)
    .describe("longest wait before the second attempt in milliseconds; doubles from there"),
  maxBackoffMs: z.int().min(1).default(10_000).describe("longest wait between two attempts in milliseconds"),
  maxConcurrency: z.int().min(1).default(32).describe("maximum number of concurrent requests"),
  maxQueue: z.int().min(0).default(4096).describe("maximum number of waiting requests"),
});
export type RemoteRewardConfig = z.output<typeof remoteRewardSchema>;

const longestReplyBytes = 1 << 20;

/** @throws {RewardError} from the reward: UNREACHABLE, REFUSED, BAD_REPLY, BAD_CONFIG; the signal's reason */
export function remoteReward(
  config: RemoteRewardConfig,
  dependencies: RewardDependencies,
  random: () => number = Math.random,
): TrajectoryReward {
  const full = (waiting: number) =>
    new RewardError(
      "UNREACHABLE",
      `remote reward: ${waiting} requests are already waiting; score fewer at once or raise maxQueue`,
    );
  const places = new Semaphore({ most: config.maxConcurrency, maxWaiting: config.maxQueue, full });
  return async (task, episode, options) => {
    const body = remoteRequest(task, episode, config.sendTokens);
    const request = { body, conversations: episode.conversations.length, random };
    const { timeoutMs } = config;
    try {
      return await withDeadline({ timeoutMs, signals: [options?.signal] }, (signal) =>
        places.run(
          async () => {
            const token = await readToken(config, dependencies.environment ?? {});
            return await askUntilAnswered(config, { ...request, signal, token });
          },
          { signal },
        ),
      );
    } catch (reason) {
      options?.signal?.throwIfAborted();
      if (reason instanceof RewardError) throw reason;
      throw new RewardError(
        "UNREACHABLE",
        `${config.url}: no score within timeoutMs ${config.timeoutMs}`,
        reason,
      );
    }
  };
}

interface Ask {
  readonly body: string;
  readonly conversations: number;
  readonly token: string | undefined;
  readonly signal: AbortSignal;
  readonly random: () => number;
}

async function askUntilAnswered(config: RemoteRewardConfig, ask: Ask): Promise<Score> {
  for (let attempt = 1; ; attempt++) {
    const answer = await askOnce(config, ask);
    if (!("failure" in answer)) return answer;
    const { failure, again } = answer;
    if (!again) throw failure;
    if (attempt === config.maxAttempts) {
      throw new RewardError(failure.code, `${plainMessage(failure)} (${attempt} attempts)`, failure.cause);
    }
    const { backoffMs: firstMs, maxBackoffMs: longestMs } = config;
    await delay(ask.random() * backoffMs({ firstMs, longestMs }, attempt), ask.signal);
    ask.signal.throwIfAborted();
  }
}

const plainMessage = ({ code, message }: RewardError) => message.replace(`[${code}] `, "");

type Answer = Score | { readonly failure: RewardError; readonly again: boolean };

async function askOnce({ url, attemptTimeoutMs }: RemoteRewardConfig, ask: Ask): Promise<Answer> {
  const fail = (code: RewardError["code"], what: string, again: boolean, cause?: unknown): Answer => ({
    failure: new RewardError(code, `${url}: ${what}`, cause),
    again,
  });
  let isLate = false;
  const late = () => {
    isLate = true;
    return new Error("the attempt is late");
  };
  let status: number;
  let text: string | null;
  try {
    [status, text] = await withDeadline(
      { timeoutMs: attemptTimeoutMs, signals: [ask.signal], late },
      async (signal) => {
        const response = await fetch(url, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json",
            ...(ask.token === undefined ? {} : { authorization: `Bearer ${ask.token}` }),
          },
          body: ask.body,
          // A redirect is not followed, because the token is for the named service only.
          redirect: "manual",
          signal,
        });
        return [response.status, await readBounded(response)] as const;
      },
    );
  } catch (reason) {
    ask.signal.throwIfAborted();
    const what = isLate ? `no answer within ${attemptTimeoutMs} ms` : `the connection failed`;
    return fail("UNREACHABLE", `${what}${causeOf(reason)}`, true, reason);
  }
  if (status >= 500 || [408, 425, 429].includes(status)) return fail("UNREACHABLE", `status ${status}`, true);
  if (status < 200 || status > 299)
    return fail("REFUSED", `status ${status}: the service refused the request`, false);
  if (text === null) return fail("BAD_REPLY", `the response is longer than ${longestReplyBytes} bytes`, true);
  const score = readRemoteReply(text, ask.conversations);
  return "problem" in score ? fail("BAD_REPLY", score.problem, true) : score;
}

/** Reads the body as text; null when it is too long. */
async function readBounded(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length;
    if (sizeBytes > longestReplyBytes) return null;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function causeOf(reason: unknown): string {
  const cause = reason instanceof Error ? reason.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" ? ` (${code})` : "";
}

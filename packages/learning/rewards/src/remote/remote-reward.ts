/**
 * Responsibility: asks the user's reward service over HTTP for the score of an episode.
 * Not responsible for: what a reward means, and whether a failed one is retried in another group.
 * - REMOTE-1. A score is what the service answered, after validation; anything else is an error, and never a number.
 * - REMOTE-2. Every request ends within timeoutMs, including its waiting and all its attempts, or when its caller aborts.
 * - REMOTE-3. Lost connections, slow and malformed answers, and the statuses 408, 409, 425, 429 and 5xx are retried; other
 *   statuses are refusals (HTTPCLIENT-1).
 * - REMOTE-4. At most maxConcurrency requests run and maxQueue wait.
 * - REMOTE-5. The token is sent in the request's header and appears nowhere else.
 */

import type { EngineConfigInput, HttpClient, PlainServer } from "@palimpsest/engines";
import { CodedError, Semaphore, withDeadline } from "@palimpsest/std";
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

/** @throws {RewardError} from the reward: UNREACHABLE, REFUSED, BAD_REPLY, BAD_CONFIG; the signal's reason */
export function remoteReward(config: RemoteRewardConfig, dependencies: RewardDependencies): TrajectoryReward {
  const full = (waiting: number) =>
    new RewardError(
      "UNREACHABLE",
      `remote reward: ${waiting} requests are already waiting; score fewer at once or raise maxQueue`,
    );
  const { timeoutMs, maxConcurrency, maxQueue } = config;
  const places = new Semaphore({ most: maxConcurrency, maxWaiting: maxQueue, full });
  const { origin, pathname } = new URL(config.url);
  // A client removes its token from errors, so each token has a client of its own.
  let latest: { readonly token: string | undefined; readonly client: HttpClient } | undefined;
  return async (task, episode, options) => {
    const body = remoteRequest(task, episode, config.sendTokens);
    const ask = async (signal: AbortSignal) => {
      const token = await readToken(config, dependencies.environment ?? {});
      // The client is loaded with the first episode, because most rewards ask nobody.
      const { EngineError, engineConfigSchema, HttpClient } = await import("@palimpsest/engines");
      if (latest === undefined || latest.token !== token) {
        const client = new HttpClient(engineConfigSchema.parse(settingsOf(config, token)), server);
        latest = { token, client };
      }
      const { client } = latest;
      return await client.ask(pathname, body, { signal, inTurn: true }, (answer) => {
        const score = readRemoteReply(answer, episode.conversations.length);
        if ("problem" in score)
          throw new EngineError("BAD_REPLY", `${client.shown(pathname)}: ${score.problem}`);
        return score;
      });
    };
    try {
      return await withDeadline({ timeoutMs, signals: [options?.signal] }, (signal) =>
        places.run(() => ask(signal), { signal }),
      );
    } catch (reason) {
      options?.signal?.throwIfAborted();
      if (reason instanceof RewardError) throw reason;
      if (!(reason instanceof CodedError))
        throw new RewardError(
          "UNREACHABLE",
          `${origin}${pathname}: no score within timeoutMs ${timeoutMs}`,
          reason,
        );
      const code = reason.code === "REFUSED" || reason.code === "BAD_REPLY" ? reason.code : "UNREACHABLE";
      throw new RewardError(code, reason.rawMessage, reason);
    }
  };
}

const server: PlainServer = { usesProxies: false, maxReplyBytes: 1 << 20 };

function settingsOf(config: RemoteRewardConfig, token: string | undefined): EngineConfigInput {
  const { url, timeoutMs, attemptTimeoutMs, maxAttempts, backoffMs, maxBackoffMs } = config;
  return {
    url,
    timeoutMs,
    attemptTimeoutMs,
    maxAttempts,
    backoffMs,
    maxBackoffMs,
    malformedAttempts: maxAttempts,
    headers: { accept: "application/json" },
    sessionHeaders: [],
    ...(token === undefined ? {} : { apiKey: token }),
  };
}

import { setImmediate } from "node:timers/promises";
import { ChatEndpoint } from "@palimpsest/engines";
import type { FrozenReader as LocalReader } from "@palimpsest/model";
import {
  type FrozenReader,
  type ModelEndpoint,
  type RewardConfig,
  type RewardKind,
  readToken,
  rewardEmbedder,
  type TrajectoryRewardDependencies,
} from "@palimpsest/rewards";
import { openEmbedder } from "./open-embedder.js";

/** The dependencies of rewards, and the function that frees them. */
export interface OpenedDependencies extends TrajectoryRewardDependencies {
  /** Ends every connection and frees every model that was opened. A second close does nothing. */
  close(): Promise<void>;
}

/**
 * Opens what a reward needs: its embedder at once, and models when they are first asked. Models are servers of OpenAI's
 * protocol, or models in folders, which read without being trained.
 * @param environment environment variables in which keys are looked up by name
 * @param module exports of the module of a user's own reward
 * @throws {RewardError | EngineError | ModelError} if the embedder cannot be opened
 */
export async function rewardDependencies(
  config: RewardConfig,
  environment: Readonly<Record<string, string | undefined>>,
  module?: RewardKind,
): Promise<OpenedDependencies> {
  const wanted = rewardEmbedder(config, module);
  const { embedder, close: closeEmbedder } = await openEmbedder(wanted, { environment });
  const endpoints: Promise<ChatEndpoint>[] = [];
  const readers = new Map<string, Promise<LocalReader>>();
  return {
    environment,
    ...(module ? { module } : {}),
    ...(embedder ? { embedder } : {}),
    openTextModel(endpoint) {
      let opened: Promise<ChatEndpoint> | undefined;
      return {
        async generateText(request) {
          if (opened === undefined) {
            opened = openEndpoint(endpoint, environment);
            endpoints.push(opened);
          }
          return await (await opened).generateText(request);
        },
      };
    },
    openReader(reader) {
      return {
        async logLikelihood(request) {
          const opened = readers.get(reader.path) ?? openReader(reader);
          readers.set(reader.path, opened);
          const local = await opened;
          // Reading occupies this process for a while, so other work that waits for it gets a turn first.
          await setImmediate();
          return await local.logLikelihood(request);
        },
      };
    },
    async close() {
      const opened = await Promise.allSettled([...endpoints.splice(0), ...readers.values()]);
      readers.clear();
      await closeEmbedder();
      for (const each of opened) {
        if (each.status === "rejected") continue;
        if (each.value instanceof ChatEndpoint) await each.value.close();
        else each.value.dispose();
      }
    },
  };
}

async function openEndpoint(
  { url, model, tokenEnv, tokenFile, maxConcurrency, timeoutMs }: ModelEndpoint,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ChatEndpoint> {
  const apiKey = await readToken({ tokenEnv, tokenFile }, environment);
  return new ChatEndpoint({
    url,
    maxConcurrency,
    timeoutMs,
    ...(model === undefined ? {} : { model }),
    ...(apiKey === undefined ? {} : { apiKey }),
  });
}

async function openReader({ path }: FrozenReader): Promise<LocalReader> {
  // Only the few rewards that read with a model of their own load tensors; the processes of the others start without
  // them.
  const [jit, model] = await Promise.all([import("@palimpsest/jit"), import("@palimpsest/model")]);
  return new model.FrozenReader(await model.loadModel(path), { backend: await jit.loadBackend() });
}

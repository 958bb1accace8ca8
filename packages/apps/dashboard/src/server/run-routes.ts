/** Routes about folders of runs. */
import { PalimpsestError } from "@palimpsest/wire";
import { episodeQuerySchema, episodesQuerySchema, metricsQuerySchema } from "../api/runs.js";
import type { RunData } from "../runs/run-data.js";
import { type Exchange, sendBytes } from "./exchange.js";
import type { Route } from "./routes.js";

export function runRoutes(runs: RunData): readonly Route[] {
  const get = (path: string, answer: (exchange: Exchange) => Promise<void>): Route => ({
    method: "GET",
    path,
    answer,
  });
  return [
    get("/runs", async (exchange) => await exchange.json(await runs.runs())),
    get("/runs/*/metrics", async (exchange) => {
      const { from, generation } = exchange.query(metricsQuerySchema);
      await exchange.json(await runs.metrics(exchange.id, from, generation));
    }),
    get("/runs/*/episodes", async (exchange) => {
      const { from, limit } = exchange.query(episodesQuerySchema);
      await exchange.json(await runs.episodes(exchange.id, from, limit));
    }),
    get("/runs/*/episodes/*", async (exchange) => {
      const at = Number(exchange.parts[1]);
      if (!Number.isSafeInteger(at) || at < 0)
        throw new PalimpsestError(
          "INVALID_ARGUMENT",
          `the episode is ${exchange.parts[1]}: give its index, counted from 0`,
        );
      const { generation } = exchange.query(episodeQuerySchema);
      await sendBytes(exchange.request, exchange.response, await runs.episode(exchange.id, at, generation));
    }),
  ];
}

/** Feeds damaged bytes to decoders and looks for crashes, hangs and growth. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createRandom } from "@palimpsest/trajectories/random";
import type { Decoder } from "./decoders.js";
import { mutate } from "./mutate.js";

/** The longest processor time in which one message must be refused: a load beside it takes any time of the clock. */
const hangMs = 1_000;

interface Finding {
  readonly decoder: string;
  readonly problem: string;
  readonly seed: number;
  readonly iteration: number;
  readonly base64: string;
}

export interface CampaignResult {
  readonly messages: number;
  readonly accepted: number;
  readonly findings: readonly Finding[];
  readonly slowestMs: number;
  /** Heap in use after a collection, after a quarter of the messages and at the end. */
  readonly heapBytes: { readonly early: number; readonly late: number };
}

export function runCampaign(decoders: readonly Decoder[], messages: number, seed: number): CampaignResult {
  const random = createRandom(seed).float;
  const findings: Finding[] = [];
  let accepted = 0;
  let slowestMs = 0;
  let early = 0;
  for (let iteration = 0; iteration < messages; iteration++) {
    const decoder = decoders[iteration % decoders.length] as Decoder;
    const bytes = mutate(decoder.seeds, random);
    const startedAt = process.cpuUsage();
    let problem = "";
    try {
      decoder.decode(bytes);
      accepted++;
    } catch (reason) {
      if (!decoder.isRefusal(reason))
        problem = `threw ${reason instanceof Error ? reason.stack : String(reason)}`;
    }
    const { user, system } = process.cpuUsage(startedAt);
    const tookMs = (user + system) / 1_000;
    slowestMs = Math.max(slowestMs, tookMs);
    if (tookMs > hangMs) problem = `took ${Math.round(tookMs)} ms`;
    if (problem !== "") {
      findings.push({
        decoder: decoder.name,
        problem,
        seed,
        iteration,
        base64: Buffer.from(bytes).toString("base64"),
      });
      if (findings.length >= 20) break;
    }
    if (iteration === Math.floor(messages / 4)) early = heapAfterCollection();
  }
  return { messages, accepted, findings, slowestMs, heapBytes: { early, late: heapAfterCollection() } };
}

function heapAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

import { fileURLToPath } from "node:url";
import type { Cluster } from "@palimpsest/client";
import { TestCluster } from "../../test/support/test-cluster.js";
import { Contender, median } from "../contender.js";
import { rateIn } from "./window.js";

export interface RayCase {
  readonly name: string;
  /**
   * Runs the case once.
   * @returns how many operations, or how many bytes
   */
  readonly once: (cluster: Cluster) => Promise<number>;
}

/** Median rates per second; without Ray if the Python of PALIMPSEST_RAY_PYTHON (default python3) has none. */
export interface RayRates {
  readonly palimpsest: number;
  readonly ray: number | undefined;
}

/**
 * Runs each case in a cluster of one node and in Ray, in turns.
 * @param program the file beside this one that runs the cases of the same names in Ray
 */
export async function besideRay(
  program: string,
  cases: readonly RayCase[],
  { windowMs, secondsPerCase }: { readonly windowMs: number; readonly secondsPerCase: number },
): Promise<RayRates[]> {
  const cluster = await TestCluster.start({ workers: 1 });
  const python = process.env["PALIMPSEST_RAY_PYTHON"] ?? "python3";
  const ray = new Contender("ray", python, [fileURLToPath(new URL(program, import.meta.url))]);
  const rates: RayRates[] = [];
  try {
    let hasRay = (await ray.ask({ name: "ready" })) !== undefined;
    for (const { name, once } of cases) {
      const act = () => once(cluster.client);
      await rateIn(windowMs, act);
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let done = 0; done < (secondsPerCase * 1_000) / windowMs; done++) {
        ours.push(await rateIn(windowMs, act));
        const answer = hasRay
          ? ((await ray.ask({ name, windowMs })) as { rate: number | null } | undefined)
          : undefined;
        hasRay &&= answer !== undefined;
        if (answer?.rate != null) theirs.push(answer.rate);
      }
      rates.push({ palimpsest: median(ours), ray: theirs.length > 0 ? median(theirs) : undefined });
    }
  } finally {
    await ray.close();
    await cluster.stop();
  }
  return rates;
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cluster } from "@palimpsest/client";
import * as work from "./work.js";

const source = { from: new URL("./work.ts", import.meta.url) };

export async function tasks(cluster: Cluster) {
  const square = cluster.task(work.square, source);
  const one = await square(7);
  const squares = await Promise.all([1, 2, 3].map((value) => square(value)));

  const light = square.options({ resources: { cpu: 0.5 }, maxRetries: 0 });
  const lightly = await light(4);

  const items: number[] = [];
  for await (const item of cluster.task(work.countTo, source)(3)) items.push(item);

  const nested = await cluster.task(work.fibonacci, source)(4);

  const folder = mkdtempSync(join(tmpdir(), "flaky-"));
  const flaky = cluster.task(work.flaky, source, { maxRetries: 3, retryExceptions: true });
  const tries = await flaky(join(folder, "tries"));
  rmSync(folder, { recursive: true });

  const endless = cluster.task(work.computeForever, source)();
  const quick = square(9);
  const { ready, pending } = await cluster.wait([endless, quick], { count: 1 });
  const waited = [ready.length, pending.length, await ready[0]];

  endless.cancel({ force: true });
  const cancelled = await endless.then(
    () => false,
    () => true,
  );
  return { one, squares, lightly, items, nested, tries, waited, cancelled };
}

import type { Cluster } from "@palimpsest/client";

export async function values(cluster: Cluster) {
  const ref = await cluster.put({ name: "x", sizes: [1, 2] });
  const value = await cluster.get(ref);

  const refs = await Promise.all([10, 20, 30].map((number) => cluster.put(number)));
  const numbers = await cluster.get(refs);
  const { ready, pending } = await cluster.wait(refs, { count: 2, timeoutMs: 10_000 });

  const large = await cluster.put(new Float64Array(1_000_000).fill(0.5));
  const sum = (await large.get()).reduce((total, item) => total + item, 0);

  large.release();
  await cluster.free(ref);
  return { value, numbers, waited: [ready.length, pending.length], sum };
}

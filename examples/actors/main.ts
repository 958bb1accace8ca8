// Shows actors from the caller's side. It needs a head and a worker:
//   npx palimpsest head start
//   npx palimpsest worker join --labels zone=a --resources license=2
//   npx tsx examples/actors/main.ts
import { connect } from "@palimpsest/client";
import { PalimpsestError } from "@palimpsest/wire";
import * as work from "./counter.js";

const print = (text: string) => process.stdout.write(`${text}\n`);

async function codeOf(call: () => Promise<unknown>): Promise<PalimpsestError> {
  try {
    await call();
  } catch (reason) {
    return PalimpsestError.from(reason);
  }
  throw new Error("the call should have failed");
}

const cluster = await connect({ name: "counters" });
try {
  const counters = cluster.actor(work.counters, {
    resources: { cpu: 0.1, license: 1 },
    labels: { zone: "a" },
    maxRestarts: 1,
  });

  const pages = await counters.spawn("pages");
  await pages.ready();
  print(`calls: ${(await Promise.all([pages.add(1), pages.add(2), pages.add(3)])).join(", ")}`);
  const first = await pages.where();
  print(
    `process: ${first.pid !== process.pid ? "another than mine" : "mine"}, incarnation ${first.incarnation}`,
  );
  print(`typed arrays: ${await pages.histogram(Float32Array.of(0.1, 0.15, 0.9), 2)}`);

  let sum = 0;
  for await (const square of pages.squares(100)) sum += square;
  print(`stream: ${sum}`);

  const failed = await codeOf(() => pages.divide(0));
  const cause = failed.cause;
  print(
    `error: ${failed.code} because of ${cause instanceof Error ? `${cause.name}: ${cause.message}` : "nothing"}`,
  );

  const late = await codeOf(() => pages.with({ timeoutMs: 200 }).until(new AbortController().signal));
  print(`deadline: ${late.code}`);

  const other = await counters.spawn("words");
  await other.ready();
  const third = await counters.spawn("too many");
  const pending = await codeOf(() => third.ready({ timeoutMs: 500 }));
  print(`no room: ${pending.rawMessage}`);
  await third.kill();

  print(`crash: ${(await codeOf(() => pages.crash())).code}`);
  await pages.ready();
  print(`restarted: incarnation ${(await pages.where()).incarnation}, counts from ${await pages.add(0)}`);
  const dead = await codeOf(() => pages.crash());
  const certificate = (await pages.info()).certificate;
  print(
    `crash again: ${dead.code}; exit code ${certificate?.exitCode}, last words: ${certificate?.lastStderrLines.at(-1)}`,
  );

  const ref = await cluster.objects.put(new TextEncoder().encode("bytes named by their SHA-256"));
  print(`object: ${ref.objectId.slice(0, 12)}… ${new TextDecoder().decode(await cluster.objects.get(ref))}`);
} finally {
  await cluster.close();
}

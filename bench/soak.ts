/**
 * Soak test: a head and two nodes run under half of the load that they can carry, for half an hour, while their memory
 * and open files are sampled. The load is that of a busy cluster: calls in flight, actors that come and go, objects
 * that are stored, fetched and freed, drivers that connect and leave, and a `status` now and then.
 *
 * The full load is measured first, with each kind of work in a closed loop. Then each is paced at half of its rate, or
 * at another part of it.
 * After a warm-up a line is fitted to the resident set of each process; its slope is the reported figure.
 *
 * Usage, on built code: npx tsx --conditions=@palimpsest/source bench/soak.ts [--minutes 30] [--part 0.5] [--json FILE]
 */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "@palimpsest/client";
import { TestCluster } from "../test/support/test-cluster.js";
import { WordCounter } from "../test/support/word-counter.js";
import { benchFlags } from "./flags.js";
import { writeResult } from "./result-file.js";

const flags = benchFlags({ minutes: "30", part: "0.5", json: undefined });
const source = { from: new URL("../test/support/word-counter.ts", import.meta.url) };
const sampleMs = 5_000;
const calibrationMs = 8_000;
const callsAtOnce = 50;
const objectBytes = 1024 * 1024;

interface Sample {
  readonly atMinutes: number;
  readonly rssMiB: number;
  readonly openFiles: number;
}

interface Work {
  readonly name: string;
  /** Does one unit of the work. */
  readonly step: () => Promise<unknown>;
  ratePerSecond: number;
  done: number;
}

function residentMiB(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) / 1024;
}

function sample(pid: number, beganAt: number): Sample {
  return {
    atMinutes: (performance.now() - beganAt) / 60_000,
    rssMiB: residentMiB(pid),
    openFiles: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** Fits a line by least squares and returns the change of y per minute. */
function slope(samples: readonly Sample[], y: (sample: Sample) => number): number {
  const meanX = samples.reduce((sum, { atMinutes }) => sum + atMinutes, 0) / samples.length;
  const meanY = samples.reduce((sum, one) => sum + y(one), 0) / samples.length;
  const over = samples.reduce((sum, one) => sum + (one.atMinutes - meanX) * (y(one) - meanY), 0);
  const under = samples.reduce((sum, one) => sum + (one.atMinutes - meanX) ** 2, 0);
  return over / under;
}

/** The lowest value in each fifth of the time, which is what remains after a garbage collection. */
function lowestByFifths(samples: readonly Sample[]): number[] {
  const size = Math.ceil(samples.length / 5);
  return [0, 1, 2, 3, 4].map((fifth) =>
    Math.round(Math.min(...samples.slice(fifth * size, (fifth + 1) * size).map(({ rssMiB }) => rssMiB))),
  );
}

const cluster = await TestCluster.start({ workers: 2 });
try {
  const client = cluster.client;
  const counter = await client.actor(WordCounter, source, { maxConcurrency: 1000 }).spawn(0);
  const bytes = new Uint8Array(objectBytes);
  let serial = 0;
  const works: Work[] = [
    {
      name: `${callsAtOnce} calls at once`,
      step: () => Promise.all(Array.from({ length: callsAtOnce }, () => counter.count("red"))),
      ratePerSecond: 0,
      done: 0,
    },
    {
      name: "actor spawned, called, killed",
      step: async () => {
        const actor = await client.actor(WordCounter, source).spawn(serial++);
        await actor.count("red");
        await actor.kill();
      },
      ratePerSecond: 0,
      done: 0,
    },
    {
      name: "1 MiB object put, fetched, freed",
      step: async () => {
        new DataView(bytes.buffer).setUint32(0, serial++);
        const ref = await client.objects.put(bytes);
        await client.objects.get(ref);
        await client.objects.free([ref]);
      },
      ratePerSecond: 0,
      done: 0,
    },
    {
      name: "driver connected and left",
      step: async () => {
        const driver = await connect({ address: cluster.address, token: cluster.token, name: "soak" });
        await driver.close();
      },
      ratePerSecond: 0,
      done: 0,
    },
    { name: "status", step: () => Promise.all([client.actors(), client.nodes()]), ratePerSecond: 0, done: 0 },
  ];
  // All kinds of work run at once in closed loops, to find the load that this machine carries.
  const untilMs = performance.now() + calibrationMs;
  await Promise.all(
    works.map(async (work) => {
      const startedAt = performance.now();
      while (performance.now() < untilMs) {
        await work.step();
        work.done++;
      }
      work.ratePerSecond = (work.done * Number(flags.part)) / ((performance.now() - startedAt) / 1000);
      work.done = 0;
    }),
  );
  const watched = new Map([
    ["head", cluster.head.pid],
    ...cluster.workers.map((worker, at): [string, number] => [`node ${at + 1}`, worker.pid]),
  ]);
  const samples = new Map([...watched.keys()].map((name): [string, Sample[]] => [name, []]));
  const beganAt = performance.now();
  const totalMs = Number(flags.minutes) * 60_000;
  const endAt = beganAt + totalMs;
  const failures: string[] = [];
  async function pace(work: Work): Promise<void> {
    const everyMs = 1_000 / Math.max(work.ratePerSecond, 1e-3);
    for (let nextAt = performance.now(); performance.now() < endAt; nextAt += everyMs) {
      const waitMs = nextAt - performance.now();
      if (waitMs > 0) await delay(waitMs);
      try {
        await work.step();
        work.done++;
      } catch (reason) {
        failures.push(`${work.name}: ${reason instanceof Error ? reason.message : String(reason)}`);
      }
    }
  }
  async function watch(): Promise<void> {
    while (performance.now() < endAt) {
      for (const [name, pid] of watched) samples.get(name)?.push(sample(pid, beganAt));
      await delay(sampleMs);
    }
  }
  await Promise.all([watch(), ...works.map(pace)]);

  const warmUpMinutes = Number(flags.minutes) / 6;
  const rows = [...samples].map(([name, all]) => {
    const steady = all.filter(({ atMinutes }) => atMinutes >= warmUpMinutes);
    const first = steady[0] as Sample;
    const last = steady.at(-1) as Sample;
    return {
      process: name,
      rssStartMiB: Number(first.rssMiB.toFixed(1)),
      rssEndMiB: Number(last.rssMiB.toFixed(1)),
      rssSlopeMiBPerMinute: Number(slope(steady, ({ rssMiB }) => rssMiB).toFixed(3)),
      rssLowestMiBByFifths: lowestByFifths(steady),
      openFilesStart: first.openFiles,
      openFilesEnd: last.openFiles,
      openFilesSlopePerMinute: Number(slope(steady, ({ openFiles }) => openFiles).toFixed(3)),
    };
  });
  const load = works.map(({ name, ratePerSecond, done }) => ({
    work: name,
    perSecond: Number(ratePerSecond.toFixed(2)),
    done,
  }));
  process.stdout.write(
    "| process | RSS after warm-up → end, MiB | slope, MiB/min | lowest by fifths | open files | slope |\n|---|---:|---:|---:|---:|---:|\n",
  );
  for (const row of rows)
    process.stdout.write(
      `| ${row.process} | ${row.rssStartMiB} → ${row.rssEndMiB} | ${row.rssSlopeMiBPerMinute} | ${row.rssLowestMiBByFifths.join(" ")} ` +
        `| ${row.openFilesStart} → ${row.openFilesEnd} | ${row.openFilesSlopePerMinute} |\n`,
    );
  for (const { work, perSecond, done } of load)
    process.stdout.write(`${work}: ${perSecond}/s, ${done} in all\n`);
  process.stdout.write(`${failures.length} failures${failures[0] ? `, the first: ${failures[0]}` : ""}\n`);
  if (flags.json)
    writeResult(flags.json, {
      minutes: Number(flags.minutes),
      part: Number(flags.part),
      warmUpMinutes,
      rows,
      load,
      failures: failures.length,
    });
} finally {
  const orphans = await cluster.stop();
  if (orphans.length > 0) process.stdout.write(`left running: ${orphans.join("; ")}\n`);
}

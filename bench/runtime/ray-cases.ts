/** Our side of the comparison with Ray. The names of the cases are those of ray_cases.py. */
import type { ActorHandle, ActorType, Cluster, ObjectRef, TaskType } from "@palimpsest/client";
import { Caller, Echo, echo } from "./echo.js";

const inFlight = 1_000;
const hundredMegabytes = 100_000_000;
const mebibyte = 1024 * 1024;
const bytes = new Uint8Array(hundredMegabytes).fill(1);
const into = new ArrayBuffer(hundredMegabytes);
const source = { from: new URL("./echo.ts", import.meta.url) };

export interface RayCase {
  readonly name: string;
  readonly unit: "/s" | "GB/s";
  /**
   * Milliseconds for which the case runs before each window, so that nothing that was prepared while the other system
   * was measured is left.
   */
  readonly drainMs?: number;
  /**
   * Runs the case once.
   * @returns how many operations, or how many bytes
   */
  once(): Promise<number>;
}

/** What all cases share. */
interface Ready {
  readonly cluster: Cluster;
  readonly actor: ActorHandle<Echo>;
  readonly task: TaskType<typeof echo>;
  readonly callers: readonly ActorHandle<Caller>[];
  readonly targetIds: readonly string[];
  readonly large: ObjectRef<Uint8Array>;
  readonly medium: ObjectRef<Uint8Array>;
  readonly thousand: readonly ObjectRef<string>[];
}

export async function rayCases(cluster: Cluster): Promise<readonly RayCase[]> {
  const echoes = cluster.actor(Echo, source);
  const callers = cluster.actor(Caller, source);
  const [actor, ...targets] = await Promise.all([echoes.spawn(), echoes.spawn(), echoes.spawn()]);
  const ready: Ready = {
    cluster,
    actor,
    task: cluster.task(echo, source),
    callers: await Promise.all([callers.spawn(), callers.spawn()]),
    targetIds: targets.map(({ actorId }) => actorId),
    large: await cluster.put(bytes),
    medium: await cluster.put(bytes.subarray(0, mebibyte)),
    thousand: await Promise.all(Array.from({ length: 1_000 }, () => cluster.put("ok"))),
  };
  return [...callCases(ready), ...valueCases(ready), ...creationCases(ready)];
}

function callCases({ actor, task, callers, targetIds }: Ready): readonly RayCase[] {
  return [
    rate("1:1 calls, each awaited", () => actor.echo("ok")),
    { name: "1:1 calls, 1,000 in flight", unit: "/s", once: () => burst((value) => actor.echo(value)) },
    {
      name: "2:2 calls, 1,000 in flight each",
      unit: "/s",
      once: async () => {
        await Promise.all(callers.map((caller) => caller.burst(targetIds, inFlight)));
        return inFlight * callers.length;
      },
    },
    rate("tasks, each awaited", () => task("ok")),
    { name: "tasks, 1,000 in flight", unit: "/s", once: () => burst(task) },
  ];
}

function valueCases({ cluster, large, medium, thousand }: Ready): readonly RayCase[] {
  // Ray counts references, and has released each value when the next one is put.
  const put = (name: string, value: unknown) => rate(name, async () => (await cluster.put(value)).release());
  return [
    put("put small", "ok"),
    put("put 64 KiB", bytes.subarray(0, 64 * 1024)),
    put("put 256 KiB", bytes.subarray(0, 256 * 1024)),
    put("put 1 MiB", bytes.subarray(0, mebibyte)),
    {
      name: "put 100 MB",
      unit: "GB/s",
      once: async () => {
        (await cluster.put(bytes)).release();
        return hundredMegabytes;
      },
    },
    {
      name: "get 100 MB",
      unit: "GB/s",
      once: async () => {
        await cluster.get(large);
        return hundredMegabytes;
      },
    },
    {
      name: "get 100 MB into a buffer",
      unit: "GB/s",
      once: async () => {
        await cluster.get(large, { into });
        return hundredMegabytes;
      },
    },
    {
      name: "get 100 MB and read it",
      unit: "GB/s",
      once: async () => {
        const words = new Float64Array((await cluster.get(large)).buffer);
        let sum = 0;
        // One word of each page.
        for (let at = 0; at < words.length; at += 512) sum += words[at] ?? 0;
        if (sum === 0) throw new Error("nothing was read");
        return hundredMegabytes;
      },
    },
    {
      name: "get 100 MB into shared memory",
      unit: "GB/s",
      once: async () => {
        await cluster.get(large, { shared: true });
        return hundredMegabytes;
      },
    },
    rate("get 1 MiB", () => cluster.get(medium)),
    rate("get 1 MiB into shared memory", () => cluster.get(medium, { shared: true })),
    rate("wait on 1,000 references", () => cluster.wait(thousand, { count: 1_000 })),
  ];
}

function creationCases({ cluster }: Ready): readonly RayCase[] {
  const echoes = cluster.actor(Echo, source);
  return [
    eightActors("actors created and called, 8 at once", echoes),
    { ...eightActors("actors created and called, 8 at once, without rest", echoes), drainMs: 2_000 },
    // Light actors stand beside Ray's actors, each of which has its own process.
    eightActors("light actors created and called, 8 at once", echoes.options({ process: "shared" })),
    groups("placement group created, ready, removed", cluster, 1),
    // This many fit at once, so that none waits for room.
    groups("placement groups created, ready, removed, 100 at once", cluster, 100),
  ];
}

function eightActors(name: string, echoes: ActorType<Echo, []>): RayCase {
  return {
    name,
    unit: "/s",
    once: async () => {
      const handles = await Promise.all(Array.from({ length: 8 }, () => echoes.spawn()));
      await Promise.all(handles.map((handle) => handle.echo("ok")));
      await Promise.all(handles.map((handle) => handle.kill()));
      return handles.length;
    },
  };
}

function groups(name: string, cluster: Cluster, atOnce: number): RayCase {
  const once = async () => {
    const created = await Promise.all(
      Array.from({ length: atOnce }, () => cluster.placementGroup({ bundles: [{ cpu: 0.01 }] })),
    );
    await Promise.all(created.map((group) => group.ready()));
    await Promise.all(created.map((group) => group.remove()));
    return atOnce;
  };
  return { name, unit: "/s", once };
}

function rate(name: string, act: () => PromiseLike<unknown>): RayCase {
  const once = async () => {
    await act();
    return 1;
  };
  return { name, unit: "/s", once };
}

async function burst(call: (value: string) => PromiseLike<string>): Promise<number> {
  await Promise.all(Array.from({ length: inFlight }, () => call("ok")));
  return inFlight;
}

/** A driver in its own process: it spawns one BusyActor, reports it, and does what its parent tells it. */
import { existsSync } from "node:fs";
import { connect } from "@palimpsest/client";
import { BusyActor } from "./busy-actor.js";

export type DriverOrder =
  | { readonly kind: "block"; readonly untilFile: string }
  | { readonly kind: "call" }
  /** Makes calls of 1 ms each, all in flight at once, to an actor of another driver. */
  | { readonly kind: "flood"; readonly actorId: string; readonly calls: number }
  | { readonly kind: "close" };

export type DriverNews =
  | { readonly kind: "ready"; readonly actorId: string }
  | { readonly kind: "blocking" }
  | { readonly kind: "called"; readonly answer: string }
  | { readonly kind: "flooding" }
  | { readonly kind: "flooded" };

const [address = "", token = "", name = "", tls = ""] = process.argv.slice(2);
const tell = (news: DriverNews) => process.send?.(news);

const cluster = await connect({ address, token, name, tls });
const actor = await cluster
  .actor(BusyActor, { from: new URL("./busy-actor.ts", import.meta.url) }, { resources: { cpu: 0.1 } })
  .spawn();
const actorId = await actor.id();

function blockUntil(path: string): void {
  while (!existsSync(path));
}

process.on("message", async (order: DriverOrder) => {
  if (order.kind === "block") {
    // The message is sent before the thread blocks.
    await new Promise<void>((resolve) => process.send?.({ kind: "blocking" }, () => resolve()));
    blockUntil(order.untilFile);
  } else if (order.kind === "call") {
    tell({ kind: "called", answer: await actor.id() });
  } else if (order.kind === "flood") {
    const other = await cluster.getActor<BusyActor>({ actorId: order.actorId });
    const calls = Array.from({ length: order.calls }, () => other.spinFor(1));
    await calls[0];
    tell({ kind: "flooding" });
    await Promise.all(calls);
    tell({ kind: "flooded" });
  } else {
    await cluster.close();
    process.disconnect();
  }
});
process.on("disconnect", () => process.exit());
tell({ kind: "ready", actorId });

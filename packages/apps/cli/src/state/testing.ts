import { z } from "zod";

const id = z.int().nonnegative();
const track = { pid: id, tid: id, name: z.string().min(1) };
const moment = z.number().nonnegative();

/** Validates the parts of Chrome's trace event format that are written here: its JSON object format. */
export const traceFormat = z
  .strictObject({
    displayTimeUnit: z.enum(["ms", "ns"]),
    traceEvents: z.array(
      z.discriminatedUnion("ph", [
        z.strictObject({
          ...track,
          ph: z.literal("X"),
          cat: z.string().min(1),
          ts: moment,
          dur: moment,
          cname: z.string().optional(),
          args: z.record(z.string(), z.union([z.string(), z.number()])),
        }),
        z.strictObject({
          ...track,
          ph: z.literal("M"),
          name: z.enum(["process_name", "thread_name"]),
          args: z.strictObject({ name: z.string() }),
        }),
        z.strictObject({ ...track, ph: z.literal("s"), cat: z.string(), id: z.int(), ts: moment }),
        z.strictObject({
          ...track,
          ph: z.literal("f"),
          bp: z.literal("e"),
          cat: z.string(),
          id: z.int(),
          ts: moment,
        }),
      ]),
    ),
  })
  .superRefine(({ traceEvents }, context) => {
    const slices = traceEvents.filter((event) => event.ph === "X");
    for (const event of traceEvents) {
      if (event.ph !== "s" && event.ph !== "f") continue;
      const isBound = slices.some(
        ({ pid, tid, ts, dur }) =>
          pid === event.pid && tid === event.tid && ts <= event.ts && event.ts <= ts + dur,
      );
      if (!isBound) context.addIssue(`arrow ${event.id} ends at no slice`);
    }
  });

import { z } from "zod";
import { JsonOutput } from "../display/json-output.js";

const writtenSchema = z.strictObject({
  folder: z.string(),
  parameters: z.number(),
  dtype: z.enum(["float32", "bfloat16"]),
});

/** What commands print that write one model folder. */
export const writtenModelOutput = new JsonOutput(() => writtenSchema);

/** What `model export` prints, which writes several with --all. */
export const exportedOutput = new JsonOutput(() =>
  z.array(writtenSchema.extend({ adapters: z.boolean().describe("only the adapters were written") })),
);

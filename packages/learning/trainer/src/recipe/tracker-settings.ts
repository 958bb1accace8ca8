import { z } from "zod";

const address = z
  .url({ protocol: /^https?$/, error: "must be an address such as http://127.0.0.1:5000" })
  .refine((text) => new URL(text).username === "" && new URL(text).password === "", {
    error:
      "must not contain a password, which would be written to the run's folder; set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN",
  });

const mlflowSchema = z.strictObject({
  kind: z.literal("mlflow"),
  address: address.describe("address of MLflow's tracking server"),
  experiment: z
    .string()
    .min(1)
    .max(500)
    .describe("name of the experiment, which is created if it is missing"),
  runName: z
    .string()
    .min(1)
    .max(250)
    .optional()
    .describe("the run's name in MLflow; absent: the recipe's name"),
  queueBytes: z
    .int()
    .min(16 * 1024)
    .max(1024 * 1024 * 1024)
    .default(4 * 1024 * 1024)
    .describe(
      "most bytes of metrics that are queued while the server is unreachable; the metrics of further steps are dropped",
    ),
});

/** Destinations of a run's metrics in addition to its own folder. */
export const trackersSchema = z.array(z.discriminatedUnion("kind", [mlflowSchema])).max(8);

export type MlflowSettings = z.infer<typeof mlflowSchema>;

import { z } from "zod";

const address = z
  .url({ protocol: /^https?$/, error: "must be an address such as http://127.0.0.1:5000" })
  .refine((text) => new URL(text).username === "" && new URL(text).password === "", {
    error:
      "must not hold a password, which would lie in the run's folder; set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN",
  });

const mlflowSchema = z.strictObject({
  kind: z.literal("mlflow"),
  address: address.describe("MLflow's tracking server"),
  experiment: z.string().min(1).max(500).describe("its experiment; made where it is not there"),
  runName: z.string().min(1).max(250).optional().describe("the run's name there; absent: the recipe's name"),
  queueBytes: z
    .int()
    .min(16 * 1024)
    .max(1024 * 1024 * 1024)
    .default(4 * 1024 * 1024)
    .describe("numbers that wait while the server is away, bytes; beyond it steps are left out"),
});

/** Where a run's numbers go besides its own folder. */
export const trackersSchema = z.array(z.discriminatedUnion("kind", [mlflowSchema])).max(8);

export type MlflowSettings = z.infer<typeof mlflowSchema>;

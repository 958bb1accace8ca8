import type { QueueSettingsInput } from "../queue-settings.js";

/** Times for tests: a dead consumer is noticed in under a second. */
export const fastSettings: QueueSettingsInput = {
  backoffMs: 1,
  lockDurationMs: 400,
  stalledIntervalMs: 100,
  retryDelayMs: 20,
};

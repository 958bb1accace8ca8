import type { QueueSettingsInput } from "../base/queue-settings.js";

/** Times for tests, with which a dead consumer is noticed in less than a second. */
export const fastSettings: QueueSettingsInput = {
  backoffMs: 1,
  lockDurationMs: 400,
  stalledIntervalMs: 100,
  retryDelayMs: 20,
};

/** The parts of a run in one process that need no files and nothing of Node.js: what the playground's page trains with. */
export { samplerSettings } from "./engines/own-sampler.js";
export { type GroupSource, type StepGroups, sampleStep } from "./groups/in-process-groups.js";
export { learnerSettings } from "./parts/learner-settings.js";
export { type ModelText, openModelText } from "./parts/model-text.js";
export { rolloutAgent } from "./parts/rollout-agent.js";

// The classes that nodes start for a run, named by CodeRef.module "@palimpsest/trainer/actors". Reward actors have a separate
// module, "@palimpsest/trainer/reward-actor", which does not load tensors.
export { LearnerActor } from "./actors/learner-actor.js";
export { LearnerRank } from "./actors/learner-rank.js";
export { type RankAddress, RankThreads } from "./actors/rank-threads.js";
export { RolloutActor } from "./actors/rollout-actor.js";

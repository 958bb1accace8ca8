// The classes that nodes start for a run, named by CodeRef.module "@palimpsest/trainer/actors". Reward actors have a separate
// module, "@palimpsest/trainer/reward-actor", which does not load tensors.
export { LearnerActor } from "./learner-actor.js";
export { LearnerRank } from "./ranks/learner-rank.js";
export { RolloutActor } from "./rollout-actor.js";

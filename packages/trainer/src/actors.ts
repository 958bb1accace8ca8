// The classes that nodes start for a run: named by CodeRef.module "@palimpsest/trainer/actors".
export { LearnerActor } from "./learner-actor.js";
export { RewardActor } from "./reward-actor.js";
export { RolloutActor } from "./rollout-actor.js";

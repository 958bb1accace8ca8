import { counter, gauge, histogram, type MetricTable, slowSeconds } from "./definition.js";

/** Metrics of training and serving: samplers, learners, runs and the OpenAI-compatible server. */
export const learningMetrics = {
  // Sampler: generation.
  palimpsest_sampler_tokens_total: counter(
    "Tokens processed, by kind: prompt (read), cached (found in the prefix cache) or sampled.",
    "tokens",
    ["kind"],
  ),
  palimpsest_sampler_phase_seconds_total: counter(
    "Time of the device by what it does: prefill (it reads prompts) or decode.",
    "seconds",
    ["phase"],
  ),
  palimpsest_sampler_queue_seconds_total: counter(
    "Total time that requests waited for a slot of the batch.",
    "seconds",
  ),
  palimpsest_sampler_occupancy: gauge("Mean fraction of the largest call's rows in use, from 0 to 1.", "1"),
  palimpsest_sampler_running_requests: gauge("Requests that have a slot of the batch.", "1"),
  palimpsest_sampler_waiting_requests: gauge("Requests that wait for a slot of the batch.", "1"),
  palimpsest_sampler_policy_version: gauge("Policy version that the sampler serves.", "versions"),
  palimpsest_sampler_weights_load_seconds: histogram(
    "Time to fetch, check and load one publication of weights.",
    "seconds",
    [],
    slowSeconds,
  ),

  // Learner: one update.
  palimpsest_learner_updates_total: counter("Updates of the weights.", "1"),
  palimpsest_learner_update_seconds: histogram("Time of one update.", "seconds", [], slowSeconds),
  palimpsest_learner_phase_seconds_total: counter(
    "Time of the learner by what it does, up to now: rollout (it waits for episodes), update, exchange (it waits for other learners), publish, checkpoint, or other.",
    "seconds",
    ["phase"],
  ),
  palimpsest_learner_policy_version: gauge("Policy version of the learner's weights.", "versions"),
  palimpsest_learner_trained_tokens_total: counter("Sampled tokens with a gradient.", "tokens"),
  palimpsest_learner_loss: gauge("Policy loss of the last update, including the KL term.", "1"),
  palimpsest_learner_kl_nats: gauge(
    "Mean KL divergence per token of the last update, by pair: the policy from the reference, or from old, the weights before the update; the sampler from the policy.",
    "nats",
    ["pair"],
  ),
  palimpsest_learner_entropy_nats: gauge("Mean entropy per token of the policy at the last update.", "nats"),
  palimpsest_learner_clip_ratio: gauge(
    "Fraction of trained tokens whose ratio was clipped in the last update.",
    "ratio",
  ),
  palimpsest_learner_gradient_norm: gauge(
    "Global norm of the gradient before clipping in the last update.",
    "1",
  ),
  palimpsest_learner_learning_rate: gauge("Learning rate of the last optimizer step.", "1"),
  palimpsest_learner_ratio_max: gauge(
    "Largest probability ratio of a token to the weights before the update.",
    "ratio",
  ),
  palimpsest_learner_logprob_difference_nats: gauge(
    "Difference per token between the log-probs of sampler and trainer, before any optimizer step of the update: mean, or p99, which one token of a hundred exceeds.",
    "nats",
    ["of"],
  ),
  palimpsest_learner_skipped_steps_total: counter("Optimizer steps that the gradient gate skipped.", "1"),
  palimpsest_learner_records_dropped_total: counter(
    "Steps whose traces or scalars could not be written, by what was lost. A full disk causes that; training continues.",
    "1",
    ["kind"],
  ),
  palimpsest_learner_teraflops: gauge(
    "Teraflops per second of the last update, by the model's own count.",
    "1",
  ),
  palimpsest_learner_tokens: gauge(
    "Mean number of sampled tokens per conversation in the last update, by kind.",
    "tokens",
    ["kind"],
  ),
  palimpsest_learner_zero_variance_ratio: gauge(
    "Fraction of groups whose rewards are all equal in the last update.",
    "ratio",
  ),
  palimpsest_learner_checkpoint_seconds: histogram(
    "Time to write one checkpoint.",
    "seconds",
    [],
    slowSeconds,
  ),

  // Training: the loop as a whole.
  palimpsest_training_step: gauge("Last step of the run that was finished.", "1"),
  palimpsest_training_step_seconds: histogram(
    "Time of one step, by phase: rollout, update, publish, checkpoint or whole.",
    "seconds",
    ["phase"],
    slowSeconds,
  ),
  palimpsest_training_reward: gauge(
    "Mean of one part of the reward over the last batch. The part that is trained on is named reward.",
    "1",
    ["part"],
  ),
  palimpsest_training_sampled_reward: gauge(
    "Mean reward of all episodes of the last step, including groups that it skipped because they teach nothing.",
    "1",
  ),
  palimpsest_training_groups_refilled_total: counter(
    "Groups that steps took and did not train, because all of their episodes earned the same reward.",
    "groups",
  ),
  palimpsest_training_staleness_versions: histogram(
    "Policy versions between sampling and training, per trajectory.",
    "versions",
    [],
    [0, 1, 2, 3, 4, 6, 8, 12, 16],
  ),
  palimpsest_training_episodes_total: counter("Episodes that were trained on.", "episodes"),
  palimpsest_training_weights_published_bytes_total: counter(
    "Bytes of weights written for publication.",
    "bytes",
  ),

  // Serve: the OpenAI-compatible server.
  palimpsest_serve_requests_total: counter(
    "Requests answered, by endpoint and HTTP status; status left: the client disconnected before the end.",
    "1",
    ["endpoint", "status"],
  ),
  palimpsest_serve_request_seconds: histogram(
    "Time from a request's arrival to the end of its answer, by endpoint.",
    "seconds",
    ["endpoint"],
    slowSeconds,
  ),
  palimpsest_serve_first_token_seconds: histogram(
    "Time from a request's arrival to its first sampled token, by endpoint.",
    "seconds",
    ["endpoint"],
    slowSeconds,
  ),
  palimpsest_serve_open_choices: gauge("Choices that are being sampled or wait to be sampled.", "1"),
} as const satisfies MetricTable<"sampler" | "learner" | "training" | "serve">;

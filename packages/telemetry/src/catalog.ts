/** Every metric that any Palimpsest process exports. A metric that is not in this table cannot be created. */

export const metricGroups = [
  "head",
  "node",
  "actor",
  "queue",
  "sampler",
  "learner",
  "training",
  "serve",
] as const;
export type MetricGroup = (typeof metricGroups)[number];
export type MetricType = "counter" | "gauge" | "histogram";
export type MetricUnit =
  | "seconds"
  | "bytes"
  | "tokens"
  | "episodes"
  | "groups"
  | "jobs"
  | "calls"
  | "versions"
  | "ratio"
  | "nats"
  | "1";

export interface MetricDefinition {
  readonly type: MetricType;
  /** One sentence, which becomes the HELP line and the row in the documentation. */
  readonly help: string;
  readonly unit: MetricUnit;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, in its unit. */
  readonly buckets?: readonly number[];
}

const fastSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const slowSeconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600];

export const catalog = {
  // Head: tables, scheduling, jobs.
  palimpsest_head_nodes: gauge("Nodes known to the head, by state.", "1", ["state"]),
  palimpsest_head_actors: gauge("Actors known to the head, by state.", "1", ["state"]),
  palimpsest_head_jobs: gauge("Jobs known to the head, by status.", "jobs", ["status"]),
  palimpsest_head_pending_actors: gauge("Actors that wait to be placed on a node.", "1"),
  palimpsest_head_reserved_nodes: gauge("Nodes reserved for requests that have waited long.", "1"),
  palimpsest_head_resources_total_units: gauge(
    "Resources that alive nodes offer, by resource name (memory in bytes).",
    "1",
    ["resource"],
  ),
  palimpsest_head_resources_used_units: gauge(
    "Resources that are leased, by resource name (memory in bytes).",
    "1",
    ["resource"],
  ),
  palimpsest_head_node_deaths_total: counter("Nodes declared dead, by cause.", "1", ["cause"]),
  palimpsest_head_autoscaler_nodes: gauge(
    "Instances of the autoscaler, by node type and state: starting, running, ending.",
    "1",
    ["type", "state"],
  ),
  palimpsest_head_autoscaler_started_total: counter(
    "Nodes that the autoscaler has started, by node type.",
    "1",
    ["type"],
  ),
  palimpsest_head_autoscaler_ended_total: counter(
    "Nodes that the autoscaler has ended, by node type and cause: idle, gone (its node had ended), late (it did not join in time).",
    "1",
    ["type", "cause"],
  ),
  palimpsest_head_autoscaler_failures_total: counter(
    "Failed requests to the node provider, by operation: list, create, terminate.",
    "1",
    ["operation"],
  ),
  palimpsest_head_actor_deaths_total: counter("Actors that died, by cause.", "1", ["cause"]),
  palimpsest_head_actor_restarts_total: counter("Restarts of actors after a death.", "1"),
  palimpsest_head_actor_start_retries_total: counter(
    "Retried starts of actors, by cause: error (a failure that may pass) or node (the node was lost meanwhile).",
    "1",
    ["cause"],
  ),
  palimpsest_head_rpc_seconds: histogram(
    "Time to answer one RPC, by method and status code.",
    "seconds",
    ["method", "code"],
    fastSeconds,
  ),
  palimpsest_head_placement_seconds: histogram(
    "Time from the request for an actor until its process runs.",
    "seconds",
    [],
    slowSeconds,
  ),
  palimpsest_head_state_write_seconds: histogram(
    "Time of one durable write to Redis.",
    "seconds",
    [],
    fastSeconds,
  ),
  palimpsest_head_objects: gauge("Objects in the directory.", "1"),
  palimpsest_head_object_holders: gauge("Owners of references to objects, as nodes report them.", "1"),
  palimpsest_head_task_events: gauge("Stored events of tasks, calls and transfers.", "1"),
  palimpsest_head_object_locates_total: counter(
    "Lookups of objects' locations, by answer: found or unknown.",
    "1",
    ["answer"],
  ),

  // Node: leases, processes, object store.
  palimpsest_node_processes: gauge(
    "Processes that this node supervises, by state: running (an actor) or warm (waiting for one).",
    "1",
    ["state"],
  ),
  palimpsest_node_process_starts_total: counter(
    "Starts of actors, by their process: new, or warm (it was waiting for an actor).",
    "1",
    ["process"],
  ),
  palimpsest_node_process_exits_total: counter(
    "Actor processes that ended, by reason: exit, signal or killed on request.",
    "1",
    ["reason"],
  ),
  palimpsest_node_process_start_seconds: histogram(
    "Time from fork to the actor's first ready message.",
    "seconds",
    [],
    slowSeconds,
  ),
  palimpsest_node_head_reconnects_total: counter("Times that the link to the head was opened again.", "1"),
  palimpsest_node_fenced_actors_total: counter(
    "Actors killed because the node could not renew its lease with the head.",
    "1",
  ),
  palimpsest_node_objects: gauge("Objects in the store, by place: memory or disk.", "1", ["place"]),
  palimpsest_node_objects_bytes: gauge(
    "Size of the objects in the store, by place: memory or disk; and of those that were spilled: spilled.",
    "bytes",
    ["place"],
  ),
  palimpsest_node_objects_spilled_bytes_total: counter(
    "Bytes of objects written to disk because the store was full.",
    "bytes",
  ),
  palimpsest_node_objects_restored_bytes_total: counter(
    "Bytes of spilled objects read back from disk.",
    "bytes",
  ),
  palimpsest_node_objects_transferred_bytes_total: counter(
    "Object bytes transferred, by direction: in or out; adopted: taken over from a node of the same machine without a transfer.",
    "bytes",
    ["direction"],
  ),
  palimpsest_node_objects_gone_total: counter(
    "Objects removed from the store, by cause: evicted (to make room), freed, holder_ended (the last owner of a reference ended) or damaged (its file on disk).",
    "1",
    ["cause"],
  ),
  palimpsest_node_object_copies_bytes: gauge(
    "Size of copies without references, which are evicted when room is needed.",
    "bytes",
  ),
  palimpsest_node_object_holders: gauge(
    "Sessions, actors and jobs that hold references to objects of this node.",
    "1",
  ),
  palimpsest_node_object_transfer_bytes: gauge(
    "Object bytes that may be in transfer now, by direction: in or out.",
    "bytes",
    ["direction"],
  ),
  palimpsest_node_object_transfers_waiting: gauge(
    "Transfers that wait for their share of objectTransferBytes, by direction: in or out.",
    "1",
    ["direction"],
  ),

  // Actor: mailbox and calls.
  palimpsest_actor_trace_spans_total: counter(
    "Ended spans of traces, by outcome: exported, failed (the collector did not accept them) or dropped (too many waited).",
    "1",
    ["outcome"],
  ),
  palimpsest_actor_calls_total: counter(
    "Calls that ended, by method and outcome: ok, error or cancelled.",
    "calls",
    ["method", "outcome"],
  ),
  palimpsest_actor_call_seconds: histogram(
    "Running time of a method, without its wait in the mailbox.",
    "seconds",
    ["method"],
    fastSeconds,
  ),
  palimpsest_actor_mailbox_wait_seconds: histogram(
    "Time a call waited in the mailbox.",
    "seconds",
    [],
    fastSeconds,
  ),
  palimpsest_actor_mailbox_calls: gauge("Calls waiting in the mailbox.", "calls"),
  palimpsest_actor_running_calls: gauge("Calls running.", "calls"),
  palimpsest_actor_rejected_calls_total: counter("Calls refused because the mailbox was full.", "calls"),

  // Queues: BullMQ jobs and the run's account.
  palimpsest_queue_jobs: gauge(
    "Jobs in a queue, by state: waiting, active, waiting_children, delayed or failed; of groups: waiting for the learner, or waiting_children for their episodes.",
    "jobs",
    ["queue", "state"],
  ),
  palimpsest_queue_job_seconds: histogram(
    "Time to process one job, by kind (rollout, reward) and outcome (ok, error, timeout, released).",
    "seconds",
    ["kind", "outcome"],
    slowSeconds,
  ),
  palimpsest_queue_job_wait_seconds: histogram(
    "Time from adding a job until a consumer took it, by kind.",
    "seconds",
    ["kind"],
    slowSeconds,
  ),
  palimpsest_queue_stalled_jobs_total: counter(
    "Jobs taken back from a consumer that stopped renewing its lock, by kind.",
    "jobs",
    ["kind"],
  ),
  palimpsest_queue_payload_bytes_total: counter(
    "Bytes of payload written to Redis, by kind: task, trajectory or score.",
    "bytes",
    ["kind"],
  ),
  palimpsest_queue_groups_dispatched_total: counter("Groups dispatched to the queues.", "groups"),
  palimpsest_queue_groups_trained_total: counter("Groups acknowledged by the learner.", "groups"),
  palimpsest_queue_groups_failed_total: counter("Groups dropped whole, by reason.", "groups", ["reason"]),
  palimpsest_queue_episodes_failed_total: counter(
    "Episodes that left their group after the last attempt, by stage: rollout, reward or group.",
    "episodes",
    ["stage"],
  ),
  palimpsest_queue_groups_outstanding: gauge(
    "Groups that are dispatched and neither trained nor failed.",
    "groups",
  ),

  // Sampler: generation.
  palimpsest_sampler_tokens_total: counter(
    "Tokens processed, by kind: prompt (read), cached (found in the prefix cache) or sampled.",
    "tokens",
    ["kind"],
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
  palimpsest_learner_policy_version: gauge("Policy version of the learner's weights.", "versions"),
  palimpsest_learner_trained_tokens_total: counter("Sampled tokens with a gradient.", "tokens"),
  palimpsest_learner_loss: gauge("Policy loss of the last update, including the KL term.", "1"),
  palimpsest_learner_kl_nats: gauge(
    "Mean KL divergence per token of the last update, by pair: the policy from the reference, or from old, the weights before the update.",
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
    "Mean difference per token between the log-probs of sampler and trainer, before any optimizer step of the update.",
    "nats",
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
} as const satisfies Readonly<Record<`palimpsest_${MetricGroup}_${string}`, MetricDefinition>>;

function counter<const L extends readonly string[] = []>(help: string, unit: MetricUnit, labels?: L) {
  return { type: "counter", help, unit, labels: labels ?? ([] as unknown as L) } as const;
}

function gauge<const L extends readonly string[] = []>(help: string, unit: MetricUnit, labels?: L) {
  return { type: "gauge", help, unit, labels: labels ?? ([] as unknown as L) } as const;
}

function histogram<const L extends readonly string[]>(
  help: string,
  unit: MetricUnit,
  labels: L,
  buckets: readonly number[],
) {
  return { type: "histogram", help, unit, labels, buckets } as const;
}

export type Catalog = typeof catalog;
export type MetricName = keyof Catalog;

/** The names of all metrics of one type. */
export type MetricNameOf<T extends MetricType> = {
  [N in MetricName]: Catalog[N]["type"] extends T ? N : never;
}[MetricName];

/** The label names of one metric. */
export type LabelsOf<N extends MetricName> = Catalog[N]["labels"][number];

export function definitionOf(name: MetricName): MetricDefinition {
  return catalog[name];
}

/** Returns the group of a metric, which is the second word of its name. */
export function groupOf(name: MetricName): MetricGroup {
  const word = name.split("_")[1];
  const group = metricGroups.find((candidate) => candidate === word);
  if (group === undefined) {
    throw new Error(`metric ${name} belongs to no group`);
  }
  return group;
}

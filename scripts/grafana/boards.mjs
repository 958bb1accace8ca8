// What the dashboards of deploy/grafana show. Names are those of docs/metrics.md; a test holds both together.
import { panel } from "./panel.mjs";

const rate = (metric, by = "") => `sum${by ? ` by (${by})` : ""} (rate(${metric}[1m]))`;
const mean = (histogram, by = "") => `${rate(`${histogram}_sum`, by)} / ${rate(`${histogram}_count`, by)}`;
const quantile = (share, histogram, by = "") =>
  `histogram_quantile(${share}, sum by (${["le", ...(by ? [by] : [])].join(", ")}) (rate(${histogram}_bucket[5m])))`;

export const boards = {
  cluster: {
    uid: "palimpsest-cluster",
    title: "Palimpsest: cluster",
    rows: {
      "Nodes and actors": [
        panel("Nodes", { "{{state}}": "sum by (state) (palimpsest_head_nodes)" }, { width: 6 }),
        panel("Actors", { "{{state}}": "sum by (state) (palimpsest_head_actors)" }, { width: 6 }),
        panel(
          "Leased share of resources",
          { "{{resource}}": "palimpsest:resources_leased:ratio" },
          { unit: "percentunit", max: 1, width: 6 },
        ),
        panel(
          "Waiting",
          {
            "actors waiting for a node": "sum(palimpsest_head_pending_actors)",
            "nodes reserved for them": "sum(palimpsest_head_reserved_nodes)",
          },
          { width: 6 },
        ),
      ],
      Shares: [
        panel(
          "Part of the cluster that a fairness key leases, and what its weight is worth",
          {
            "{{fairness_key}}": "palimpsest_head_share_leased_ratio",
            "{{fairness_key}}, worth": "palimpsest_head_share_fair_ratio",
          },
          { unit: "percentunit", max: 1 },
        ),
        panel("Requests that wait", { "{{fairness_key}}": "palimpsest_head_share_waiting" }),
        panel(
          "Bytes of objects by quota",
          { "{{quota}}, {{kind}}": "palimpsest_head_object_quota_bytes" },
          { unit: "bytes" },
        ),
        panel("Nodes where objects wait for a quota", {
          "{{quota}}": "palimpsest_head_object_quota_waiting",
        }),
        panel("Stopped for others in 5 minutes", {
          "{{fairness_key}}, by {{cause}}":
            "sum by (fairness_key, cause) (increase(palimpsest_head_preemptions_total[5m]))",
        }),
      ],
      "Deaths and restarts": [
        panel("Deaths of actors in 5 minutes", {
          "{{cause}}": "sum by (cause) (increase(palimpsest_head_actor_deaths_total[5m]))",
        }),
        panel("Restarts and retried starts in 5 minutes", {
          restarts: "sum(increase(palimpsest_head_actor_restarts_total[5m]))",
          "start retried: {{cause}}":
            "sum by (cause) (increase(palimpsest_head_actor_start_retries_total[5m]))",
        }),
        panel("Deaths of nodes, reopened links, fenced actors in 5 minutes", {
          "node: {{cause}}": "sum by (cause) (increase(palimpsest_head_node_deaths_total[5m]))",
          "links to the head": "sum(increase(palimpsest_node_head_reconnects_total[5m]))",
          fenced: "sum(increase(palimpsest_node_fenced_actors_total[5m]))",
        }),
      ],
      "Control plane": [
        panel(
          "RPCs of the head per second",
          { "{{method}}": rate("palimpsest_head_rpc_seconds_count", "method") },
          { unit: "ops" },
        ),
        panel(
          "Time to answer, p99",
          { "{{method}}": quantile(0.99, "palimpsest_head_rpc_seconds", "method") },
          { unit: "s" },
        ),
        panel(
          "Time to place an actor, and to write a row",
          {
            "placement, mean": mean("palimpsest_head_placement_seconds"),
            "write to Redis, p99": quantile(0.99, "palimpsest_head_state_write_seconds"),
          },
          { unit: "s" },
        ),
      ],
      Calls: [
        panel(
          "Running time of methods, mean",
          { "{{method}}": mean("palimpsest_actor_call_seconds", "method") },
          { unit: "s", width: 12 },
        ),
        panel(
          "Stored events of tasks, calls and transfers",
          { events: "sum(palimpsest_head_task_events)" },
          { width: 12 },
        ),
        panel(
          "Calls of actors per second",
          { "{{outcome}}": rate("palimpsest_actor_calls_total", "outcome") },
          { unit: "ops" },
        ),
        panel(
          "Wait in the mailbox, p99",
          { wait: quantile(0.99, "palimpsest_actor_mailbox_wait_seconds") },
          { unit: "s" },
        ),
        panel("Spans of traces per second, if calls are traced", {
          "{{outcome}}": rate("palimpsest_actor_trace_spans_total", "outcome"),
        }),
        panel("Calls in mailboxes, and refused calls per second", {
          waiting: "sum(palimpsest_actor_mailbox_calls)",
          running: "sum(palimpsest_actor_running_calls)",
          refused: rate("palimpsest_actor_rejected_calls_total"),
        }),
      ],
      Objects: [
        panel("Objects in the stores, and copies without references", {
          "{{place}}": "sum by (place) (palimpsest_node_objects)",
          "bytes of copies": "sum(palimpsest_node_object_copies_bytes)",
        }),
        panel("The head's directory", {
          objects: "sum(palimpsest_head_objects)",
          "owners, as known to the head": "sum(palimpsest_head_object_holders)",
          "owners, as known to nodes": "sum(palimpsest_node_object_holders)",
          "lookups per second: {{answer}}": rate("palimpsest_head_object_locates_total", "answer"),
        }),
        panel(
          "Bytes that may be in transfer",
          { "{{direction}}": "sum by (direction) (palimpsest_node_object_transfer_bytes)" },
          { unit: "bytes" },
        ),
        panel(
          "Bytes in the stores",
          { "{{place}}": "sum by (place) (palimpsest_node_objects_bytes)" },
          { unit: "bytes" },
        ),
        panel(
          "Bytes moved per second",
          {
            "{{direction}}": rate("palimpsest_node_objects_transferred_bytes_total", "direction"),
            "spilled to disk": rate("palimpsest_node_objects_spilled_bytes_total"),
            "read back": rate("palimpsest_node_objects_restored_bytes_total"),
          },
          { unit: "Bps" },
        ),
        panel("Objects removed in 5 minutes, and waiting transfers", {
          "{{cause}}": "sum by (cause) (increase(palimpsest_node_objects_gone_total[5m]))",
          "waiting {{direction}}": "sum by (direction) (palimpsest_node_object_transfers_waiting)",
        }),
      ],
      "Processes and the autoscaler": [
        panel("Starts and ends of processes in 5 minutes", {
          "started: {{process}}": "sum by (process) (increase(palimpsest_node_process_starts_total[5m]))",
          "ended: {{reason}}": "sum by (reason) (increase(palimpsest_node_process_exits_total[5m]))",
        }),
        panel(
          "Time to start a process, mean",
          { seconds: mean("palimpsest_node_process_start_seconds") },
          { unit: "s" },
        ),
        panel("Autoscaler in 5 minutes", {
          "started: {{type}}": "sum by (type) (increase(palimpsest_head_autoscaler_started_total[5m]))",
          "ended: {{type}}, {{cause}}":
            "sum by (type, cause) (increase(palimpsest_head_autoscaler_ended_total[5m]))",
        }),
        panel("Processes of nodes", { "{{state}}": "sum by (state) (palimpsest_node_processes)" }),
        panel(
          "Resident memory",
          { "{{component}}": "sum by (component) (process_resident_memory_bytes)" },
          { unit: "bytes" },
        ),
        panel("Autoscaled nodes", {
          "{{type}} {{state}}": "sum by (type, state) (palimpsest_head_autoscaler_nodes)",
        }),
      ],
    },
  },
  queues: {
    uid: "palimpsest-queues",
    title: "Palimpsest: queues and jobs",
    rows: {
      Jobs: [
        panel("Jobs", { "{{status}}": "sum by (status) (palimpsest_head_jobs)" }),
        panel("Groups", {
          outstanding: "sum(palimpsest_queue_groups_outstanding)",
          "dispatched per minute": "60 * sum(rate(palimpsest_queue_groups_dispatched_total[5m]))",
          "trained per minute": "60 * sum(rate(palimpsest_queue_groups_trained_total[5m]))",
        }),
        panel("Groups and episodes lost in 5 minutes", {
          "group: {{reason}}": "sum by (reason) (increase(palimpsest_queue_groups_failed_total[5m]))",
          "episode in {{stage}}": "sum by (stage) (increase(palimpsest_queue_episodes_failed_total[5m]))",
        }),
      ],
      Queues: [
        panel(
          "Jobs in queues",
          { "{{queue}} {{state}}": "sum by (queue, state) (palimpsest_queue_jobs)" },
          { width: 12 },
        ),
        panel(
          "Bytes written to Redis per second",
          { "{{kind}}": rate("palimpsest_queue_payload_bytes_total", "kind") },
          { unit: "Bps", width: 12 },
        ),
        panel(
          "Time to process a job, mean",
          { "{{kind}}": mean("palimpsest_queue_job_seconds", "kind") },
          { unit: "s" },
        ),
        panel(
          "Waiting time of a job, p95",
          { "{{kind}}": quantile(0.95, "palimpsest_queue_job_wait_seconds", "kind") },
          { unit: "s" },
        ),
        panel("Jobs per second by outcome, and jobs taken from lost consumers", {
          "{{kind}} {{outcome}}": rate("palimpsest_queue_job_seconds_count", "kind, outcome"),
          "stalled {{kind}}": rate("palimpsest_queue_stalled_jobs_total", "kind"),
        }),
      ],
    },
  },
  training: {
    uid: "palimpsest-training",
    title: "Palimpsest: training",
    rows: {
      Learning: [
        panel("Reward by part", { "{{part}}": "palimpsest_training_reward" }, { width: 12 }),
        panel(
          "Reward of all sampled episodes",
          { reward: "palimpsest_training_sampled_reward" },
          { width: 12 },
        ),
        panel(
          "KL",
          { "{{pair}}": "palimpsest_learner_kl_nats" },
          {
            description:
              "Nats per token: from the reference, from the weights before the update, and of the sampler from the trainer.",
          },
        ),
        panel("Entropy", { "nats per token": "palimpsest_learner_entropy_nats" }),
        panel(
          "Groups with equal rewards",
          { "share of the last update": "palimpsest_learner_zero_variance_ratio" },
          { unit: "percentunit", max: 1 },
        ),
      ],
      "Health of the update": [
        panel("Difference between sampler and trainer", {
          "{{of}}, nats per token": "palimpsest_learner_logprob_difference_nats",
        }),
        panel("Ratios", {
          "clipped share": "palimpsest_learner_clip_ratio",
          largest: "palimpsest_learner_ratio_max",
        }),
        panel("Gradient norm, skipped steps", {
          norm: "palimpsest_learner_gradient_norm",
          "skipped in 5 minutes": "sum(increase(palimpsest_learner_skipped_steps_total[5m]))",
        }),
        panel("Loss", { loss: "palimpsest_learner_loss" }),
        panel("Learning rate", { rate: "palimpsest_learner_learning_rate" }),
        panel("Policy versions between sampling and training, mean", {
          versions: mean("palimpsest_training_staleness_versions"),
        }),
      ],
      "Where the time goes": [
        panel(
          "Seconds per step by phase",
          { "{{phase}}": mean("palimpsest_training_step_seconds", "phase") },
          { unit: "s", width: 12 },
        ),
        panel("Share of a learner's time by phase", {
          "{{phase}}": "sum by (phase) (rate(palimpsest_learner_phase_seconds_total[5m]))",
        }),
        panel("Share of samplers' time by phase", {
          "{{phase}}": "sum by (phase) (rate(palimpsest_sampler_phase_seconds_total[5m]))",
        }),
        panel(
          "Step and policy version",
          { step: "palimpsest_training_step", policyVersion: "palimpsest_learner_policy_version" },
          { width: 12 },
        ),
        panel("Updates per minute", { updates: "60 * sum(rate(palimpsest_learner_updates_total[5m]))" }),
        panel("Trained tokens per second", { tokens: rate("palimpsest_learner_trained_tokens_total") }),
        panel(
          "Time of an update and of a checkpoint, mean",
          {
            update: mean("palimpsest_learner_update_seconds"),
            checkpoint: mean("palimpsest_learner_checkpoint_seconds"),
          },
          { unit: "s" },
        ),
        panel("Records lost to a full disk in 5 minutes", {
          "{{kind}}": "sum by (kind) (increase(palimpsest_learner_records_dropped_total[5m]))",
        }),
        panel(
          "Weights published",
          { "bytes per second": rate("palimpsest_training_weights_published_bytes_total") },
          { unit: "Bps" },
        ),
      ],
    },
  },
  sampler: {
    uid: "palimpsest-sampler",
    title: "Palimpsest: sampler, GPU and serving",
    rows: {
      Sampler: [
        panel("Tokens per second", { "{{kind}}": rate("palimpsest_sampler_tokens_total", "kind") }),
        panel(
          "Rows of the batch in use",
          { "mean share": "avg(palimpsest_sampler_occupancy)" },
          { unit: "percentunit", max: 1 },
        ),
        panel("Requests", {
          running: "sum(palimpsest_sampler_running_requests)",
          waiting: "sum(palimpsest_sampler_waiting_requests)",
        }),
        panel(
          "Prompt tokens found in the prefix cache",
          { "share of prompts": "palimpsest:sampler_cached:ratio" },
          { unit: "percentunit", max: 1 },
        ),
        panel("Requests that wait for a slot, on average", {
          requests: rate("palimpsest_sampler_queue_seconds_total"),
        }),
        panel(
          "Time to load weights, mean",
          { load: mean("palimpsest_sampler_weights_load_seconds") },
          { unit: "s" },
        ),
        panel("Policy version", {
          "newest served": "max(palimpsest_sampler_policy_version)",
          "oldest served": "min(palimpsest_sampler_policy_version)",
        }),
      ],
      "Learner's device": [
        panel("Teraflops of the last update", { teraflops: "palimpsest_learner_teraflops" }, { width: 12 }),
        panel("Tokens of a conversation, mean", { "{{kind}}": "palimpsest_learner_tokens" }, { width: 12 }),
      ],
      "palimpsest serve": [
        panel(
          "Requests per second",
          { "{{endpoint}} {{status}}": rate("palimpsest_serve_requests_total", "endpoint, status") },
          { unit: "ops" },
        ),
        panel(
          "Time to the first token, p95",
          { "{{endpoint}}": quantile(0.95, "palimpsest_serve_first_token_seconds", "endpoint") },
          { unit: "s" },
        ),
        panel(
          "Time to answer, p95",
          { "{{endpoint}}": quantile(0.95, "palimpsest_serve_request_seconds", "endpoint") },
          { unit: "s" },
        ),
        panel("Open choices", { choices: "sum(palimpsest_serve_open_choices)" }),
      ],
    },
  },
  agents: {
    uid: "palimpsest-agents",
    title: "Palimpsest: memory agents",
    rows: {
      Episodes: [
        panel(
          "Parts of the reward",
          { "{{part}}": "palimpsest_training_reward" },
          { description: "Rewards of the answer and, if the agent has them, of steps: recall, format." },
        ),
        panel(
          "Sampled tokens of a conversation, mean",
          { "{{kind}}": "palimpsest_learner_tokens" },
          { description: "A memory update that reaches its token limit is truncated." },
        ),
        panel("Episodes trained per minute", {
          episodes: "60 * sum(rate(palimpsest_training_episodes_total[5m]))",
        }),
      ],
      Groups: [
        panel(
          "Groups with equal rewards",
          { "share of the last update": "palimpsest_learner_zero_variance_ratio" },
          { unit: "percentunit", max: 1 },
        ),
        panel("Groups that were replaced in 5 minutes", {
          refilled: "sum(increase(palimpsest_training_groups_refilled_total[5m]))",
        }),
        panel("Episodes that failed in 5 minutes", {
          "{{stage}}": "sum by (stage) (increase(palimpsest_queue_episodes_failed_total[5m]))",
        }),
      ],
      "Rollouts and rewards": [
        panel(
          "Episodes in the queues",
          {
            "{{queue}} {{state}}":
              'sum by (queue, state) (palimpsest_queue_jobs{state=~"waiting|active|delayed"})',
          },
          { width: 12 },
        ),
        panel(
          "Time of an episode and of its reward, mean",
          { "{{kind}}": mean("palimpsest_queue_job_seconds", "kind") },
          { unit: "s", width: 12 },
        ),
      ],
    },
  },
};

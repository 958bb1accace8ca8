import { counter, fastSeconds, gauge, histogram, type MetricTable, slowSeconds } from "./definition.js";

/** Metrics of the processes of a cluster: the head, nodes, actors and the queues. */
export const clusterMetrics = {
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
  palimpsest_head_share_leased_ratio: gauge(
    "Part of the cluster that a fairness key leases: of the resource of which it has most. The keys beyond the 50 with most leases and requests count together.",
    "ratio",
    ["fairness_key"],
  ),
  palimpsest_head_share_fair_ratio: gauge(
    "Part of the cluster that a fairness key's weight is worth among the keys that lease or wait.",
    "ratio",
    ["fairness_key"],
  ),
  palimpsest_head_object_quota_bytes: gauge(
    "Bytes of objects by quota, of the 50 with most of them: kind allowed by it, used, and granted to nodes.",
    "bytes",
    ["quota", "kind"],
  ),
  palimpsest_head_object_quota_waiting: gauge(
    "Nodes on which objects wait for a quota of bytes, by quota.",
    "1",
    ["quota"],
  ),
  palimpsest_head_share_waiting: gauge(
    "Actors, tasks' processes and drivers that wait, by fairness key.",
    "1",
    ["fairness_key"],
  ),
  palimpsest_head_preemptions_total: counter(
    "Actors and tasks' processes that were stopped for others, by their fairness key and by cause: priority or share.",
    "1",
    ["fairness_key", "cause"],
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
    "Retried starts of actors, by cause: error (a transient failure) or node (the node was lost during the start).",
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
} as const satisfies MetricTable<"head" | "node" | "actor" | "queue">;

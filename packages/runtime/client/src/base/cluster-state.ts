import { shownValue } from "@palimpsest/std/input";
import { callTree, fieldsOf, headService } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import { type ActorFilter, type ActorInfo, actorStateOf, actorView } from "./actor-view.js";
import { checkFields, checkObject, checkValue, type Rules, refused, rules, waitRules } from "./fields.js";
import type { HeadCallOptions, HeadClient } from "./head-client.js";
import { pages } from "./pages.js";
import {
  groupStateOf,
  groupView,
  type PlacementGroupFilter,
  type PlacementGroupInfo,
} from "./placement-group.js";
import {
  type ClusterEventFilter,
  type ClusterEventInfo,
  type TaskCountsInfo,
  type TaskFilter,
  type TaskInfo,
  taskCountsView,
  taskRequest,
  taskView,
} from "./task-views.js";
import {
  type ClusterInfo,
  type ClusterSummary,
  clusterView,
  type DriverInfo,
  driverView,
  type NodeFilter,
  type NodeInfo,
  nodeStateOf,
  nodeView,
  type ObjectList,
  objectListView,
  type ProcessProfile,
  type ProcessStack,
  type ProfileCallOptions,
  type QueueInfo,
  summaryView,
} from "./views.js";

/** The milliseconds that a process may take to return its stack. */
const stackTimeoutMs = 10_000;
/** The longest profile in milliseconds, and the time that its answer may take. */
const maxProfileMs = 20_000;
const profileAnswerMs = 5_000;

const filterRules = {
  ...{ states: rules.texts, kinds: rules.texts, limit: rules.count, includeDead: rules.flag },
  ...{ hostname: rules.text, nodeId: rules.text, jobId: rules.text, role: rules.text, namespace: rules.text },
  ...{
    className: rules.text,
    ownerId: rules.text,
    name: rules.text,
    actorId: rules.text,
    callerId: rules.text,
  },
  ...{ errorCode: rules.text, kind: rules.text, subjectId: rules.text },
} as const satisfies Rules;

/** Returns the rules of these filters, and of a call. */
function rulesOf(...names: readonly (keyof typeof filterRules)[]): Rules {
  return { ...Object.fromEntries(names.map((name) => [name, filterRules[name]])), ...waitRules };
}

/** Reads the head's tables. Nothing here changes anything. */
export class ClusterState {
  readonly #head: HeadClient;

  protected constructor(head: HeadClient) {
    this.#head = head;
  }

  async info(options: HeadCallOptions = {}): Promise<ClusterInfo> {
    checkFields(options, rulesOf(), "options of info()");
    return clusterView(await this.#head.call(headService.getCluster, {}, options));
  }

  /** Lists all nodes, or those that match the filter. */
  async nodes(options: HeadCallOptions & NodeFilter = {}): Promise<readonly NodeInfo[]> {
    checkFields(options, rulesOf("states", "hostname", "limit"), "options of nodes()");
    const { hostname = "", states = [], limit, ...call } = options;
    const filter = { hostname, states: states.map(nodeStateOf) };
    return await pages(limit, async (pageLimit, pageToken) => {
      const request = { ...filter, limit: pageLimit, pageToken };
      const { nodes, nextPageToken } = await this.#head.call(headService.listNodes, request, call);
      return { rows: (nodes ?? []).map(nodeView), nextPageToken: nextPageToken ?? "" };
    });
  }

  /** Lists the programs with an open session, this one too. @throws {PalimpsestError} PROTOCOL_MISMATCH of an old head */
  async drivers(options: HeadCallOptions = {}): Promise<readonly DriverInfo[]> {
    checkFields(options, rulesOf(), "options of drivers()");
    const { drivers } = await this.#head.call(headService.listDrivers, {}, options);
    return (drivers ?? []).map(driverView);
  }

  /** Lists all actors that are not dead, or those that match the filter. */
  async actors(options: HeadCallOptions & ActorFilter = {}): Promise<readonly ActorInfo[]> {
    checkFields(
      options,
      rulesOf("includeDead", "states", "nodeId", "jobId", "role", "namespace", "className", "limit"),
      "options of actors()",
    );
    const { includeDead = false, states = [], nodeId = "", jobId = "", limit, ...others } = options;
    const { role = "", className = "", namespace = "", ...call } = others;
    const filter = {
      includeDead,
      nodeId,
      jobId,
      role,
      className,
      namespace,
      states: states.map(actorStateOf),
    };
    return await pages(limit, async (pageLimit, pageToken) => {
      const request = { ...filter, limit: pageLimit, pageToken };
      const { actors, nextPageToken } = await this.#head.call(headService.listActors, request, call);
      return { rows: (actors ?? []).map(actorView), nextPageToken: nextPageToken ?? "" };
    });
  }

  /** Lists all placement groups, or those that match the filter. */
  async placementGroups(
    options: HeadCallOptions & PlacementGroupFilter = {},
  ): Promise<readonly PlacementGroupInfo[]> {
    checkFields(options, rulesOf("states", "ownerId", "jobId", "limit"), "options of placementGroups()");
    const { states = [], ownerId = "", jobId = "", limit, ...call } = options;
    const filter = { ownerId, jobId, states: states.map(groupStateOf) };
    return await pages(limit, async (pageLimit, pageToken) => {
      const request = { ...filter, limit: pageLimit, pageToken };
      const { groups, nextPageToken } = await this.#head.call(headService.listPlacementGroups, request, call);
      return { rows: (groups ?? []).map(groupView), nextPageToken: nextPageToken ?? "" };
    });
  }

  /** Returns counts of everything, and of pending work. It is answered at once, however large the cluster is. */
  async summary(options: HeadCallOptions = {}): Promise<ClusterSummary> {
    checkFields(options, rulesOf(), "options of summary()");
    return summaryView(await this.#head.call(headService.summarize, {}, options));
  }

  /**
   * Returns the addresses of the nodes that have the object: first those that hold it, then those with copies. Empty
   * means that it is lost or freed.
   */
  async locateObject(
    ref: { readonly objectId: string },
    options: HeadCallOptions = {},
  ): Promise<readonly string[]> {
    checkObject(ref, "the argument of locateObject()");
    const { objectId } = ref;
    checkValue(objectId, rules.filledText, "objectId of locateObject()");
    const answer = await this.#head.call(headService.locateObject, { objectId, waitMs: 0 }, options);
    return answer.addresses ?? [];
  }

  /** Returns those of the objects that no node has any more. Empty while a node that may have them is away. */
  async missingObjects<Ref extends { readonly objectId: string }>(
    refs: readonly Ref[],
    options: HeadCallOptions = {},
  ): Promise<readonly Ref[]> {
    if (!Array.isArray(refs) || refs.some((ref) => typeof ref?.objectId !== "string"))
      throw refused("the argument of missingObjects()", `is ${shownValue(refs)}: give a list of references`);
    const request = { objectIds: refs.map(({ objectId }) => objectId) };
    const answer = await this.#head.call(headService.missingObjects, request, options);
    const missing = new Set(answer.complete ? answer.objectIds : []);
    return refs.filter(({ objectId }) => missing.has(objectId));
  }

  /**
   * Lists objects in the cluster's object stores, at most `limit` of them (default 100). The head learns of an object after
   * the call that stored it has returned.
   */
  async listObjects(options: HeadCallOptions & { readonly limit?: number } = {}): Promise<ObjectList> {
    checkFields(options, rulesOf("limit"), "options of listObjects()");
    const request = { limit: options.limit ?? 0 };
    return objectListView(await this.#head.call(headService.listObjects, request, options));
  }

  /**
   * Lists tasks, calls of actors and transfers of objects: pending and running ones first, then the newest. If there
   * are many, the list is a sample; `taskSummary` counts all.
   */
  async tasks(options: HeadCallOptions & TaskFilter = {}): Promise<readonly TaskInfo[]> {
    checkFields(
      options,
      rulesOf("states", "kinds", "name", "jobId", "nodeId", "actorId", "callerId", "errorCode", "limit"),
      "options of tasks()",
    );
    const { timeoutMs, signal, limit, ...filter } = options;
    const call = { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(signal ? { signal } : {}) };
    const asked = taskRequest(filter);
    return await pages(limit, async (pageLimit, pageToken) => {
      const request = { ...asked, limit: pageLimit, pageToken };
      const { tasks, nextPageToken } = await this.#head.call(headService.listTasks, request, call);
      return { rows: (tasks ?? []).map(taskView), nextPageToken: nextPageToken ?? "" };
    });
  }

  /** Counts tasks, calls and transfers by name. */
  async taskSummary(
    options: HeadCallOptions & { readonly jobId?: string } = {},
  ): Promise<readonly TaskCountsInfo[]> {
    checkFields(options, rulesOf("jobId"), "options of taskSummary()");
    const { jobId = "", ...call } = options;
    const { counts } = await this.#head.call(headService.summarizeTasks, { jobId }, call);
    return (counts ?? []).map(taskCountsView);
  }

  /** Lists events of nodes, actors and jobs, the newest first. */
  async events(options: HeadCallOptions & ClusterEventFilter = {}): Promise<readonly ClusterEventInfo[]> {
    checkFields(options, rulesOf("kind", "subjectId", "nodeId", "jobId", "limit"), "options of events()");
    const { kind = "", subjectId = "", nodeId = "", jobId = "", limit, ...call } = options;
    return await pages(limit, async (pageLimit, pageToken) => {
      const request = { kind, subjectId, nodeId, jobId, limit: pageLimit, pageToken };
      const { events, nextPageToken } = await this.#head.call(headService.listEvents, request, call);
      const rows = (events ?? []).map((event) => fieldsOf(proto.ClusterEvent, event));
      return { rows, nextPageToken: nextPageToken ?? "" };
    });
  }

  async queues(options: HeadCallOptions = {}): Promise<readonly QueueInfo[]> {
    checkFields(options, rulesOf(), "options of queues()");
    const { queues } = await this.#head.call(headService.listQueues, {}, options);
    return (queues ?? []).map((queue) => fieldsOf(proto.QueueInfo, queue));
  }

  /**
   * Returns the current stack of a process of the cluster, also of one that computes and answers nothing else.
   * @param target id or name of an actor, job, driver or node, or a process id
   * @throws {PalimpsestError} NOT_FOUND, UNAVAILABLE, GET_TIMEOUT
   */
  async stack(target: string, options: HeadCallOptions = {}): Promise<ProcessStack> {
    checkValue(target, rules.filledText, "the argument of stack()");
    checkFields(options, waitRules, "options of stack()");
    const timeoutMs = Math.min(options.timeoutMs ?? stackTimeoutMs, stackTimeoutMs);
    const report = await this.#head.call(headService.getStack, { target, timeoutMs }, options);
    const { profile: _, ...stack } = fieldsOf(proto.StackReport, report);
    return stack;
  }

  /**
   * Profiles a process of the cluster: which functions its thread's time goes to, or which allocated what is still in use.
   * @param target as of `stack`
   * @throws {PalimpsestError} NOT_FOUND, UNAVAILABLE, GET_TIMEOUT
   */
  async profile(target: string, options: ProfileCallOptions = {}): Promise<ProcessProfile> {
    checkValue(target, rules.filledText, "the argument of profile()");
    checkFields(
      options,
      { durationMs: rules.milliseconds, heap: rules.flag, signal: rules.signal },
      "options of profile()",
    );
    const { durationMs = 5_000, heap = false, signal } = options;
    if (durationMs < 1 || durationMs > maxProfileMs)
      throw refused("options of profile()", `durationMs is ${durationMs}; give 1 to ${maxProfileMs}`);
    const timeoutMs = durationMs + profileAnswerMs;
    const request = { target, timeoutMs, profileMs: Math.round(durationMs), heap };
    const call = { timeoutMs: timeoutMs + profileAnswerMs, ...(signal ? { signal } : {}) };
    const report = await this.#head.call(headService.getStack, request, call);
    const { title, pid, problem, profile } = fieldsOf(proto.StackReport, report);
    return { title, pid, problem, calls: callTree(fieldsOf(proto.Profile, profile ?? {})) };
  }
}

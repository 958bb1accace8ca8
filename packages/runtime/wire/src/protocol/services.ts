import * as proto from "@palimpsest/wire/protocol";
import { access } from "./access.js";
import { type Method, serviceMethods } from "./method.js";

// There is one object for each service of protos/palimpsest/v1. It has the methods under the names that grpc-js
// expects, and says who may call them.

const head = serviceMethods("Head");
/** The methods of the service `Head`. */
export const headService = {
  getCluster: head.unary("GetCluster", proto.GetClusterRequest, proto.ClusterInfo, access.read),
  session: head.bidi("Session", proto.SessionMessage, proto.SessionEvent, access.live),
  createActor: head.streamed("CreateActor", proto.CreateActorRequest, proto.ActorInfo, access.create),
  resolveActor: head.streamed("ResolveActor", proto.ResolveActorRequest, proto.ActorInfo, access.read),
  getStack: head.unary("GetStack", proto.GetStackRequest, proto.StackReport, access.administer),
  killActor: head.streamed("KillActor", proto.KillActorRequest, proto.ActorInfo, access.change),
  createPlacementGroup: head.streamed(
    "CreatePlacementGroup",
    proto.CreatePlacementGroupRequest,
    proto.PlacementGroupInfo,
    access.describe,
  ),
  resolvePlacementGroup: head.streamed(
    "ResolvePlacementGroup",
    proto.ResolvePlacementGroupRequest,
    proto.PlacementGroupInfo,
    access.read,
  ),
  removePlacementGroup: head.streamed(
    "RemovePlacementGroup",
    proto.RemovePlacementGroupRequest,
    proto.PlacementGroupInfo,
    access.change,
  ),
  listPlacementGroups: head.unary(
    "ListPlacementGroups",
    proto.ListPlacementGroupsRequest,
    proto.ListPlacementGroupsResponse,
    access.read,
  ),
  listActors: head.unary("ListActors", proto.ListActorsRequest, proto.ListActorsResponse, access.read),
  listNodes: head.unary("ListNodes", proto.ListNodesRequest, proto.ListNodesResponse, access.read),
  summarize: head.unary("Summarize", proto.SummarizeRequest, proto.Summary, access.read),
  listQueues: head.unary("ListQueues", proto.ListQueuesRequest, proto.ListQueuesResponse, access.read),
  listUse: head.unary("ListUse", proto.ListUseRequest, proto.ListUseResponse, access.read),
  locateObject: head.unary(
    "LocateObject",
    proto.LocateObjectRequest,
    proto.LocateObjectResponse,
    access.bytes,
  ),
  recoverObject: head.unary(
    "RecoverObject",
    proto.RecoverObjectRequest,
    proto.RecoverObjectResponse,
    access.bytes,
  ),
  freeObjects: head.unary("FreeObjects", proto.FreeObjectsRequest, proto.FreeObjectsResponse, access.bytes),
  missingObjects: head.unary(
    "MissingObjects",
    proto.MissingObjectsRequest,
    proto.MissingObjectsResponse,
    access.bytes,
  ),
  listObjects: head.unary("ListObjects", proto.ListObjectsRequest, proto.ListObjectsResponse, access.read),
  reportTasks: head.unary("ReportTasks", proto.ReportTasksRequest, proto.ReportTasksResponse, access.use),
  listTasks: head.unary("ListTasks", proto.ListTasksRequest, proto.ListTasksResponse, access.read),
  summarizeTasks: head.unary(
    "SummarizeTasks",
    proto.SummarizeTasksRequest,
    proto.SummarizeTasksResponse,
    access.read,
  ),
  listEvents: head.unary("ListEvents", proto.ListEventsRequest, proto.ListEventsResponse, access.read),
  listDrivers: head.unary("ListDrivers", proto.ListDriversRequest, proto.ListDriversResponse, access.read, 2),
  drainNode: head.unary("DrainNode", proto.DrainNodeRequest, proto.DrainNodeResponse, access.administer),
  awaitDemand: head.unary("AwaitDemand", proto.AwaitDemandRequest, proto.AwaitDemandResponse, access.use),
  setWaiting: head.unary("SetWaiting", proto.SetWaitingRequest, proto.SetWaitingResponse, access.use),
  openDurable: head.unary("OpenDurable", proto.OpenDurableRequest, proto.OpenDurableResponse, access.carry),
  commitDurable: head.unary(
    "CommitDurable",
    proto.CommitDurableRequest,
    proto.CommitDurableResponse,
    access.carry,
  ),
  removeDurable: head.unary(
    "RemoveDurable",
    proto.RemoveDurableRequest,
    proto.RemoveDurableResponse,
    access.change,
  ),
  rotateToken: head.unary("RotateToken", proto.RotateTokenRequest, proto.RotateTokenResponse, access.replace),
  followToken: head.serverStream("FollowToken", proto.FollowTokenRequest, proto.TokenState, access.follow),
  shutdown: head.unary("Shutdown", proto.ShutdownRequest, proto.ShutdownResponse, access.administer),
} as const;

const requests = serviceMethods("Requests");
export const requestsService = {
  open: requests.bidi("Open", proto.RequestBatch, proto.AnswerBatch, access.requests),
} as const;

const nodeLink = serviceMethods("NodeLink");
/** The methods of the service `NodeLink`, by which nodes follow their head. */
export const nodeLinkService = {
  link: nodeLink.bidi("Link", proto.NodeMessage, proto.HeadMessage, access.node),
  jobOutput: nodeLink.bidi("JobOutput", proto.DriverOutput, proto.DriverOutputAck, access.node),
} as const;

const actorHost = serviceMethods("ActorHost");
/** The methods of the service `ActorHost`, which every actor's process serves. */
export const actorHostService = {
  calls: actorHost.bidi("Calls", proto.CallBatch, proto.ReplyBatch, access.call),
  meshCalls: actorHost.bidi("MeshCalls", proto.CallBatch, proto.ReplyBatch, access.call),
  sharedCalls: actorHost.bidi("SharedCalls", proto.CallBatch, proto.ReplyBatch, access.call),
} as const;

const objects = serviceMethods("Objects");
/** The methods of the service `Objects`, which every node serves. */
export const objectsService = {
  put: objects.clientStream("Put", proto.PutChunk, proto.ObjectInfo, access.carry),
  write: objects.bidi("Write", proto.WriteOrder, proto.WriteAnswer, access.carry),
  pull: objects.serverStream("Pull", proto.PullRequest, proto.PullChunk, access.bytes),
  fetch: objects.unary("Fetch", proto.FetchRequest, proto.ObjectInfo, access.bytes),
  stat: objects.unary("Stat", proto.StatRequest, proto.ObjectInfo, access.bytes),
  free: objects.unary("Free", proto.FreeRequest, proto.FreeResponse, access.free),
  link: objects.bidi("Link", proto.ObjectOrders, proto.ObjectAnswers, access.live),
  hold: objects.unary("Hold", proto.HoldRequest, proto.HoldResponse, access.node),
  describe: objects.unary(
    "Describe",
    proto.DescribeObjectsRequest,
    proto.DescribeObjectsResponse,
    access.read,
  ),
} as const;

const nodeLogs = serviceMethods("NodeLogs");
/** The methods of the service `NodeLogs`, which every node serves. */
export const nodeLogsService = {
  getLog: nodeLogs.serverStream("GetLog", proto.ReadLogRequest, proto.ActorLogChunk, access.read),
} as const;

const jobs = serviceMethods("Jobs");
/** The methods of the service `Jobs`, which the head serves. */
export const jobsService = {
  putBundle: jobs.clientStream("PutBundle", proto.BundleChunk, proto.BundleInfo, access.carry),
  getBundle: jobs.serverStream("GetBundle", proto.GetBundleRequest, proto.BundleChunk, access.bytes),
  submit: jobs.unary("Submit", proto.SubmitRequest, proto.JobInfo, access.administer),
  get: jobs.unary("Get", proto.GetJobRequest, proto.JobInfo, access.read),
  list: jobs.unary("List", proto.ListJobsRequest, proto.ListJobsResponse, access.read),
  stop: jobs.unary("Stop", proto.StopJobRequest, proto.JobInfo, access.administer),
  delete: jobs.unary("Delete", proto.DeleteJobRequest, proto.JobInfo, access.administer),
  logs: jobs.serverStream("Logs", proto.LogsRequest, proto.LogChunk, access.read),
} as const;

/** Every method of the cluster. */
export const allMethods: readonly Pick<Method<never, unknown>, "name" | "path" | "since">[] = [
  ...[
    headService,
    requestsService,
    nodeLinkService,
    actorHostService,
    objectsService,
    nodeLogsService,
    jobsService,
  ],
].flatMap((service) => Object.values(service));

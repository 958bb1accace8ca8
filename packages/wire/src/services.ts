import * as proto from "@palimpsest/wire/protocol";
import { serviceMethods } from "./method.js";

// One object a service of protos/palimpsest/v1, its methods under the names that grpc-js wants.

const head = serviceMethods("Head");
export const headService = {
  getCluster: head.unary("GetCluster", proto.GetClusterRequest, proto.ClusterInfo),
  session: head.bidi("Session", proto.SessionMessage, proto.SessionEvent),
  createActor: head.unary("CreateActor", proto.CreateActorRequest, proto.ActorInfo),
  resolveActor: head.unary("ResolveActor", proto.ResolveActorRequest, proto.ActorInfo),
  killActor: head.unary("KillActor", proto.KillActorRequest, proto.ActorInfo),
  listActors: head.unary("ListActors", proto.ListActorsRequest, proto.ListActorsResponse),
  listNodes: head.unary("ListNodes", proto.ListNodesRequest, proto.ListNodesResponse),
  listQueues: head.unary("ListQueues", proto.ListQueuesRequest, proto.ListQueuesResponse),
  shutdown: head.unary("Shutdown", proto.ShutdownRequest, proto.ShutdownResponse),
} as const;

const nodeLink = serviceMethods("NodeLink");
export const nodeLinkService = {
  link: nodeLink.bidi("Link", proto.NodeMessage, proto.HeadMessage),
} as const;

const actorHost = serviceMethods("ActorHost");
export const actorHostService = {
  calls: actorHost.bidi("Calls", proto.CallBatch, proto.ReplyBatch),
} as const;

const objects = serviceMethods("Objects");
export const objectsService = {
  put: objects.clientStream("Put", proto.PutChunk, proto.ObjectInfo),
  pull: objects.serverStream("Pull", proto.PullRequest, proto.PullChunk),
  fetch: objects.unary("Fetch", proto.FetchRequest, proto.ObjectInfo),
  stat: objects.unary("Stat", proto.StatRequest, proto.ObjectInfo),
  delete: objects.unary("Delete", proto.DeleteRequest, proto.DeleteResponse),
} as const;

const jobs = serviceMethods("Jobs");
export const jobsService = {
  putBundle: jobs.clientStream("PutBundle", proto.BundleChunk, proto.BundleInfo),
  getBundle: jobs.serverStream("GetBundle", proto.GetBundleRequest, proto.BundleChunk),
  submit: jobs.unary("Submit", proto.SubmitRequest, proto.JobInfo),
  get: jobs.unary("Get", proto.GetJobRequest, proto.JobInfo),
  list: jobs.unary("List", proto.ListJobsRequest, proto.ListJobsResponse),
  stop: jobs.unary("Stop", proto.StopJobRequest, proto.JobInfo),
  logs: jobs.serverStream("Logs", proto.LogsRequest, proto.LogChunk),
} as const;

// For users: actorModule, connect, fromEnvironment, taskContext, taskModule, ActorPool, Queue, PalimpsestError, and the types of what they give.
// For other packages: ActorChannel, MeshCalls, Objects, bundleModule, createHandle, isSignalMarker, knowBundle,
// maxCallBytes, reservedMethods, setTaskContext, SharedStreams.

export { type ErrorCode, PalimpsestError } from "@palimpsest/wire";
export { ActorChannel, type ActorChannelOptions } from "./actor-channel.js";
export type { ActorContext, ActorLifecycle } from "./actor-context.js";
export type {
  ActorControls,
  ActorHandle,
  CallSettings,
  RemoteMethod,
  RemoteMethods,
} from "./actor-handle.js";
export { createHandle, reservedMethods } from "./actor-handle.js";
export { ActorPool } from "./actor-pool.js";
export type { ActorResolver } from "./actor-resolver.js";
export type { ActorClass, ActorSource, ActorType } from "./actor-type.js";
export {
  type ActorFilter,
  type ActorInfo,
  type ActorStateName,
  type DeathCertificate,
  fullNameOf,
} from "./actor-view.js";
export type { BundleOptions } from "./build-module.js";
export { type Bundle, bundleModule } from "./bundle.js";
export { isSignalMarker } from "./call-arguments.js";
export { Cluster } from "./cluster.js";
export type { DrainProgress } from "./cluster-administration.js";
export {
  type ActorModule,
  actorModule,
  type CodeModuleOptions,
  type TaskModule,
  taskModule,
} from "./code-module.js";
export type { CodeSource } from "./code-ref.js";
export { knowBundle } from "./code-ref.js";
export type { ActorOptions, ConnectOptions, PlacementGroupOptions, TaskOptions } from "./config.js";
export { connect } from "./connect.js";
export type { DurableState, DurableTimer, DurableTimers, TimerDelay } from "./durable.js";
export { fromEnvironment } from "./environment.js";
export type { HeadCallOptions } from "./head-client.js";
export { HeadClient } from "./head-client.js";
export type { JobInfo, JobLogsOptions, JobStatusName, Jobs, SubmitJobOptions } from "./jobs.js";
export type { Mesh, MeshMember, MeshOptions, MeshResult, MeshSlice, MeshType } from "./mesh.js";
export { type MeshCallSettings, MeshCalls } from "./mesh-calls.js";
export type { Coordinates, MeshShape, Selection } from "./mesh-shape.js";
export type { ModuleSource } from "./module-source.js";
export type { HeldObject, MemoryOptions, ObjectMemory } from "./object-memory.js";
export { type GetOptions, ObjectRef } from "./object-ref.js";
export type { ContentRef, HoldOptions, ObjectCallOptions } from "./objects.js";
export { Objects, type ObjectsOptions } from "./objects.js";
export { maxCallBytes, type OutgoingValue, outgoingValue } from "./outgoing-value.js";
export type {
  BundleInfo,
  GroupStrategyName,
  PlacementGroupFilter,
  PlacementGroupInfo,
  PlacementGroupStateName,
} from "./placement-group.js";
export { PlacementGroup } from "./placement-group.js";
export type { PoolWork } from "./pool-map.js";
export { ProgramValues } from "./program-values.js";
export { Queue, type QueueHandle, type QueueOptions, type QueueWait } from "./queue.js";
export { SharedStreams } from "./shared-streams.js";
export type { TaskContext } from "./task-context.js";
export { setTaskContext, taskContext } from "./task-context.js";
export type { TaskControls, TaskFunction, TaskType } from "./task-type.js";
export {
  type ClusterEventFilter,
  type ClusterEventInfo,
  type TaskCountsInfo,
  type TaskFilter,
  type TaskInfo,
  type TaskKindName,
  type TaskStateName,
  taskKindNames,
  taskStateNames,
} from "./task-views.js";
export { type PutOptions, ValueStore } from "./value-store.js";
export type { Waitable, Waited, WaitOptions } from "./value-wait.js";
export type {
  AutoscalerStatus,
  ClusterInfo,
  ClusterSummary,
  NodeFilter,
  NodeInfo,
  NodeStateName,
  ObjectList,
  ObjectRow,
  ProcessStack,
  QueueInfo,
  WaitingShape,
} from "./views.js";

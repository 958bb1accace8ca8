// For users: actorModule, connect, fromEnvironment, taskContext, taskModule, ActorPool, Queue, PalimpsestError, and the types of what they give.
// For other packages: ActorChannel, MeshCalls, Objects, bundleModule, createHandle, isSignalMarker, knowBundle,
// maxCallBytes, reservedMethods, setTaskContext, SharedStreams.

export {
  type ActorBulk,
  type ErrorCode,
  type LentBulk,
  lentBulk,
  PalimpsestError,
  type ProfiledCall,
  releasePages,
} from "@palimpsest/wire";
export type {
  ActorControls,
  ActorHandle,
  CallSettings,
  RemoteMethod,
  RemoteMethods,
} from "./actors/actor-handle.js";
export { createHandle, reservedMethods } from "./actors/actor-handle.js";
export type { ActorClass, ActorSource, ActorType } from "./actors/actor-type.js";
export { ProgramValues } from "./actors/program-values.js";
export type { ActorResolver } from "./base/actor-resolver.js";
export {
  type ActorFilter,
  type ActorInfo,
  type ActorStateName,
  type DeathCertificate,
  fullNameOf,
} from "./base/actor-view.js";
export type { ActorOptions, ConnectOptions, PlacementGroupOptions, TaskOptions } from "./base/config.js";
export type { DurableState, DurableTimer, DurableTimers, TimerDelay } from "./base/durable.js";
export type { HeadCallOptions } from "./base/head-client.js";
export { HeadClient } from "./base/head-client.js";
export { type GetOptions, ObjectRef } from "./base/object-ref.js";
export type {
  BundleInfo,
  GroupStrategyName,
  PlacementGroupFilter,
  PlacementGroupInfo,
  PlacementGroupStateName,
} from "./base/placement-group.js";
export { PlacementGroup } from "./base/placement-group.js";
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
} from "./base/task-views.js";
export type {
  AutoscalerStatus,
  ClusterInfo,
  ClusterSummary,
  DriverInfo,
  NodeFilter,
  NodeInfo,
  NodeStateName,
  ObjectList,
  ObjectQuotaSummary,
  ObjectRow,
  ProcessProfile,
  ProcessStack,
  ProfileCallOptions,
  QueueInfo,
  WaitingShape,
} from "./base/views.js";
export { ActorChannel, type ActorChannelOptions } from "./calls/actor-channel.js";
export { isSignalMarker } from "./calls/call-arguments.js";
export { SharedStreams } from "./calls/shared-streams.js";
export type { ActorContext, ActorLifecycle } from "./cluster/actor-context.js";
export { Cluster } from "./cluster/cluster.js";
export type { DrainProgress } from "./cluster/cluster-administration.js";
export { connect } from "./cluster/connect.js";
export { fromEnvironment } from "./cluster/environment.js";
export type { HeadInfo } from "./cluster/head-infos.js";
export type { TaskContext } from "./cluster/task-context.js";
export { setTaskContext, taskContext } from "./cluster/task-context.js";
export type { BundleOptions } from "./jobs/build-module.js";
export { type Bundle, bundleModule } from "./jobs/bundle.js";
export type { CodeSource } from "./jobs/code-ref.js";
export { knowBundle } from "./jobs/code-ref.js";
export type { JobInfo, JobLogsOptions, JobStatusName, Jobs, SubmitJobOptions } from "./jobs/jobs.js";
export type { ModuleSource } from "./jobs/module-source.js";
export type { Mesh, MeshMember, MeshOptions, MeshResult, MeshSlice, MeshType } from "./mesh/mesh.js";
export { type MeshCallSettings, MeshCalls } from "./mesh/mesh-calls.js";
export type { Coordinates, MeshShape, Selection } from "./mesh/mesh-shape.js";
export { Queue, type QueueHandle, type QueueOptions, type QueueWait } from "./queue/queue.js";
export { ActorPool } from "./tasks/actor-pool.js";
export {
  type ActorModule,
  actorModule,
  type CodeModuleOptions,
  type TaskModule,
  taskModule,
} from "./tasks/code-module.js";
export type { PoolWork } from "./tasks/pool-map.js";
export type { TaskControls, TaskFunction, TaskType } from "./tasks/task-type.js";
export type { HeldObject, MemoryOptions, ObjectMemory } from "./values/object-memory.js";
export type { ContentRef, HoldOptions, ObjectCallOptions } from "./values/objects.js";
export { Objects, type ObjectsOptions } from "./values/objects.js";
export { maxCallBytes, type OutgoingValue, outgoingValue } from "./values/outgoing-value.js";
export { type PutOptions, ValueStore } from "./values/value-store.js";
export type { Waitable, Waited, WaitOptions } from "./values/value-wait.js";

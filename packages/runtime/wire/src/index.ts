// Symbols for users of the runtime.

export {
  type ErrorCode,
  type ErrorDetails,
  type ErrorOptions,
  errorCodes,
  PalimpsestError,
} from "./base/error.js";
export {
  bundledName,
  isUserFrame,
  knowPackage,
  located,
  packageFolder,
  rejection,
  showsInternals,
  userFrames,
  withCaller,
} from "./base/frames.js";
export { freeText } from "./base/free-text.js";
export { OldestFirstMap } from "./base/oldest-first-map.js";
export { partsOfThrown, thrownMessage, thrownText } from "./base/thrown.js";
export type { BulkConnection } from "./bulk/bulk-client.js";
export { type BulkRequest, maxBulkBytes } from "./bulk/bulk-frames.js";
export type { BulkBytes, BulkReader } from "./bulk/bulk-server.js";
export { errorFromProto, errorToProto } from "./failures/error-message.js";
export { isNetworkFailure } from "./failures/network-failure.js";
export { retryUntil } from "./failures/retry.js";
export { fromGrpcError, toGrpcError } from "./failures/status.js";
export { epochUs, type RecordedTask, type TaskOutcome, TaskRecorder } from "./failures/task-recorder.js";
export { faultsLoaded } from "./faults/environment-faults.js";
export { HeadConnection } from "./head/head-connection.js";
export { HeadPeer } from "./head/head-peer.js";
export { type LastError, lastError, lastWords } from "./machine/last-words.js";
export {
  canMapIn,
  collectBuffers,
  isUnmapped,
  type MappableFile,
  type MappedPart,
  mapInto,
  mappedBuffer,
  mappedBytes,
  mappingProblem,
  openMappable,
  pageBeginBytes,
  releasePages,
} from "./machine/mapped-files.js";
export { listenWithin, type PortRange } from "./machine/port-range.js";
export { holdProcess } from "./machine/process-hold.js";
export {
  callTree,
  type ProfiledCall,
  type Profilee,
  type ProfileOptions,
  type ProfileReading,
  readProfile,
} from "./machine/profile.js";
export { softwareVersion } from "./machine/software-version.js";
export { inSources } from "./machine/source-places.js";
export { type Debuggee, readStack, type StackReading } from "./machine/stack.js";
export { cacheFolder, configFolder, stateFolder } from "./machine/user-folders.js";
export { type WritableMapping, writableMapping } from "./machine/writable-mapping.js";
export { type ActorBulk, type LentBulk, lentBulk, OwnBulk } from "./network/actor-bulk.js";
export { bearerMetadata } from "./network/channel.js";
export { type Deadline, Deadlines, type Expiring } from "./network/deadlines.js";
export { FramePipe } from "./network/frame-pipe.js";
export { type GrpcNetworkOptions, grpcNetwork } from "./network/grpc-network.js";
export { type HandlerOf, refusals, type ServiceHandlers, servePart } from "./network/handlers.js";
export { type LocalCaller, LocalCalls } from "./network/local-calls.js";
export type { CallSettings, Network, Peer, RpcServer } from "./network/network.js";
export { refuseOpenBind } from "./network/open-bind.js";
export { formatAddress, isLoopback, plainHost, unary } from "./network/server.js";
export { type Access, access, type Role, roles, type TokenRole } from "./protocol/access.js";
export { type Addressee, addresseeMetadata, addresseeOf, callerNamed } from "./protocol/addressee.js";
export type { ChannelKind } from "./protocol/channel-kind.js";
export { needsFence } from "./protocol/fence.js";
export { type IdKind, newId, newToken } from "./protocol/id.js";
export { addLazily } from "./protocol/lazy-service.js";
export { fieldsOf } from "./protocol/message-fields.js";
export type { MessageType, Method } from "./protocol/method.js";
export {
  meetProtocols,
  missingMethod,
  ownProtocols,
  type ProtocolRange,
  protocolsFrom,
  protocolsText,
  sharesProtocol,
} from "./protocol/protocol-range.js";
export { type OwnResource, ownResource, resourceNameProblem } from "./protocol/resource-names.js";
export {
  actorHostService,
  headService,
  jobsService,
  nodeLinkService,
  nodeLogsService,
  objectsService,
  requestsService,
} from "./protocol/services.js";
export { transferTimeoutMs } from "./protocol/transfer.js";
// Symbols for other packages of Palimpsest.
export { AuditLog, auditPathsOf } from "./security/audit-log.js";
export { type Caller, type CallRecord, callerOf, isReader } from "./security/authorization.js";
export { Credentials, type Grant, roleToken } from "./security/credentials.js";
export { type HttpGuard, httpGuard } from "./security/http-guard.js";
export { adoptCredentials, credentialsOf, processCredentials } from "./security/process-credentials.js";
export { redisTlsOptions, redisUrlWithCa } from "./security/redis-tls.js";
export {
  checkServer,
  contextOf,
  loadTls,
  readRevoked,
  revokedFile,
  type TlsIdentity,
  tlsFiles,
  tlsIdentity,
} from "./security/tls.js";
export { tlsMismatch } from "./security/tls-mismatch.js";
export { watchTls } from "./security/watch-tls.js";
export { isObjectId, isSha256 } from "./values/content-hash.js";
export { formatHolder, type Holder, incarnationName, parseHolder } from "./values/holder.js";
export {
  type ArrayMemory,
  type ArrayToRead,
  decodeStored,
  decodeWhole,
  type EncodedValue,
  encodeLong,
  headBytes,
  newMemory,
  type StoredValue,
  storedValue,
  wholeOf,
} from "./values/stored-value.js";
export { decodeValue, encodePlain, encodeValue, isPlain } from "./values/value.js";
export {
  markReference,
  objectReference,
  type Reference,
  referenceOf,
  type ValueDecoding,
  type ValueEncoding,
} from "./values/value-extensions.js";

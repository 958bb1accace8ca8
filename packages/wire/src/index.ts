// Symbols for users of the runtime.

export { type Access, access, type Role, roles, type TokenRole } from "./access.js";
export { type Addressee, addresseeMetadata, addresseeOf, callerNamed } from "./addressee.js";
// Symbols for other packages of Palimpsest.
export { AuditLog, auditPathsOf } from "./audit-log.js";
export { type Caller, type CallRecord, callerOf, isReader } from "./authorization.js";
export type { BulkConnection } from "./bulk/bulk-client.js";
export { type BulkRequest, maxBulkBytes } from "./bulk/bulk-frames.js";
export type { BulkBytes, BulkReader } from "./bulk/bulk-server.js";
export { bearerMetadata } from "./channel.js";
export type { ChannelKind } from "./channel-kind.js";
export { isObjectId, isSha256 } from "./content-hash.js";
export { Credentials, type Grant, roleToken } from "./credentials.js";
export { type Deadline, Deadlines, type Expiring } from "./deadlines.js";
export {
  type ErrorCode,
  type ErrorDetails,
  type ErrorOptions,
  errorCodes,
  PalimpsestError,
} from "./error.js";
export { errorFromProto, errorToProto } from "./error-message.js";
export { faultsLoaded } from "./faults/environment-faults.js";
export { needsFence } from "./fence.js";
export { FramePipe } from "./frame-pipe.js";
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
} from "./frames.js";
export { freeText } from "./free-text.js";
export { type GrpcNetworkOptions, grpcNetwork } from "./grpc-network.js";
export { type HandlerOf, refusals, type ServiceHandlers, servePart } from "./handlers.js";
export { HeadConnection } from "./head-connection.js";
export { HeadPeer } from "./head-peer.js";
export { type HttpGuard, httpGuard } from "./http-guard.js";
export { type IdKind, newId, newToken } from "./id.js";
export { type LastError, lastError, lastWords } from "./last-words.js";
export { addLazily } from "./lazy-service.js";
export { type LocalCaller, LocalCalls } from "./local-calls.js";
export { fieldsOf } from "./message-fields.js";
export type { MessageType, Method } from "./method.js";
export type { CallSettings, Network, Peer, RpcServer } from "./network.js";
export { isNetworkFailure } from "./network-failure.js";
export { OldestFirstMap } from "./oldest-first-map.js";
export { refuseOpenBind } from "./open-bind.js";
export { listenWithin, type PortRange } from "./port-range.js";
export { adoptCredentials, credentialsOf, processCredentials } from "./process-credentials.js";
export { holdProcess } from "./process-hold.js";
export { redisTlsOptions, redisUrlWithCa } from "./redis-tls.js";
export { retryUntil } from "./retry.js";
export { formatAddress, isLoopback, plainHost, unary } from "./server.js";
export {
  actorHostService,
  headService,
  jobsService,
  nodeLinkService,
  nodeLogsService,
  objectsService,
  requestsService,
} from "./services.js";
export { compareVersions, softwareVersion } from "./software-version.js";
export { type Debuggee, readStack, type StackReading } from "./stack.js";
export { fromGrpcError, toGrpcError } from "./status.js";
export {
  type ArrayToRead,
  decodeStored,
  decodeWhole,
  type EncodedValue,
  encodeLong,
  headBytes,
  type StoredValue,
  storedValue,
  wholeOf,
} from "./stored-value.js";
export { epochUs, type RecordedTask, type TaskOutcome, TaskRecorder } from "./task-recorder.js";
export { partsOfThrown, thrownMessage, thrownText } from "./thrown.js";
export {
  checkServer,
  contextOf,
  loadTls,
  readRevoked,
  revokedFile,
  type TlsIdentity,
  tlsFiles,
  tlsIdentity,
} from "./tls.js";
export { tlsMismatch } from "./tls-mismatch.js";
export { transferTimeoutMs } from "./transfer.js";
export { cacheFolder, stateFolder } from "./user-folders.js";
export { decodeValue, encodePlain, encodeValue, isPlain } from "./value.js";
export {
  markReference,
  objectReference,
  type Reference,
  referenceOf,
  type ValueDecoding,
  type ValueEncoding,
} from "./value-extensions.js";
export { watchTls } from "./watch-tls.js";

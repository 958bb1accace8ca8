// Symbols for users of the runtime.

// Symbols for other packages of Palimpsest.
export { bearerMetadata, bulkChannelOptions, type CallSettings, channelOptions, Peer } from "./channel.js";
export {
  type ErrorCode,
  type ErrorOptions,
  errorCodes,
  errorFromProto,
  errorToProto,
  PalimpsestError,
} from "./error.js";
export { type IdKind, newId, newToken } from "./id.js";
export type { MessageType, Method } from "./method.js";
export { closeServer, createServer, formatAddress, isLoopback, listen, unary } from "./server.js";
export { actorHostService, headService, jobsService, nodeLinkService, objectsService } from "./services.js";
export { fromGrpcError, toGrpcError } from "./status.js";
export { decodeValue, encodeValue } from "./value.js";

import type { MethodDefinition } from "@grpc/grpc-js";
import type { Access } from "./access.js";

/** The static side of a generated message class. */
export interface MessageType<Shape, Message> {
  encode(message: Shape): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Message;
}

/**
 * A method's definition over generated code. Message classes are also their own shapes, so one type per side suffices:
 * callers write any object of the shape and read a decoded message.
 */
export type Method<Request, Response> = MethodDefinition<Request, Response> & {
  readonly name: string;
  /** Who may call the method. */
  readonly access: Access;
  /** The first protocol that has the method (protocol-range.ts). */
  readonly since: number;
  /** True for a unary method that programs call so often that its requests travel on a stream (request-stream.ts). */
  readonly streamed?: boolean;
};

interface Kind {
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly streamed?: boolean;
}

function define<
  RequestShape,
  Request extends RequestShape,
  ResponseShape,
  Response extends ResponseShape,
  K extends Kind,
>(
  service: string,
  name: string,
  request: MessageType<RequestShape, Request>,
  response: MessageType<ResponseShape, Response>,
  kind: K,
  access: Access,
  since: number,
): Method<RequestShape, ResponseShape> & K {
  return {
    since,
    name: `${service}.${name}`,
    path: `/palimpsest.v1.${service}/${name}`,
    ...kind,
    access,
    requestSerialize: (message) => Buffer.from(request.encode(message).finish()),
    requestDeserialize: (bytes) => request.decode(bytes),
    responseSerialize: (message) => Buffer.from(response.encode(message).finish()),
    responseDeserialize: (bytes) => response.decode(bytes),
  };
}

/** Defines the methods of one service, with the names of its proto. */
export function serviceMethods(service: string) {
  const of =
    <const K extends Kind>(kind: K) =>
    <RequestShape, Request extends RequestShape, ResponseShape, Response extends ResponseShape>(
      name: string,
      request: MessageType<RequestShape, Request>,
      response: MessageType<ResponseShape, Response>,
      access: Access,
      since = 1,
    ) =>
      define(service, name, request, response, kind, access, since);
  return {
    unary: of({ requestStream: false, responseStream: false }),
    streamed: of({ requestStream: false, responseStream: false, streamed: true }),
    clientStream: of({ requestStream: true, responseStream: false }),
    serverStream: of({ requestStream: false, responseStream: true }),
    bidi: of({ requestStream: true, responseStream: true }),
  };
}

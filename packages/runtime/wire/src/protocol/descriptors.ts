import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import descriptor from "protobufjs/ext/descriptor.js";

/** The folder of the protos: next to the code in an installed package, at the root in a checkout. */
export const protoFolder =
  ["../../protos", "../../../../../protos"]
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((folder) => existsSync(folder)) ?? "protos";

/*
 * protobufjs's descriptors differ from protoc's in two ways, and strict readers such as grpcurl refuse them: a map
 * field `labels` has entries named `Labels` instead of `LabelsEntry`, and a reserved range ends with its last number
 * instead of the number after it.
 */

interface Field {
  readonly name?: string;
  typeName?: string;
}

interface Message {
  name?: string;
  readonly field?: readonly Field[];
  readonly nestedType?: readonly Message[];
  readonly reservedRange?: readonly { readonly start: number; end: number }[];
  readonly options?: { readonly mapEntry?: boolean } | null;
}

const SUFFIX = "Entry";

function correct(message: Message): void {
  for (const range of message.reservedRange ?? []) range.end += 1;
  for (const nested of message.nestedType ?? []) {
    correct(nested);
    const { name = "" } = nested;
    if (!nested.options?.mapEntry || name.endsWith(SUFFIX)) continue;
    nested.name = name + SUFFIX;
    for (const field of message.field ?? []) if (field.typeName === name) field.typeName = nested.name;
  }
}

const { FileDescriptorProto } = descriptor;

function decoded(bytes: Uint8Array): { readonly messageType: readonly Message[] } {
  return FileDescriptorProto.decode(bytes) as unknown as { readonly messageType: readonly Message[] };
}

/** Decodes the messages that an encoded FileDescriptorProto describes. */
export function fileMessages(bytes: Uint8Array): readonly Message[] {
  return decoded(bytes).messageType;
}

/**
 * Corrects a definition in place, once, after it was loaded, so that reflection serves what protoc would have written.
 */
export function asProtocDescribes(definition: object): void {
  const done = new Map<Uint8Array, Buffer>();
  for (const { fileDescriptorProtos } of Object.values(definition) as { fileDescriptorProtos?: Buffer[] }[])
    fileDescriptorProtos?.forEach((bytes, index) => {
      let named = done.get(bytes);
      if (named === undefined) {
        const file = decoded(bytes);
        for (const message of file.messageType) correct(message);
        named = Buffer.from(FileDescriptorProto.encode(file).finish());
        done.set(bytes, named);
        done.set(named, named);
      }
      fileDescriptorProtos[index] = named;
    });
}

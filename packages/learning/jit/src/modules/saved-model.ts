import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import protobuf from "protobufjs";
import type { FunctionProto, NodeProto } from "../base/graph-protos.js";
import type { TensorflowBinding } from "../base/tensorflow-binding.js";
import { checkGraphSize } from "./graph-size.js";

/*
 * The subset of TensorFlow's SavedModel that this package writes. Field numbers: tensorflow/core/framework/*.proto and
 * tensorflow/core/protobuf/{saved_model,meta_graph}.proto.
 */

type Field = [id: number, type: string, rule?: "repeated" | "map"];

const messages: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  SavedModel: { savedModelSchemaVersion: [1, "int64"], metaGraphs: [2, "MetaGraphDef", "repeated"] },
  MetaInfoDef: { tags: [4, "string", "repeated"] },
  MetaGraphDef: { metaInfoDef: [1, "MetaInfoDef"], graphDef: [2, "GraphDef"] },
  GraphDef: {
    node: [1, "NodeDef", "repeated"],
    library: [2, "FunctionDefLibrary"],
    versions: [4, "VersionDef"],
  },
  VersionDef: { producer: [1, "int32"], minConsumer: [2, "int32"] },
  NodeDef: {
    name: [1, "string"],
    op: [2, "string"],
    input: [3, "string", "repeated"],
    device: [4, "string"],
    attr: [5, "AttrValue", "map"],
  },
  AttrValue: {
    list: [1, "ListValue"],
    s: [2, "bytes"],
    i: [3, "int64"],
    f: [4, "float"],
    b: [5, "bool"],
    type: [6, "int32"],
    shape: [7, "TensorShapeProto"],
    tensor: [8, "TensorProto"],
    func: [10, "NameAttrList"],
  },
  ListValue: {
    s: [2, "bytes", "repeated"],
    i: [3, "int64", "repeated"],
    f: [4, "float", "repeated"],
    b: [5, "bool", "repeated"],
    type: [6, "int32", "repeated"],
    shape: [7, "TensorShapeProto", "repeated"],
    func: [9, "NameAttrList", "repeated"],
  },
  NameAttrList: { name: [1, "string"] },
  TensorShapeProto: { dim: [2, "Dim", "repeated"] },
  Dim: { size: [1, "int64"] },
  TensorProto: { dtype: [1, "int32"], tensorShape: [2, "TensorShapeProto"], tensorContent: [4, "bytes"] },
  FunctionDefLibrary: { function: [1, "FunctionDef", "repeated"] },
  FunctionDef: {
    signature: [1, "OpDef"],
    nodeDef: [3, "NodeDef", "repeated"],
    ret: [4, "string", "map"],
    attr: [5, "AttrValue", "map"],
    controlRet: [6, "string", "map"],
  },
  OpDef: {
    name: [1, "string"],
    inputArg: [2, "ArgDef", "repeated"],
    outputArg: [3, "ArgDef", "repeated"],
    isStateful: [17, "bool"],
    controlOutput: [20, "string", "repeated"],
  },
  ArgDef: { name: [1, "string"], type: [3, "int32"] },
};

function messageType(name: string): protobuf.Type {
  const root = new protobuf.Root();
  for (const [messageName, fields] of Object.entries(messages)) {
    const message = new protobuf.Type(messageName);
    for (const [fieldName, [id, type, rule]] of Object.entries(fields)) {
      const field =
        rule === "map"
          ? new protobuf.MapField(fieldName, id, "string", type)
          : new protobuf.Field(fieldName, id, type, rule);
      message.add(field);
    }
    root.add(message);
  }
  return root.lookupType(name);
}

let savedModel: protobuf.Type | undefined;

/** The GraphDef version that this writer follows, and the oldest consumer that it requires. */
const versions = { producer: 1882, minConsumer: 12 };
const TAG = "serve";

function encode(nodes: readonly NodeProto[], functions: readonly FunctionProto[]): Uint8Array {
  savedModel ??= messageType("SavedModel");
  const graphDef = { node: nodes, library: { function: functions }, versions };
  const metaGraphs = [{ metaInfoDef: { tags: [TAG] }, graphDef }];
  return savedModel.encode({ savedModelSchemaVersion: 1, metaGraphs }).finish();
}

/**
 * Loads a graph as a separate session.
 * @returns the addon's id of the session; pass it to deleteSavedModel in the end.
 * @throws {JitError} INVALID_OPTIONS if the graph is larger than a protobuf message may be
 */
export function loadGraph(
  binding: TensorflowBinding,
  nodes: readonly NodeProto[],
  functions: readonly FunctionProto[],
): { readonly sessionId: number; readonly sizeBytes: number } {
  checkGraphSize(nodes, functions);
  const bytes = encode(nodes, functions);
  const directory = mkdtempSync(join(tmpdir(), `palimpsest-graph-${process.pid}-`));
  try {
    writeFileSync(join(directory, "saved_model.pb"), bytes);
    return { sessionId: binding.loadSavedModel(directory, TAG), sizeBytes: bytes.length };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

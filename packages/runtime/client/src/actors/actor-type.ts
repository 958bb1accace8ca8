import { encodeValue, newId, PalimpsestError } from "@palimpsest/wire";
import * as proto from "@palimpsest/wire/protocol";
import type { ActorOptions, ResolvedActorOptions } from "../base/config.js";
import { checkObject, refused } from "../base/fields.js";
import { loadedConfig } from "../base/load-config.js";
import { ObjectRef } from "../base/object-ref.js";
import { placementField } from "../base/placement-field.js";
import { schedulingFields, scopeField } from "../base/scheduling.js";
import type { Bundle } from "../jobs/bundle.js";
import { type Code, type CodeSource, checkSource, codeOf } from "../jobs/code-ref.js";
import type { ConnectionEnvironment, PackedEnvironment } from "../jobs/runtime-environment.js";
import type { ContentRef } from "../values/objects.js";
import { type ActorHandle, reservedMethods } from "./actor-handle.js";

/** The maximum size in bytes of encoded constructor arguments in an actor's specification. The head refuses more. */
const maxInlineArgsBytes = 100 * 1024;

/** The constructor of an actor's class. */
export type ActorClass<Instance extends object, Args extends unknown[]> = new (...args: Args) => Instance;

/** Where nodes find the class. */
export type ActorSource = CodeSource;

/** A class as `cluster.actor(Class, options)` returns it: it spawns actors of that class. */
export interface ActorType<Instance extends object, Args extends unknown[]> {
  /** Registers one actor. Resolves when the head knows it; await `handle.ready()` to know that it runs. */
  spawn(...args: Args): Promise<ActorHandle<Instance>>;
  /**
   * Returns the actor with the name of the options, or creates it, like Ray's `get_if_exists`. If several callers ask
   * at once, one creates it and all get the same actor. An existing actor keeps its arguments and options.
   * @throws {PalimpsestError} INVALID_ARGUMENT without a name; ALREADY_EXISTS if the existing actor is of another
   *   class or has other resources, with the names of the differing fields in `details.fields`
   */
  getOrCreate(...args: Args): Promise<ActorHandle<Instance>>;
  /** Returns the same kind of actor with other options. */
  options(options: ActorOptions): ActorType<Instance, Args>;
}

export interface ActorTypeDeps {
  readonly ownerId: string;
  /** 0 if the owner is a session. */
  readonly ownerIncarnation: number;
  readonly jobId: string;
  /** The namespace of names, which is the connection's. */
  readonly namespace: string;
  /** Placement group that captures what its owner spawns; empty if none does. */
  readonly capturedBy: string;
  /** Puts constructor arguments into the object store, owned by the actor. */
  putArguments(bytes: Uint8Array, holder: string): Promise<ContentRef>;
  /** Adds references, owned by the actor, to the values that the constructor arguments refer to. */
  holdValues(refs: readonly ObjectRef[], holder: string): Promise<void>;
  /**
   * @param bundles the bundles of its code and its environment, which the head must have first
   * @returns the actor that was created or, with getIfExists, the one that has the name
   */
  create(
    request: proto.CreateActorRequest.$Properties,
    bundles: readonly Bundle[],
  ): Promise<proto.ActorInfo.$Properties>;
  readonly environment: Pick<ConnectionEnvironment, "pack">;
  handle<Instance>(actorId: string, maxTaskRetries: number): ActorHandle<Instance>;
}

/** @throws {PalimpsestError} INVALID_ARGUMENT; CONFIG_INVALID naming the option */
export function actorType<Instance extends object, Args extends unknown[]>(
  Class: ActorClass<Instance, Args>,
  source: ActorSource,
  options: ActorOptions,
  deps: ActorTypeDeps,
): ActorType<Instance, Args> {
  refuseReserved(Class);
  checkSource(source, `source of actor ${Class.name}`);
  checkObject(options, `options of actor ${Class.name}`);
  const exportName = source.exportName ?? Class.name;
  if (exportName === "")
    throw refused(
      "source of an actor",
      "exportName is absent and the class has no name: name it, or the export",
    );
  const resolved = loadedConfig().parseActorOptions(options, Class.name);
  checkGroups(Class, resolved);
  let prepared: Promise<{ readonly code: Code; readonly packed: PackedEnvironment }> | undefined;

  async function prepare() {
    const packed = await deps.environment.pack(resolved);
    return { code: await codeOf(source, exportName, packed.external), packed };
  }

  async function create(args: Args, getIfExists: boolean): Promise<ActorHandle<Instance>> {
    if (getIfExists && resolved.name === "") {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `name is "" in the options of ${Class.name}: getOrCreate() finds an actor by its name, so give it one`,
      );
    }
    prepared ??= prepare();
    const { code, packed } = await prepared.catch((reason: unknown) => {
      prepared = undefined;
      throw reason;
    });
    const actorId = newId("actor");
    const { resources, fence, labels, strategy, placement, process: where, ...others } = resolved;
    const { workingDir: _workingDir, packages: _packages, maxConcurrent, ...rest } = others;
    const spec = {
      ...rest,
      ...packed.fields,
      actorId,
      code: code.ref,
      ...(await argumentsOf(args, actorId, deps)),
      resources: { quantities: resources },
      sharedProcess: where === "shared",
      ...schedulingFields({ labels, strategy }),
      placement: placementField(placement, options, deps.capturedBy),
      scope: scopeField({ maxConcurrent }),
      fence: fences[fence ?? "default"],
      maxConcurrency: resolved.maxConcurrency ?? 0,
      namespace: resolved.namespace ?? deps.namespace,
      ownerId: deps.ownerId,
      ownerIncarnation: deps.ownerIncarnation,
      jobId: deps.jobId,
      role: resolved.role || Class.name,
    };
    const bundles = code.bundle ? [code.bundle, ...packed.bundles] : packed.bundles;
    const info = await deps.create({ spec, getIfExists }, bundles);
    return deps.handle<Instance>(
      info.spec?.actorId || actorId,
      info.spec?.maxTaskRetries ?? resolved.maxTaskRetries,
    );
  }

  return {
    spawn: (...args) => create(args, false),
    getOrCreate: (...args) => create(args, true),
    options: (more) => actorType(Class, source, { ...options, ...more }, deps),
  };
}

const fences = {
  default: proto.Fence.FENCE_UNSPECIFIED,
  lease: proto.Fence.FENCE_LEASE,
  none: proto.Fence.FENCE_NONE,
} as const;

/** Small arguments are sent in the specification, which the head keeps; large ones as an object. */
async function argumentsOf(
  values: readonly unknown[],
  actorId: string,
  deps: ActorTypeDeps,
): Promise<Pick<proto.ActorSpec.$Properties, "args" | "argsObject">> {
  const refs: ObjectRef[] = [];
  const args = encodeValue(values, {
    onReference: (_, of) => {
      if (of instanceof ObjectRef) refs.push(of);
    },
  });
  if (refs.length > 0) await deps.holdValues(refs, actorId);
  if (args.byteLength <= maxInlineArgsBytes) return { args };
  const { objectId, sizeBytes } = await deps.putArguments(args, actorId);
  return { argsObject: { objectId, sizeBytes } };
}

/** Refuses a group that does not exist, or a method that the class does not have, because it would have no effect. */
function checkGroups(
  { name, prototype }: { readonly name: string; readonly prototype: object },
  { concurrencyGroups, methodGroups }: Pick<ResolvedActorOptions, "concurrencyGroups" | "methodGroups">,
): void {
  for (const [method, group] of Object.entries(methodGroups)) {
    const names = Object.keys(concurrencyGroups).join(", ") || "none";
    const problem = Object.hasOwn(concurrencyGroups, group)
      ? !(method in prototype) && `${name} has no method ${method}: leave it out`
      : `${JSON.stringify(group)} is not one of concurrencyGroups (${names}): name one of them`;
    if (problem)
      throw new PalimpsestError(
        "CONFIG_INVALID",
        `options of actor ${name}: methodGroups.${method}: ${problem}`,
      );
  }
}

/**
 * Refuses a method with a reserved name, which could never be called, when the class is declared rather than at the
 * first call.
 */
function refuseReserved(Class: { readonly name: string; readonly prototype: object }): void {
  for (const name of reservedMethods) {
    if (name === "constructor" || name === "start" || name === "stop") continue;
    if (Object.hasOwn(Class.prototype, name)) {
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `method ${Class.name}.${name} has a name that is reserved for handles; rename it`,
      );
    }
  }
}

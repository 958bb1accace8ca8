/** Names the part of a value that makes it impossible to send. It is read only when packing has failed. */
import { PalimpsestError } from "../base/error.js";
import { thrownMessage } from "../base/thrown.js";
import { referenceOf, unsendableClass } from "./value-extensions.js";

interface Place {
  readonly value: unknown;
  /** The step from the parent, such as `[3]`. */
  readonly step: string;
  readonly parent: Place | undefined;
  readonly depth: number;
}

/** Values that are less deep than this do not fill the packer's stack. */
const maxDepth = 500;
/** Getters may make a new part whenever they are read, so that a value has no end: it is followed this deep. */
const followedDepth = 200_000;

/**
 * Throws for the first part that cannot be sent. It is iterative, because a value may be nested deeper than the stack.
 * @param reason what packing threw
 * @param maxHoles the most items that may be missing from an array
 * @throws {PalimpsestError} INVALID_ARGUMENT
 */
export function refuseUnsendable(root: unknown, reason: unknown, maxHoles: number): void {
  const seen = new Set<object>();
  const open: Place[] = [{ value: root, step: "value", parent: undefined, depth: 0 }];
  let deepest = open[0];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value } = place;
    if (typeof value === "function" || typeof value === "symbol")
      refuse(
        place,
        `is a ${typeof value}: functions cannot be sent in calls; send data, and put the code into the actor's class`,
      );
    if (value === null || typeof value !== "object") continue;
    let children: Place[] = [];
    try {
      if (value instanceof Promise)
        refuse(
          place,
          "is a promise: await it, or send a reference to its value, as cluster.put() and task.ref() give one",
        );
      if (ArrayBuffer.isView(value) || seen.has(value)) continue;
      const unsendable = unsendableClass(value);
      if (unsendable !== undefined)
        refuse(place, `is a ${unsendable} object, which cannot be sent: send what it contains`);
      seen.add(value);
      if (Array.isArray(value) && hasMoreHoles(value, maxHoles))
        refuse(
          place,
          `is an array of ${value.length} items, of which more than ${maxHoles} are missing: send a Map of its items, or fill it`,
        );
      if (!isWhole(value)) children = childrenOf(value, place);
    } catch (cause) {
      if (cause instanceof PalimpsestError) throw cause;
      // A proxy throws.
      refuse(place, `cannot be read: ${thrownMessage(cause)}`);
    }
    if (deepest === undefined || place.depth > deepest.depth) deepest = place;
    if (place.depth > followedDepth) break;
    // They are pushed in reverse, so that the first one in the value is popped first.
    for (const child of children.reverse()) open.push(child);
  }
  if (reason instanceof RangeError && deepest !== undefined && deepest.depth > maxDepth)
    refuse(
      deepest,
      `is ${deepest.depth} levels deep in the value, too many to be sent: send a flat list whose items name each other by index`,
    );
}

function refuse(place: Place, why: string): never {
  throw new PalimpsestError("INVALID_ARGUMENT", `${pathOf(place)} ${why}`);
}

/** The steps that are shown of a long path, at each end. */
const shownSteps = 100;

function pathOf(place: Place): string {
  const steps: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) steps.push(at.step);
  steps.reverse();
  if (steps.length > 2 * shownSteps) steps.splice(shownSteps, steps.length - 2 * shownSteps, " … ");
  return steps.join("");
}

/** Whether more than `most` items are missing. It looks at no more missing ones than that, however long the array is. */
function hasMoreHoles(list: readonly unknown[], most: number): boolean {
  let holes = 0;
  for (let index = 0; index < list.length && holes <= most; index++)
    if (!Object.hasOwn(list, index)) holes += 1;
  return holes > most;
}

/** Whether something else is sent for the value: a reference, or what its class says. */
function isWhole(value: object): boolean {
  if (referenceOf(value) !== undefined) return true;
  return !Object.hasOwn(value, "toJSON") && typeof Reflect.get(value, "toJSON") === "function";
}

function childrenOf(value: object, parent: Place): Place[] {
  const depth = parent.depth + 1;
  const place = (child: unknown, step: string): Place => ({ value: child, step, parent, depth });
  if (Array.isArray(value)) return value.map((item, index) => place(item, `[${index}]`));
  if (value instanceof Set) return [...value].map((item, index) => place(item, `.values()[${index}]`));
  if (value instanceof Map)
    return [...value].flatMap(([key, item], index) => [
      place(key, `.keys()[${index}]`),
      place(item, `.values()[${index}]`),
    ]);
  return Object.keys(value).map((key) => {
    try {
      return place(Reflect.get(value, key), `.${key}`);
    } catch (reason) {
      return refuse(place(undefined, `.${key}`), `cannot be read: ${thrownMessage(reason)}`);
    }
  });
}

import { z } from "zod";

/** Returns the field names that a schema accepts at a path, over all alternatives of a union; empty if it declares none. */
export function knownKeys(schema: unknown, path: readonly PropertyKey[]): Set<string> {
  let here = objectsIn(schema);
  for (const step of path) here = here.flatMap((container) => inside(container, step)).flatMap(objectsIn);
  return new Set(
    here.flatMap((container) => (container instanceof z.ZodObject ? Object.keys(container.shape) : [])),
  );
}

/** Unwraps defaults, unions and transforms down to the schemas with fields or items. */
function objectsIn(schema: unknown): unknown[] {
  if (schema instanceof z.ZodPipe) return objectsIn(schema.in);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(objectsIn);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly
  )
    return objectsIn(schema.unwrap());
  return [schema];
}

function inside(container: unknown, step: PropertyKey): unknown[] {
  if (container instanceof z.ZodArray) return [container.element];
  if (container instanceof z.ZodRecord) return [container.valueType];
  const field = container instanceof z.ZodObject ? container.shape[String(step)] : undefined;
  return field === undefined ? [] : [field];
}

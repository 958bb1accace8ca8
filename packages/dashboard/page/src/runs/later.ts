/** Helpers for parts of a page that are computed after the rest is visible. */
import { type ComponentChildren, type ComponentType, createElement } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

/**
 * Returns the value two frames after it was set, and the previous value until then. Two values are the same if all of
 * their properties are.
 */
export function useLater<Value extends object>(value: Value): Value {
  const parts = Object.values(value);
  const now = useMemo(() => value, parts);
  const [shown, show] = useState(now);
  useEffect(() => {
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => show(now));
    });
    return () => cancelAnimationFrame(frame);
  }, [now]);
  return shown;
}

/** Wraps a component so that it is rendered again only when one of its properties changes. */
export function sameProps<Props extends object>(
  Shown: ComponentType<Props>,
): (props: Props) => ComponentChildren {
  return (props) => useMemo(() => createElement(Shown, props), Object.values(props));
}

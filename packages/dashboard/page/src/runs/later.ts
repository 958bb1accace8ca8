/** Parts of a page that are worked out after the rest of it is seen. */
import { type ComponentChildren, type ComponentType, createElement } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

/** The value, from the second frame after it was given on; the one before until then. Its parts tell whether it is another one. */
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

/** The component, made again only when one of its properties is another value. */
export function sameProps<Props extends object>(
  Shown: ComponentType<Props>,
): (props: Props) => ComponentChildren {
  return (props) => useMemo(() => createElement(Shown, props), Object.values(props));
}

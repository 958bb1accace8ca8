import { wordDiff } from "@palimpsest/evals/microscope";
import { useMemo } from "preact/hooks";

/** A memory as it was overwritten, word by word. */
export function MemoryDiff({ before, after }: { readonly before: string; readonly after: string }) {
  const parts = useMemo(() => wordDiff(before, after), [before, after]);
  return (
    <>
      {parts.map(({ kind, text }, at) => {
        const key = `${at}`;
        if (kind === "added") return <ins key={key}>{text}</ins>;
        if (kind === "removed") return <del key={key}>{text}</del>;
        return <span key={key}>{text}</span>;
      })}
      {after === "" ? <span class="dim">empty</span> : null}
    </>
  );
}

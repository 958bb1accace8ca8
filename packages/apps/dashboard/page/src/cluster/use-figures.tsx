/** Shows what a node or a process really uses, as curves over the last 15 minutes. */
import type { UseSeries } from "../../../src/api/cluster.js";
import { bytesText, percentText } from "../parts/format.js";
import { UseCurve } from "../parts/use-curve.js";

export function NodeFigures({ use, intervalMs }: FiguresProps) {
  const { cpuPercent, memoryBytes, memoryTotalBytes, diskBytes, diskTotalBytes } = use;
  const { gpuPercent, gpuMemoryBytes, gpuMemoryTotalBytes } = use;
  const common = { intervalMs } as const;
  const bytes = { ...common, text: bytesText };
  const percent = { ...common, text: percentText, most: 100 };
  return (
    <div class="figures">
      <UseCurve {...percent} label="CPU" points={cpuPercent} note="of all cores" />
      <UseCurve
        {...bytes}
        label="Memory"
        points={memoryBytes}
        most={memoryTotalBytes}
        note={`of ${bytesText(memoryTotalBytes)}`}
      />
      {diskBytes.length > 0 ? (
        <UseCurve
          {...bytes}
          label="Disk"
          points={diskBytes}
          most={diskTotalBytes}
          note={`of ${bytesText(diskTotalBytes)}`}
        />
      ) : null}
      {gpuPercent.length > 0 ? <UseCurve {...percent} label="GPU" points={gpuPercent} /> : null}
      {gpuMemoryBytes.length > 0 ? (
        <UseCurve
          {...bytes}
          label="GPU memory"
          points={gpuMemoryBytes}
          most={gpuMemoryTotalBytes}
          note={`of ${bytesText(gpuMemoryTotalBytes)}`}
        />
      ) : null}
    </div>
  );
}

export function ProcessFigures({ use, intervalMs }: FiguresProps) {
  return (
    <div class="figures">
      <UseCurve
        label="CPU"
        points={use.cpuPercent}
        most={Math.max(100, ...use.cpuPercent.map((value) => value ?? 0))}
        intervalMs={intervalMs}
        text={percentText}
        note="of one core"
      />
      <UseCurve
        label="Memory"
        points={use.memoryBytes}
        most={1.25 * Math.max(...use.memoryBytes.map((value) => value ?? 0))}
        intervalMs={intervalMs}
        text={bytesText}
        note="resident"
      />
    </div>
  );
}

interface FiguresProps {
  readonly use: UseSeries;
  readonly intervalMs: number;
}

import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

/** A series of a chart: a value for each label; null where there is none. */
export interface Series {
  readonly name: string;
  readonly colour: "low" | "medium" | "high" | "critical" | "accent";
  readonly values: readonly (number | null)[];
}

/** What a chart and its table show. */
export interface ChartData {
  /** `stacked`: bars on top of each other. */
  readonly kind: "stacked" | "bars" | "line";
  /** Name of what the labels are, such as "Day". */
  readonly axis: string;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  /** Highest value of the vertical axis, if it is known. */
  readonly top?: number;
}

interface ChartProps {
  readonly data: ChartData;
  readonly description: string;
  /** Called with the index of the label that is pointed at. */
  readonly onPoint: (index: number | undefined) => void;
}

const height = 220;

/** A chart as a picture; the table beside it has the same numbers. Its colours are those of the page, light or dark. */
export function Chart({ data, description, onPoint }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let plot = draw(element, data, onPoint);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const redraw = (): void => {
      plot.destroy();
      plot = draw(element, data, onPoint);
    };
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    dark.addEventListener("change", redraw);
    return () => {
      observer.disconnect();
      dark.removeEventListener("change", redraw);
      plot.destroy();
    };
  }, [data, onPoint]);
  return <div ref={frame} role="img" aria-label={description} className="h-[220px] overflow-hidden" />;
}

function draw(element: HTMLElement, data: ChartData, onPoint: ChartProps["onPoint"]): uPlot {
  const colours = getComputedStyle(element);
  const colour = (name: string): string => resolved(element, colours.getPropertyValue(`--color-${name}`));
  const { labels, kind } = data;
  const axis = { stroke: colour("soft"), ticks: { show: false }, font: "12px system-ui, sans-serif" };
  const bars = uPlot.paths.bars?.({ size: [0.7, 48] });
  const drawn = kind === "stacked" ? stacked(data.series) : data.series;
  const options: uPlot.Options = {
    width: element.clientWidth,
    height,
    padding: [12, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false, x: false, y: false }, points: { show: kind === "line" } },
    scales: {
      x: { time: false, range: [-0.6, labels.length - 0.4] },
      y: { range: (_, __, most) => [0, data.top ?? Math.max(1, Math.ceil(most * 1.05))] },
    },
    axes: [
      {
        ...axis,
        size: 30,
        grid: { show: false },
        incrs: [1, 2, 3, 5, 7, 10, 14, 30],
        space: 56,
        values: (_, splits) => splits.map((split) => labels[split] ?? ""),
      },
      {
        ...axis,
        grid: { stroke: colour("line"), width: 1 },
        size: 36,
        incrs: [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000, 5000, 10_000],
      },
    ],
    series: [
      {},
      ...drawn.map((series) => ({
        stroke: colour(series.colour),
        points: { show: kind === "line", size: 5 },
        ...(kind === "line" ? { width: 2 } : { fill: colour(series.colour), width: 0, ...(bars && { paths: bars }) }),
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  };
  return new uPlot(options, [labels.map((_, index) => index), ...drawn.map(({ values }) => [...values])] as uPlot.AlignedData, element);
}

/** Each series with the sum of those below it, the highest first: what is drawn later covers the lower part. */
function stacked(series: readonly Series[]): readonly Series[] {
  const sums = series.map((one, at) => ({
    ...one,
    values: one.values.map((_, index) => series.slice(0, at + 1).reduce((sum, { values }) => sum + (values[index] ?? 0), 0)),
  }));
  return sums.toReversed();
}

/** A canvas does not know `light-dark()`: an element says what it is now. */
function resolved(parent: HTMLElement, colour: string): string {
  const probe = document.createElement("span");
  probe.style.color = colour;
  parent.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

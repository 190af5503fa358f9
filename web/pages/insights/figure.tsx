import { ChartColumn, Table } from "lucide-react";
import { useCallback, useState } from "react";
import { useParam } from "../../parts/param-choice.tsx";
import { levelColours, levelShapes } from "../../parts/risk.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { Chart, type ChartData, type Series } from "./chart.tsx";

interface FigureProps {
  /** Name of the figure in the address. */
  readonly id: string;
  readonly title: string;
  readonly note?: string | undefined;
  readonly data: ChartData;
}

/** A chart with its legend, and the same numbers as a table behind a switch that stands in the address. */
export function Figure({ id, title, note, data }: FigureProps) {
  const more = useMoreTexts();
  const [tables, setTables] = useParam("tables");
  const open = new Set(tables.split(" ").filter(Boolean));
  const isTable = open.has(id);
  const Icon = isTable ? ChartColumn : Table;
  const toggle = (): void => {
    if (!open.delete(id)) open.add(id);
    setTables([...open].join(" "));
  };
  return (
    <figure aria-label={title} className="rounded-xl border border-line bg-card p-4">
      <figcaption className="mb-2 flex items-start justify-between gap-3">
        <span>
          <span className="block font-medium">{title}</span>
          {note !== undefined && <span className="block text-sm text-soft">{note}</span>}
        </span>
        <button
          type="button"
          onClick={toggle}
          aria-label={`${isTable ? more.insights.asChart : more.insights.asTable}: ${title}`}
          className="-mt-2 -mr-2 inline-flex min-h-11 shrink-0 items-center gap-2 rounded-lg px-3 text-sm hover:bg-raised"
        >
          <Icon aria-hidden size={18} /> {isTable ? more.insights.asChart : more.insights.asTable}
        </button>
      </figcaption>
      {isTable ? <NumberTable title={title} data={data} /> : <Drawn title={title} data={data} />}
    </figure>
  );
}

function Drawn({ title, data }: { readonly title: string; readonly data: ChartData }) {
  const more = useMoreTexts();
  const [at, setAt] = useState<number>();
  const point = useCallback((index: number | undefined) => setAt(index), []);
  const label = at === undefined ? undefined : data.labels[at];
  return (
    <>
      <Chart data={data} description={more.insights.chart(title)} onPoint={point} />
      <p aria-hidden className="mt-1 flex min-h-6 flex-wrap gap-x-4 text-sm">
        {label !== undefined && <span className="font-medium">{label}</span>}
        {(data.series.length > 1 || label !== undefined) &&
          data.series.map((series) => <Key key={series.name} series={series} at={label === undefined ? undefined : at} />)}
      </p>
    </>
  );
}

/** A series in the legend: its shape and name, with the value that is pointed at. */
function Key({ series, at }: { readonly series: Series; readonly at: number | undefined }) {
  const format = useFormat();
  const value = at === undefined ? undefined : series.values[at];
  const { colour } = series;
  const Shape = colour === "accent" ? undefined : levelShapes[colour];
  return (
    <span className={`inline-flex items-center gap-1 ${colour === "accent" ? "text-accent" : levelColours[colour]}`}>
      {Shape && <Shape aria-hidden size={14} strokeWidth={3} />} {series.name}
      {typeof value === "number" && <span className="font-semibold">{format.number(value)}</span>}
    </span>
  );
}

/** The numbers of a chart; a long table scrolls. */
function NumberTable({ title, data }: { readonly title: string; readonly data: ChartData }) {
  const format = useFormat();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section aria-label={title} tabIndex={0} className="max-h-80 overflow-auto">
      <table className="w-full text-sm">
        <thead>
          <tr className="text-left text-soft">
            <th className="py-1 font-normal">{data.axis}</th>
            {data.series.map(({ name }) => (
              <th key={name} className="py-1 pl-3 text-right font-normal">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.labels.map((label, index) => (
            <tr key={label} className="border-t border-line">
              <th scope="row" className="py-1 text-left font-medium">
                {label}
              </th>
              {data.series.map(({ name, values }) => {
                const value = values[index] ?? null;
                return (
                  <td key={name} className="py-1 pl-3 text-right tabular-nums">
                    {value === null ? "–" : format.number(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

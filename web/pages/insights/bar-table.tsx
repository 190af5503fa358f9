import { useFormat } from "../../texts/format.tsx";

/** A row of a table with bars. */
export interface BarRow {
  readonly key: string;
  readonly name: string;
  readonly value: number;
  readonly before?: number | undefined;
  /** More words in the row. */
  readonly detail?: string | undefined;
}

interface BarTableProps {
  readonly title: string;
  readonly note?: string | undefined;
  /** Titles of the columns: what is counted, the number, and the number before. */
  readonly columns: readonly [name: string, value: string, before?: string];
  readonly rows: readonly BarRow[];
  readonly empty: string;
}

/** Numbers by name, each with a bar. It is a table for everyone. */
export function BarTable({ title, note, columns, rows, empty }: BarTableProps) {
  const format = useFormat();
  const most = Math.max(1, ...rows.map(({ value }) => value));
  const [name, value, before] = columns;
  return (
    <section aria-label={title} className="rounded-xl border border-line bg-card p-4">
      <h3 className="font-medium">{title}</h3>
      {note !== undefined && <p className="text-sm text-soft">{note}</p>}
      {rows.length === 0 ? (
        <p className="mt-2 text-soft">{empty}</p>
      ) : (
        <table className="mt-2 w-full text-sm">
          <thead>
            <tr className="text-left text-soft">
              <th className="py-1 font-normal">{name}</th>
              <th className="py-1 pl-3 text-right font-normal">{value}</th>
              {before !== undefined && <th className="py-1 pl-3 text-right font-normal">{before}</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key} className="border-t border-line">
                <th scope="row" className="w-full py-1.5 text-left font-medium">
                  <span className="block first-letter:uppercase">{row.name}</span>
                  {row.detail !== undefined && <span className="block font-normal text-soft">{row.detail}</span>}
                  <span aria-hidden className="mt-1 block h-1.5 rounded bg-raised">
                    <span className="block h-full rounded bg-accent" style={{ width: `${(row.value / most) * 100}%` }} />
                  </span>
                </th>
                <td className="py-1.5 pl-3 text-right align-top tabular-nums">{format.number(row.value)}</td>
                {before !== undefined && (
                  <td className="py-1.5 pl-3 text-right align-top text-soft tabular-nums">
                    {row.before === undefined ? "" : format.number(row.before)}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
